"""The limits of CONTRIBUTING.md for the product: lines of a function and of a file, modules of a folder.

What is over a limit is listed with its size and the reason. The list may only shrink.
"""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.support.paths import ROOT
from tests.support.soak import limit

FOLDERS: Final = ("crd_schemas", "validators", "webhook", "reconciler")
FUNCTION: Final = 40
"""Lines of a function without its docstring; decorators, such as click's options, are not lines of it."""
FILE: Final = 300
FOLDER: Final = 30
"""Modules of a folder, without ``__init__.py``."""


class Large(NamedTuple):
    """The size of what is over its limit, and why it is."""

    size: int
    reason: str


_ONE_CLASS: Final = "one class, whose methods call each other: two files of it would import each other"

LISTED: Final[Mapping[str, Large]] = {
    "validators/admission.py::_judge_rules": Large(43, "a line for each field of the context and of the judgement"),
    "validators/cel/checking/type_checker.py": Large(314, _ONE_CLASS),
    "validators/cel/codegen/function_source.py": Large(307, _ONE_CLASS),
    "validators/cel/evaluation/planner.py": Large(348, _ONE_CLASS),
    "validators/cel/syntax/ast_builder.py": Large(310, "one method for each rule of the grammar"),
    "validators/cel/values/json_values.py": Large(
        306, "objects and lists wrap the values inside each other when they are read"
    ),
    "validators/crd/rule_compiler.py": Large(303, _ONE_CLASS),
    "validators/network/parse_values.py": Large(
        316, "one reader for all values of networks, and what it shares with those of single values"
    ),
    "validators/structural/metadata/metadata_check.py": Large(
        312, "all checks of ObjectMeta, as the API server has them in one package"
    ),
    "validators/structural/objects/value_check.py": Large(335, _ONE_CLASS),
    "validators/structural/schema/definition_types.py": Large(
        351, "the Go types of a definition, which refer to each other, a line for each field"
    ),
}


def sizes() -> Iterator[tuple[str, int, int]]:
    """The name, size and limit of every function, file and folder of the product."""
    for top in FOLDERS:
        for folder in (ROOT / top, *(path for path in (ROOT / top).rglob("*") if path.is_dir())):
            modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
            yield _name(folder), len(modules), FOLDER
        for file in (ROOT / top).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            yield _name(file), len(text.splitlines()), FILE
            for name, size in functions(text):
                yield f"{_name(file)}::{name}", size, FUNCTION


def functions(text: str) -> Iterator[tuple[str, int]]:
    """The name of every function of a module, inside classes and functions too, and its lines."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1 - _docstring_lines(node)


def _docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = node.body[0]
    if ast.get_docstring(node, clean=False) is None or first.end_lineno is None:
        return 0
    return first.end_lineno - first.lineno + 1


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def faults(found: Mapping[str, tuple[int, int]], listed: Mapping[str, Large]) -> list[str]:
    """What is over its limit and not listed, or listed with another size; ``found`` are sizes and limits."""
    lines = []
    for name, (size, most) in found.items():
        known = listed.get(name)
        if known is None and size > most:
            lines.append(f"{name}: {size} is over the limit of {most}: split it by subject")
        elif known is not None and size <= most:
            lines.append(f"{name}: {size} is within the limit of {most}: delete its entry")
        elif known is not None and size > known.size:
            lines.append(f"{name}: grew from {known.size} to {size}: entries may only shrink")
        elif known is not None and size < known.size:
            lines.append(f"{name}: shrank from {known.size} to {size}: lower its entry to {size}")
    lines += (f"{name}: is not there: delete its entry" for name in listed if name not in found)
    return lines


@limit(180)
def test_the_product_is_within_the_limits() -> None:
    found: dict[str, tuple[int, int]] = {}
    for name, size, most in sizes():
        # of functions with one name in a file, the largest counts
        found[name] = max(found.get(name, (0, most)), (size, most))
    assert faults(found, LISTED) == []
    assert all(each.reason for each in LISTED.values())


def test_the_limits_are_those_of_contributing() -> None:
    page = " ".join((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split())
    assert f"A function has at most {FUNCTION} lines" in page
    assert f"a file {FILE}, a folder {FOLDER} modules" in page


@pytest.mark.parametrize(
    ("size", "listed", "expected"),
    [
        (40, {}, []),
        (41, {}, ["f: 41 is over the limit of 40: split it by subject"]),
        (43, {"f": Large(43, "why")}, []),
        (44, {"f": Large(43, "why")}, ["f: grew from 43 to 44: entries may only shrink"]),
        (42, {"f": Large(43, "why")}, ["f: shrank from 43 to 42: lower its entry to 42"]),
        (40, {"f": Large(43, "why")}, ["f: 40 is within the limit of 40: delete its entry"]),
        (40, {"g": Large(43, "why")}, ["g: is not there: delete its entry"]),
    ],
)
def test_the_list_may_only_shrink(size: int, listed: dict[str, Large], expected: list[str]) -> None:
    assert faults({"f": (size, FUNCTION)}, listed) == expected


def test_docstrings_and_decorators_are_no_lines_of_a_function() -> None:
    text = '@option(\n    "--a",\n)\ndef f(\n    a: int,\n) -> int:\n    """One.\n\n    Two.\n    """\n    return a\n'
    assert list(functions(text)) == [("f", 4)]
