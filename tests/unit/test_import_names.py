"""Nothing names a module of ovnguard by its folder alone, in strings neither; ruff's banned-api sees imports only."""

import re
from pathlib import Path
from typing import Final

import pytest

from tests.support.paths import ROOT

FOLDERS: Final = ("crd_schemas", "reconciler", "validators", "webhook")
PLACES: Final = (*FOLDERS, "tests", "deploy", "pyproject.toml", "Makefile")
# Comments and docstrings name a module by its folder, in backticks.
_NAME: Final = re.compile(rf"(?<![\w./`$-])({'|'.join(FOLDERS)})\.(\w+)(?![\w-])(?!\.(?:md|yaml|json)\b)")


def _files(place: Path) -> list[Path]:
    return [place] if place.is_file() else sorted(place.rglob("*.py"))


def _old_names(text: str) -> list[str]:
    found = (match for match in _NAME.finditer(text) if match[2] in MODULES[match[1]])
    return [match[0] for match in found]


MODULES: Final = {folder: {each.stem for each in (ROOT / folder).iterdir()} for folder in FOLDERS}


@pytest.mark.parametrize("place", PLACES)
def test_modules_have_one_name(place: str) -> None:
    texts = {file: file.read_text(encoding="utf-8") for file in _files(ROOT / place) if file != Path(__file__)}
    assert {str(file): names for file, text in texts.items() if (names := _old_names(text))} == {}


@pytest.mark.parametrize(
    "text",
    ['"validators.cli.main:main"', "import webhook.cli", '"reconciler.plan -> ovs"', "'crd_schemas.gating'"],
)
def test_an_old_name_is_found(text: str) -> None:
    assert len(_old_names(text)) == 1


@pytest.mark.parametrize(
    "text",
    ['"ovnguard.validators.cli.main:main"', "`validators.cel`", "ovnguard-webhook.ovnguard-system.svc", "webhook.md"],
)
def test_other_names_are_left_alone(text: str) -> None:
    assert _old_names(text) == []
