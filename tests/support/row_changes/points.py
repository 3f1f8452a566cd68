"""The points of a module where its behaviour can change, and the module's text with one of them changed.

A point is a condition (negated), a result or a named value (another of its type), what a generator yields (left out),
or the body of a function that returns nothing (left out).
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

_HELPERS: Final = Path(__file__).with_name("marks.py").read_text(encoding="utf-8")
_MARKED: Final = {
    "condition": "row_mark({0}, ({1}), True)",
    "result": "row_mark({0}, ({1}))",
    "value": "row_mark({0}, ({1}))",
    "yield": "(yield from row_marks({0}, ({1})))",
    "body": "row_mark({0}, 0)",
}
_CHANGED: Final = {
    "condition": "not ({1})",
    "result": "row_other(({1}))",
    "value": "row_other(({1}))",
    "yield": "(yield from ())",
    "body": "...",
}


class Point(NamedTuple):
    """``name`` is that of a function, with the classes and functions around it, or of a value of the module."""

    number: int
    name: str
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.name}: {self.kind} {self.text}".rstrip()


class _Slot(NamedTuple):
    """Where a point is: ``holder`` is a node with a field ``key``, or a list with an item ``key``."""

    name: str
    kind: str
    holder: Any
    key: Any


def points(text: str, name: str = "") -> list[Point]:
    """The points of a module, or only those of the function, class or value called ``name``."""
    return [Point(number, *slot[:2], _shown(slot)) for number, slot in enumerate(_wanted(ast.parse(text), name))]


def marked(text: str, name: str, folder: Path) -> str:
    """The module when it leaves a file in ``folder`` for each of the same points that runs, called by its number."""
    return _edited(text, name, folder, None)


def changed(text: str, name: str, number: int) -> str:
    """The module with one of these points changed."""
    return _edited(text, name, None, number)


def _edited(text: str, name: str, folder: Path | None, chosen: int | None) -> str:
    module = ast.parse(text)
    # Inner ones first: the outer ones contain them.
    for number, slot in reversed([*enumerate(_wanted(module, name))]):
        if chosen in {None, number}:
            code = (_MARKED if chosen is None else _CHANGED)[slot.kind].format(number, _source(slot))
            _replace(slot, ast.parse(code, mode="eval").body, keeps_body=chosen is None)
    helpers = ast.parse(f"{_HELPERS}\nrow_folder = {str(folder)!r}")
    start = _start(module)
    module.body[start:start] = helpers.body[1:]
    return f"{ast.unparse(module)}\n"


def _wanted(module: ast.Module, name: str) -> list[_Slot]:
    """All points, or those of a name. A value of the module is none unless it is named: many functions read it."""
    return [
        slot
        for slot in _slots(module, "")
        if (f".{name}." in f".{slot.name}." if name else slot.kind != "value" and slot.name)
    ]


def _slots(node: ast.AST, name: str) -> Iterator[_Slot]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        name = f"{name}.{node.name}".removeprefix(".")
    match node:
        case ast.If() | ast.IfExp():
            yield _Slot(name, "condition", node, "test")
        case ast.comprehension():
            yield from (_Slot(name, "condition", node.ifs, index) for index in range(len(node.ifs)))
        case ast.Return(value=ast.expr()):
            yield _Slot(name, "result", node, "value")
        case ast.Expr(value=ast.YieldFrom() | ast.Yield(value=ast.expr())):
            yield _Slot(name, "yield", node, "value")
        case ast.FunctionDef(returns=ast.Constant(value=None)):
            yield _Slot(name, "body", node, "body")
        case ast.Assign(targets=[ast.Name(id=found)]) | ast.AnnAssign(target=ast.Name(id=found), value=ast.expr()):
            if not name:
                yield _Slot(found, "value", node, "value")
    for child in ast.iter_child_nodes(node):
        yield from _slots(child, name)


def _content(slot: _Slot) -> Any:
    return slot.holder[slot.key] if isinstance(slot.holder, list) else getattr(slot.holder, slot.key)


def _shown(slot: _Slot) -> str:
    if slot.kind == "body":
        return ""
    text = ast.unparse(_content(slot))
    return f"`{text[1:-1] if slot.kind == 'yield' else text}`"


def _source(slot: _Slot) -> str:
    """The expression of a point; of what is yielded, all values."""
    match _content(slot):
        case ast.Yield(value=ast.expr() as value):
            return f"({ast.unparse(value)},)"
        case ast.YieldFrom(value=value) | (ast.expr() as value):
            return ast.unparse(value)
    return ""


def _replace(slot: _Slot, code: ast.expr, *, keeps_body: bool) -> None:
    if isinstance(slot.holder, list):
        slot.holder[slot.key] = code
    elif slot.kind == "body":
        start, body = _start(slot.holder), slot.holder.body
        slot.holder.body = [*body[:start], ast.Expr(code), *(body[start:] if keeps_body else ())]
    else:
        setattr(slot.holder, slot.key, code)


def _start(node: Any) -> int:
    """Where the code of a module or a function begins: after its docstring."""
    return 1 if ast.get_docstring(node) is not None else 0
