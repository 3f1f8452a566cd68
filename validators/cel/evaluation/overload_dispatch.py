"""Chooses among overloads at run time, where static types do not decide.

Source: cel-go ``common/decls`` (run-time signatures of overloads): a container fits if its first element does.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload
from ovnguard.validators.cel.types.static_types import Type
from ovnguard.validators.cel.values.cel_values import Value
from ovnguard.validators.cel.values.operations import LISTS, MAPS, TYPE_NAMES, no_overload, type_name

_RUNTIME: Final = {
    "timestamp": "google.protobuf.Timestamp",
    "duration": "google.protobuf.Duration",
    "null": "null_type",
}


_TYPES: Final = {name: kind for kind, name in TYPE_NAMES.items() if kind not in LISTS and kind not in MAPS}
"""The types of values by the name of their run-time type, where there is one type of that name."""
Fits = Callable[[Value], bool]


def fitting(wanted: Type) -> Fits:
    """Return the test whether a value may be passed for a parameter of this type."""
    kind = wanted.kind
    if kind in {"dyn", "param", "error"}:
        return _fits_any
    if kind == "list":
        return partial(_fits_list, fitting(wanted.params[0]))
    if kind == "map":
        return partial(_fits_map, fitting(wanted.params[0]), fitting(wanted.params[1]))
    name = wanted.name if kind in {"opaque", "struct"} else _RUNTIME.get(kind, kind)
    wanted_type = _TYPES.get(name)
    if wanted_type is None:
        return lambda value: type_name(value) == name
    return lambda value: type(value) is wanted_type


def _fits_any(_value: Value) -> bool:
    return True


def _fits_list(fits_element: Fits, value: Value) -> bool:
    return type(value) in LISTS and (len(value) == 0 or fits_element(next(iter(value))))


def _fits_map(fits_key: Fits, fits_value: Fits, value: Value) -> bool:
    if type(value) not in MAPS:
        return False
    for key in value:
        return fits_key(key) and fits_value(value.entry(key)[1])
    return True


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
    **dict.fromkeys(
        ("_<_", "_<=_", "_>_", "_>=_"),
        _names(*_NUMBERS, "bool", "bytes", "string", "duration", "timestamp"),
    ),
    "size": _names("bytes", "list", "map", "string"),
    "matches": _names("string"),
    **dict.fromkeys(("sort", "@sortByAssociatedKeys"), _names("list")),
    **dict.fromkeys(("!_", "@in", "contains", "startsWith", "endsWith"), None),
}
_UNGUARDED: Final = frozenset({"sort", "@sortByAssociatedKeys", "flatten"})
_WITH_PARAMETERS: Final = {"list": "list(dyn)", "map": "map(dyn, dyn)"}
_OPTIONAL_HAS_PARAMETER_SINCE: Final = 37
_RECEIVERS: Final = _names("string", "timestamp", "duration")


def mismatch(function: str, arguments: Sequence[Value], release: int = 0) -> EvalError:
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
    if function == "flatten":
        shown = dict(_WITH_PARAMETERS)
        if release >= _OPTIONAL_HAS_PARAMETER_SINCE:
            shown["optional_type"] = "optional_type(dyn)"
        receiver, *rest = (shown.get(name, name) for name in map(type_name, arguments))
        return EvalError(f"no such overload: {receiver}.flatten({', '.join(rest)})")
    return EvalError(f"no such overload: {function}({', '.join(map(type_name, arguments))})")


def _for_lists(function: str, implementation: Callable[..., Value], release: int) -> Callable[..., Value]:
    """Return a call for functions that check their elements themselves: they accept any list."""

    def call(*arguments: Value) -> Value:
        fits = type(arguments[0]) in LISTS
        if not fits or (function == "flatten" and any(type(depth) is not int for depth in arguments[1:])):
            raise mismatch(function, arguments, release)
        return implementation(*arguments)

    return call


def guarded(function: str, choices: Sequence[Overload], count: int, release: int) -> Callable[..., Value]:
    """Return one callable for the overloads that take ``count`` arguments, in a server of 1.``release``.

    Static types do not replace it: stored data may have another type, elements may be null or faults, and a value from
    an optional has lost its schema.
    """
    candidates = [
        (tuple(map(fitting, one.arguments)), one.implementation)
        for one in choices
        if one.implementation is not None and len(one.arguments) == count
    ]

    if function in _UNGUARDED and candidates:
        return _for_lists(function, candidates[0][1], release)
    if count == 1:
        return _of_one(function, [(*tests, implementation) for tests, implementation in candidates])
    if count == 2:
        return _of_two(function, [(*tests, implementation) for tests, implementation in candidates])

    def call(*arguments: Value) -> Value:
        for tests, implementation in candidates:
            if all(test(argument) for test, argument in zip(tests, arguments, strict=True)):
                return implementation(*arguments)
        raise mismatch(function, arguments)

    return call


def _of_one(function: str, candidates: list[tuple[Any, ...]]) -> Callable[..., Value]:
    """`guarded` for one argument."""

    def call(one: Value) -> Value:
        for fits, implementation in candidates:
            if fits(one):
                return implementation(one)
        raise mismatch(function, (one,))

    return call


def _of_two(function: str, candidates: list[tuple[Any, ...]]) -> Callable[..., Value]:
    """`guarded` for two arguments."""

    def call(one: Value, two: Value) -> Value:
        for fits_one, fits_two, implementation in candidates:
            if fits_one(one) and fits_two(two):
                return implementation(one, two)
        raise mismatch(function, (one, two))

    return call
