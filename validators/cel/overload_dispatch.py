"""Chooses among overloads at run time, where static types do not decide.

Source: cel-go ``common/decls`` (run-time signatures of overloads): a container fits if its first element does.
"""

from collections.abc import Callable, Sequence
from typing import Final

from validators.cel.errors import EvalError
from validators.cel.operations import LISTS, MAPS, no_overload, type_name
from validators.cel.overload_declaration import Overload
from validators.cel.types import Type
from validators.cel.values import Value

_RUNTIME: Final = {
    "timestamp": "google.protobuf.Timestamp",
    "duration": "google.protobuf.Duration",
    "null": "null_type",
}


def fits(held: Type, value: Value) -> bool:
    """Return whether a value may be passed for a parameter of this type."""
    kind = held.kind
    if kind in {"dyn", "param", "error"}:
        return True
    name = type_name(value)
    if kind == "list":
        return type(value) in LISTS and (len(value) == 0 or fits(held.params[0], next(iter(value))))
    if kind == "map":
        if type(value) not in MAPS:
            return False
        for key in value:
            return fits(held.params[0], key) and fits(held.params[1], value.entry(key)[1])
        return True
    if kind in {"opaque", "struct"}:
        return name == held.name
    return name == _RUNTIME.get(kind, kind)


def _names(*names: str) -> frozenset[str]:
    return frozenset(_RUNTIME.get(name, name) for name in names)


_NUMBERS: Final = ("int", "uint", "double")
_TRAITS: Final = {
    "_+_": _names(*_NUMBERS, "bytes", "string", "list", "duration", "timestamp"),
    "_-_": _names(*_NUMBERS, "duration", "timestamp"),
    "_*_": _names(*_NUMBERS),
    "_/_": _names(*_NUMBERS),
    "_%_": _names("int", "uint"),
    "-_": _names("bool", "double", "duration", "int"),
    "!_": _names("bool", "double", "duration", "int"),
    **dict.fromkeys(
        ("_<_", "_<=_", "_>_", "_>=_"),
        _names(*_NUMBERS, "bool", "bytes", "string", "duration", "timestamp"),
    ),
    "size": _names("bytes", "list", "map", "string"),
    "matches": _names("string"),
    **dict.fromkeys(("sort", "@sortByAssociatedKeys"), _names("list")),
    **dict.fromkeys(("@in", "contains", "startsWith", "endsWith"), None),
}
_UNGUARDED: Final = frozenset({"sort", "@sortByAssociatedKeys"})
_RECEIVERS: Final = _names("string", "timestamp", "duration")


def mismatch(function: str, arguments: Sequence[Value]) -> EvalError:
    """Return the error of a call that no overload accepts.

    For operators it depends on what their first operand supports; for others it lists the types.

    Source: cel-go ``interpreter`` (evalUnary, evalBinary) and ``common/decls`` (MaybeNoSuchOverload).
    """
    if function in _TRAITS:
        able = _TRAITS[function]
        first = type_name(arguments[0])
        if able is None or first in able or first in _RECEIVERS:
            return no_overload()
        return EvalError(f"no such overload: {function}")
    return EvalError(f"no such overload: {function}({', '.join(map(type_name, arguments))})")


def _for_lists(function: str, implementation: Callable[..., Value]) -> Callable[..., Value]:
    """Return a call for functions that check their elements themselves: they accept any list."""

    def call(*arguments: Value) -> Value:
        if type(arguments[0]) not in LISTS:
            raise mismatch(function, arguments)
        return implementation(*arguments)

    return call


def guarded(function: str, choices: Sequence[Overload], count: int) -> Callable[..., Value]:
    """Return one callable for the overloads that take ``count`` arguments.

    Static types do not replace it: stored data may have another type, elements may be null or faults, and a value from
    an optional has lost its schema.
    """
    candidates = [
        (one.arguments, one.implementation)
        for one in choices
        if one.implementation is not None and len(one.arguments) == count
    ]

    if function in _UNGUARDED and candidates:
        return _for_lists(function, candidates[0][1])

    def call(*arguments: Value) -> Value:
        for wanted, implementation in candidates:
            if all(map(fits, wanted, arguments)):
                return implementation(*arguments)
        raise mismatch(function, arguments)

    return call
