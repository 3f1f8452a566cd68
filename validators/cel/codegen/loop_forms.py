"""Macros over lists and maps as Python comprehensions, for generated code."""

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from ovnguard.validators.cel.checking.checked_expression import CheckedExpression
from ovnguard.validators.cel.codegen.call_forms import is_scalar
from ovnguard.validators.cel.codegen.expression_parts import Names, Part, Unsupported, converted
from ovnguard.validators.cel.syntax import ast
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cel.types.static_types import Type


class Writer(Protocol):
    """The interface that loops use to write their parts."""

    checked: CheckedExpression
    names: Names

    def write(self, node: ast.Expr) -> Part:
        """Return the source of one node. Raises `Unsupported`."""

    def predicate(self, node: ast.Expr) -> str:
        """Return a boolean part of a loop. Raises `Unsupported`."""

    def data(self, source: str, held: Type, decl: Decl | None) -> Part:
        """Return a part that reads data. Raises `Unsupported`."""


def loop_of(node: ast.Comprehension, over: Part, writer: Writer) -> tuple[dict[str, Part], tuple[str, str]]:
    """Return the variables, and (the target of the loop, its iterable)."""
    key_type, value_type = over.type.params[0], over.type.params[-1]
    element = over.decl.element if over.decl is not None else None
    if over.decl is not None and (element is None or element.nullable or converted(element)):
        raise Unsupported
    if over.decl is None and not is_scalar(value_type):
        raise Unsupported
    first = writer.names.variable()
    if not node.var2:
        item = writer.data(first, key_type, element if over.type.kind == "list" else None)
        return {node.var: item}, (first, over.source)
    second = writer.names.variable()
    item = writer.data(second, value_type, element)
    if over.type.kind == "list":
        key = Part(first, Type("int"))
        return {node.var: key, node.var2: item}, (f"{first}, {second}", f"enumerate_({over.source})")
    return {node.var: Part(first, key_type), node.var2: item}, (f"{first}, {second}", f"{over.source}.items()")


def _step_argument(node: ast.Comprehension, at: int) -> ast.Expr:
    assert isinstance(node.step, ast.Call)
    return node.step.args[at]


def _all(writer: Writer, node: ast.Comprehension, loop: tuple[str, str]) -> Part:
    test = writer.predicate(_step_argument(node, 1))
    return Part(f"(False not in [{test} for {loop[0]} in {loop[1]}])", Type("bool"))


def _exists(writer: Writer, node: ast.Comprehension, loop: tuple[str, str]) -> Part:
    test = writer.predicate(_step_argument(node, 1))
    return Part(f"(True in [{test} for {loop[0]} in {loop[1]}])", Type("bool"))


def _exists_one(writer: Writer, node: ast.Comprehension, loop: tuple[str, str]) -> Part:
    test = writer.predicate(_step_argument(node, 0))
    return Part(f"([{test} for {loop[0]} in {loop[1]}].count(True) == 1)", Type("bool"))


def _listing(writer: Writer, node: ast.Comprehension, loop: tuple[str, str]) -> Part:
    """Return the source of ``map`` and ``filter``."""
    step = node.step
    assert isinstance(step, ast.Call)
    keep = ""
    if step.function == "_?_:_":
        keep = f" if {writer.predicate(step.args[0])}"
        inner = step.args[1]
        assert isinstance(inner, ast.Call)
        step = inner
    addition = step.args[1]
    assert isinstance(addition, ast.ListLiteral)
    part = writer.write(addition.elements[0])
    held = writer.checked.type_at(node)
    source = f"[{part.source} for {loop[0]} in {loop[1]}{keep}]"
    if part.decl is None and is_scalar(part.type):
        return Part(source, held)
    if part.decl is None:
        raise Unsupported
    return Part(source, held, Decl("array", held, 0, 2, element=part.decl))


LOOPS: Final[Mapping[str, Callable[[Writer, ast.Comprehension, tuple[str, str]], Part]]] = {
    "all": _all,
    "exists": _exists,
    "exists_one": _exists_one,
    "map": _listing,
    "filter": _listing,
    "transformList": _listing,
}
