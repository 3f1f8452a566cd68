"""docs/python.md: its examples print what it shows, and its names are public."""

import ast
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.pages.console import replayed
from tests.support.paths import ROOT
from tests.support.soak import limit

PAGE = ROOT / "docs" / "python.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
IMPORTS = {
    (node.module, name.name)
    for program in PROGRAMS
    for node in ast.walk(ast.parse(program))
    if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("ovnguard.")
    for name in node.names
}


@limit(120)
def test_every_example_prints_what_is_shown(tmp_path: Path, generated: Callable[[Path, str, str], None]) -> None:
    (tmp_path / "work").mkdir()
    page = PAGE.read_text(encoding="utf-8")
    shown = replayed(page, tmp_path / "work")
    generated(PAGE, shown, "make rules, or pytest tests/unit/docs --update")
    assert "Traceback" not in shown


@pytest.mark.parametrize(("module", "name"), sorted(IMPORTS))
def test_an_imported_name_is_public(module: str, name: str) -> None:
    assert name in import_module(module).__all__


def test_the_package_has_types() -> None:
    assert (ROOT / "ovnguard" / "py.typed").is_file()
