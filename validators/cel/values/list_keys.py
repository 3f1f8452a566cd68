"""The keys of elements in lists of type set and map, made of values as expressions see them.

From Kubernetes 1.37 on, such lists add their elements by these keys, and sets compare them.

Source: apiserver ``pkg/cel/common`` (valuesreflect.go: setElementKey, refValMapKey).
"""

from collections.abc import Hashable
from math import isnan
from typing import Any, Final

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.values.cel_values import CelMap, Fault, Timestamp, Value
from ovnguard.validators.cel.values.json_values import MergedList, Obj, SchemaList, go_type, has_shared_zone, unwrap
from ovnguard.validators.go.text import go_syntax

_NOT_SCALAR: Final = frozenset({list, MergedList, SchemaList, CelMap, Obj})
_MOST_PARTS: Final = 3


def set_key(value: Value) -> Hashable:
    """Return the key of an element of a set. Raises `EvalError` for lists, maps and objects."""
    if type(value) in _NOT_SCALAR:
        raise EvalError("listSet operations are only supported on lists of scalar values")
    return _key(value)


def map_key(value: Value, names: tuple[str, ...]) -> Hashable:
    """Return the key of an element of a list of type map. All elements that are not objects have the same key."""
    parts = [_part(value, name) for name in names]
    if len(parts) > _MOST_PARTS:
        return tuple(map(_printed, parts))
    return tuple(None if type(part) is Fault else _key(part) for part in parts)


def _part(value: Value, name: str) -> Value:
    """Return a part of a key. What is missing or has no value is a `Fault`."""
    if type(value) not in {Obj, CelMap}:
        return Fault("")
    found, part = value.entry(name)
    return part if found else Fault("")


def _printed(part: Value) -> Hashable:
    data = None if type(part) is Fault else unwrap(part)
    return go_syntax(data) if isinstance(data, (bool, int, float, str, list, dict, type(None))) else _key(part)


def _key(value: Value) -> Hashable:
    """Return what Go compares: values of different types differ, and an error or NaN equals nothing."""
    kind = type(value)
    if kind is Fault or (kind is float and isnan(value)):
        return object()
    if kind is Timestamp:
        return (kind, value.nanos, value.offset) if has_shared_zone(value) else object()
    return _data_key(unwrap(value))


def _data_key(data: Any) -> Hashable:
    return ("printed", go_syntax(data)) if type(data) in {dict, list} else (go_type(data), data)
