"""Compiled rules as plain data and back, so that a process that only evaluates them neither parses nor checks.

The data consists of tuples, lists, dicts and scalars, which `marshal` can write. It is only read from the store of
compiled definitions (`validators.fast.disk_store`) and is trusted there.
"""

from typing import Any, Final

from ovnguard.validators.cel.checking.checked_expression import CheckedExpression
from ovnguard.validators.cel.checking.environments import find_overload
from ovnguard.validators.cel.compiled_rule import Rule
from ovnguard.validators.cel.expression_compiler import Compiled
from ovnguard.validators.cel.syntax import ast
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cel.types.static_types import Type
from ovnguard.validators.cel.values.cel_values import TypeValue, UInt

_NODES: Final = (
    ast.Literal,
    ast.Ident,
    ast.Select,
    ast.Call,
    ast.ListLiteral,
    ast.Entry,
    ast.MapLiteral,
    ast.Message,
    ast.Comprehension,
)
_NUMBERS: Final = {node: number for number, node in enumerate(_NODES)}
_UINT: Final = -1
_MADE: Final = {"root", "types", "overloads", "constants"}


def rule_data(rule: Rule) -> dict[str, Any]:
    """Return a rule without its declaration, which the definition has. Raises RecursionError if it is too deep."""
    data = {name: getattr(rule, name) for name in _fields(Rule) if name not in {"decl", "compiled", "message_compiled"}}
    message = rule.message_compiled
    return data | {
        "compiled": _compiled(rule.compiled),
        "message_compiled": None if message is None else _compiled(message),
    }


def rule_of(data: dict[str, Any], decl: Decl) -> Rule:
    """Return the rule of `rule_data`, with the declaration of its node."""
    message = data["message_compiled"]
    made = {
        "compiled": _compiled_of(data["compiled"]),
        "message_compiled": None if message is None else _compiled_of(message),
    }
    return Rule(**{**data, **made}, decl=decl)


def _fields(made: type) -> tuple[str, ...]:
    names: tuple[str, ...] = made.__match_args__  # type: ignore[attr-defined] # every dataclass has it
    return names


def _compiled(compiled: Compiled) -> tuple[Any, ...]:
    checked = compiled.checked
    table: dict[Type, int] = {}
    types = {node: _place(held, table) for node, held in checked.types.items()}
    rows = [(held.kind, held.name, [table[inner] for inner in held.params]) for held in table]
    overloads = {node: [one.key for one in found] for node, found in checked.overloads.items()}
    constants = {node: value.name for node, value in checked.constants.items()}
    rest = {name: getattr(checked, name) for name in _fields(CheckedExpression) if name not in _MADE}
    return compiled.minor, _data(checked.root), rows, types, overloads, constants, rest


def _compiled_of(data: tuple[Any, ...]) -> Compiled:
    minor, root, rows, types, overloads, constants, rest = data
    table: list[Type] = []
    for kind, name, params in rows:
        table.append(Type(kind, name, tuple(table[inner] for inner in params)))
    checked = CheckedExpression(
        root=_value(root),
        types={node: table[held] for node, held in types.items()},
        overloads={node: tuple(find_overload(*name) for name in found) for node, found in overloads.items()},
        constants={node: TypeValue(name) for node, name in constants.items()},
        **rest,
    )
    return Compiled(checked, minor)


def _place(held: Type, table: dict[Type, int]) -> int:
    """Return the row of a type. The types inside it come first."""
    if held not in table:
        for inner in held.params:
            _place(inner, table)
        table[held] = len(table)
    return table[held]


def _data(value: Any) -> Any:
    """Return a node as a tuple that starts with the number of its class. Tuples in it become lists."""
    number = _NUMBERS.get(type(value))
    if number is not None:
        return (number, *(_data(getattr(value, name)) for name in _fields(type(value))))
    if type(value) is tuple:
        return [_data(one) for one in value]
    return (_UINT, int(value)) if type(value) is UInt else value


def _value(data: Any) -> Any:
    if type(data) is list:
        return tuple(_value(one) for one in data)
    if type(data) is not tuple:
        return data
    if data[0] == _UINT:
        return UInt(data[1])
    return _NODES[data[0]](*(_value(one) for one in data[1:]))
