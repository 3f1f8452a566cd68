"""One version stands in every file that has it; tests/unit/deploy says so of overlays and chart."""

import re
import tomllib
from typing import Final

import pytest

from tests.support.paths import ROOT

PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION: Final = PROJECT["version"]
PLACES: Final = {
    "CHANGELOG.md": r"^## (\d\S*)$",
    "deploy/components/dns/daemonset.yaml": r"/ovnguard:(\S+)$",
    "deploy/image/Containerfile": r"/ovnguard:(\S+) \.$",
    "docs/install.md": r"(?:REPOSITORY|OWNER/ovnguard)@v(\S+)",
    "docs/python.md": r"REPOSITORY@v(\S+)",
    "docs/webhook.md": r"/ovnguard:(\d\S*)",
}


@pytest.mark.parametrize("name", sorted(PLACES))
def test_a_file_names_the_version(name: str) -> None:
    found = re.findall(PLACES[name], (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    assert found[:1] == [VERSION]
    # older releases stay in the changelog
    assert name == "CHANGELOG.md" or set(found) == {VERSION}


def test_a_version_below_one_is_a_beta() -> None:
    status = "5 - Production/Stable" if int(VERSION.partition(".")[0]) else "4 - Beta"
    assert [each for each in PROJECT["classifiers"] if each.startswith("Development")] == [
        f"Development Status :: {status}"
    ]


def test_security_fixes_are_for_the_newest_minor_release() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| ([\d.]+) \|", text, re.MULTILINE) == [VERSION.rpartition(".")[0]]
