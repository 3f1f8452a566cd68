"""Checks of constants after type-checking: durations, timestamps, patterns, formats, and literals of one type.

Source: cel-go ``cel/validator.go`` and ``ext/formatting.go``; apiserver ``environment/base.go`` for which ones are on.
"""

from collections.abc import Callable, Iterator
from typing import Final

from ovnguard.validators.cel.checking.checked_expression import CheckedExpression
from ovnguard.validators.cel.library import conversions, regex
from ovnguard.validators.cel.library.format_string import REFUSALS, Clause, pieces
from ovnguard.validators.cel.syntax import ast
from ovnguard.validators.cel.syntax.source_position import CompileIssues, Issue
from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.static_types import Type, alike, unwrap_optional

_ALLOWED: Final = {
    "s": frozenset(
        {"list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null"}
    ),
    "d": frozenset({"int", "uint"}),
    "f": frozenset({"double", "string"}),
    "e": frozenset({"double", "string"}),
    "b": frozenset({"int", "uint", "bool"}),
    "x": frozenset({"int", "uint", "string", "bytes"}),
    "o": frozenset({"int", "uint"}),
}


_LAST_WITHOUT_FORMATS: Final = 30
_FIRST: Final = -62135596800
_LAST: Final = 253402300799


class _FormatFault(Exception):
    """An argument does not fit its clause."""

    def __init__(self, node: ast.Expr, message: str) -> None:
        super().__init__(message)
        self.node = node


def _matches(value: str) -> None:
    fault = regex.compiled(value)
    if isinstance(fault, str):
        raise EvalError(fault)


_LITERALS: Final[dict[str, Callable[[str], object]]] = {
    "duration": conversions.string_to_duration,
    "timestamp": conversions.string_to_timestamp,
    "matches": _matches,
}


def check_literals(checked: CheckedExpression, *, arguments: bool) -> None:
    """Check the constants. ``arguments``: also those passed to conversions and patterns. Raises `CompileIssues`."""
    issues: list[Issue] = []
    calls: list[ast.Call] = []
    lists: list[ast.ListLiteral] = []
    maps: list[ast.MapLiteral] = []
    _collect(checked.root, calls, lists, maps)
    for name, read in _LITERALS.items() if arguments else ():
        issues += _bad_literals(calls, name, read)
    for one in lists:
        issues += _mixed_list(checked, one)
    for each in maps:
        issues += _mixed_map(checked, each)
    for call in calls:
        if call.function == "format" and checked.release > _LAST_WITHOUT_FORMATS:
            issues += _bad_format(checked, call)
    if issues:
        raise CompileIssues(checked.source, issues)


def _collect(root: ast.Expr, calls: list[ast.Call], lists: list[ast.ListLiteral], maps: list[ast.MapLiteral]) -> None:
    """Collect the nodes to check, in the order of the tree. Literals in the arguments of a format may mix types."""
    left = [(root, False)]
    while left:
        node, exempt = left.pop()
        if isinstance(node, ast.Call):
            calls.append(node)
            exempt = exempt or node.function == "format"
        elif isinstance(node, ast.ListLiteral) and not exempt:
            lists.append(node)
        elif isinstance(node, ast.MapLiteral) and not exempt:
            maps.append(node)
        left += [(child, exempt) for child in reversed(ast.children(node))]


def _bad_literals(nodes: list[ast.Call], name: str, read: Callable[[str], object]) -> Iterator[Issue]:
    for node in nodes:
        if node.function == name and node.args:
            first = node.args[0]
            if isinstance(first, ast.Literal) and not _readable(first.value, name, read):
                yield Issue(first.pos, f"invalid {name} argument")


def _readable(value: object, name: str, read: Callable[[str], object]) -> bool:
    if type(value) is int and name == "timestamp":
        return _FIRST <= value <= _LAST
    if type(value) is not str:
        return name != "duration"  # measured on 1.35: a number is not a duration here, though it is one at run time
    try:
        read(value)
    except EvalError:
        return False
    return True


def _differ(node: ast.Expr, wanted: Type, actual: Type) -> Issue:
    return Issue(node.pos, f"expected type '{wanted}' but found '{actual}'")


def _mixed_list(checked: CheckedExpression, node: ast.ListLiteral) -> Iterator[Issue]:
    wanted: Type | None = None
    for at, element in enumerate(node.elements):
        held = checked.type_at(element)
        if at in node.optional:
            held = unwrap_optional(held)[0]
        wanted = wanted or held
        if not alike(held, wanted):
            yield _differ(element, wanted, held)
            return


def _mixed_map(checked: CheckedExpression, node: ast.MapLiteral) -> Iterator[Issue]:
    key: Type | None = None
    value: Type | None = None
    for entry in node.entries:
        key_type, value_type = checked.type_at(entry.key), checked.type_at(entry.value)
        if entry.optional:
            value_type = unwrap_optional(value_type)[0]
        key, value = key or key_type, value or value_type
        if not alike(key_type, key):
            yield _differ(entry.key, key, key_type)
        if not alike(value_type, value):
            yield _differ(entry.value, value, value_type)


def _bad_format(checked: CheckedExpression, node: ast.Call) -> Iterator[Issue]:
    if len(node.args) != 1:
        return
    target, arguments = node.target, node.args[0]
    if not (isinstance(target, ast.Literal) and type(target.value) is str and isinstance(arguments, ast.ListLiteral)):
        return
    try:
        clauses = [one for one in pieces(target.value, len(arguments.elements)) if isinstance(one, Clause)]
        for clause, argument in zip(clauses, arguments.elements, strict=False):
            _fits(checked, clause, argument)
    except EvalError as fault:
        yield Issue(node.pos, str(fault))
        return
    except _FormatFault as fault:
        yield Issue(fault.node.pos, f"error during formatting: {fault}")
        return
    if len(arguments.elements) > len(clauses):
        counts = f"(expected {len(clauses)}, got {len(arguments.elements)})"
        yield Issue(node.pos, f"too many arguments supplied to string.format {counts}")


def _fits(checked: CheckedExpression, clause: Clause, node: ast.Expr) -> None:
    held = checked.type_at(node)
    if held.kind != "dyn" and held.kind not in _ALLOWED[clause.verb]:
        raise _FormatFault(node, f"{REFUSALS[clause.verb]} {_type_name(held)}")
    if clause.verb == "s" and isinstance(node, ast.ListLiteral | ast.MapLiteral):
        for child in ast.children(node):
            _fits(checked, clause, child)


def _type_name(held: Type) -> str:
    names = {"timestamp": "google.protobuf.Timestamp", "duration": "google.protobuf.Duration", "null": "null_type"}
    return held.name or names.get(held.kind, held.kind)
