"""Imports inside functions of the product, and docs/lazy-imports.md, which lists them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.paths import ROOT

PAGE: Final = ROOT / "docs" / "lazy-imports.md"
_ROW: Final = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \| ([0-9,]+) \|$", re.MULTILINE)


class LazyImport(NamedTuple):
    """A module that a function of ``file`` imports when it is called."""

    file: str
    module: str


def lazy_imports() -> list[LazyImport]:
    """The imports inside functions of the product, once for each file and module, in order."""
    folders = [ROOT / name for name in ("crd_schemas", "reconciler", "validators", "webhook")]
    files = [file for folder in folders for file in folder.rglob("*.py")]
    return sorted({LazyImport(str(file.relative_to(ROOT)), module) for file in files for module in _modules(file)})


def _modules(file: Path) -> Iterator[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for node in ast.walk(function):
                if isinstance(node, ast.Import):
                    yield from (name.name for name in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module:
                    yield from (_module(node.module, name.name) for name in node.names)


def _module(package: str, name: str) -> str:
    """What ``from package import name`` loads: a module of that name, or the package that defines it."""
    return f"{package}.{name}" if (ROOT / package.replace(".", "/") / f"{name}.py").exists() else package


def listed() -> dict[LazyImport, int]:
    """The rows of the page, with the milliseconds that each saves."""
    rows = _ROW.findall(PAGE.read_text(encoding="utf-8"))
    return {LazyImport(file, module): int(saved.replace(",", "")) for file, module, saved in rows}
