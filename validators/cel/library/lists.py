"""Library ``lists`` of cel-go, version 3, and the helper of two-variable comprehensions that build maps.

Source: cel-go ``ext/lists.go``, ``ext/comprehensions.go``.
"""

from functools import cmp_to_key
from typing import Final

from ovnguard.validators.cel.library.k8s_lists import COMPARABLE, equal
from ovnguard.validators.cel.types.errors import CostExceeded, EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values.cel_values import Value
from ovnguard.validators.cel.values.operations import LISTS, compare, type_name

MAX_RANGE: Final = 10_000_000
_RUNTIME_NAMES: Final = {"duration": "google.protobuf.Duration", "timestamp": "google.protobuf.Timestamp"}


def slice_of(values: Value, start: int, end: int) -> list[Value]:
    """``list.slice(start, end)``. Raises `EvalError`."""
    lead = f"cannot slice({start}, {end}), "
    if start < 0 or end < 0:
        raise EvalError(f"{lead}negative indexes not supported")
    if start > end:
        raise EvalError(f"{lead}start index must be less than or equal to end index")
    if len(values) < end:
        raise EvalError(f"{lead}list is length {len(values)}")
    return [values[at] for at in range(start, end)]


def flatten(values: Value, depth: int = 1) -> list[Value]:
    """``list.flatten(depth)``. Raises `EvalError`."""
    if depth < 0:
        raise EvalError("level must be non-negative")
    made: list[Value] = []
    for one in values:
        if type(one) in LISTS and depth > 0:
            made.extend(flatten(one, depth - 1))
        else:
            made.append(one)
    return made


def sort(values: Value) -> Value:
    """``list.sort()``. Raises `EvalError` for mixed types and values without an order."""
    return sort_by(values, values)


def sort_by(values: Value, keys: Value) -> Value:
    """Return the values in the order of their keys."""
    if len(values) != len(keys):
        raise EvalError(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got "
            f"{len(values)} and {len(keys)} elements respectively"
        )
    if len(values) == 0:
        return values
    found = list(keys)
    if type_name(found[0]) not in {_RUNTIME_NAMES.get(kind, kind) for kind in COMPARABLE}:
        raise EvalError("list elements must be comparable")
    if len({type_name(key) for key in found}) > 1:
        raise EvalError("list elements must have the same type")
    by_key = cmp_to_key(compare)
    return [values[at] for at in sorted(range(len(found)), key=lambda at: by_key(found[at]))]


def distinct(values: Value) -> Value:
    """``list.distinct()``: the first of each group of equal values."""
    if len(values) == 0:
        return values
    made: list[Value] = []
    for one in values:
        if not any(equal(one, seen) for seen in made):
            made.append(one)
    return made


def reverse(values: Value) -> list[Value]:
    """``list.reverse()``."""
    return [values[at] for at in range(len(values) - 1, -1, -1)]


def range_of(count: int) -> list[Value]:
    """``lists.range(n)``. Raises `CostExceeded` far above what one call may cost."""
    if count > MAX_RANGE:
        raise CostExceeded
    return list(range(max(count, 0)))


def declarations() -> list[Overload]:
    """All overloads of this library."""
    made = [
        overload("list_slice", "list(T).slice(int, int) -> list(T)", slice_of),
        overload("list_flatten", "list(list(T)).flatten() -> list(T)", flatten),
        overload("list_flatten_int", "list(dyn).flatten(int) -> list(dyn)", flatten),
        overload("lists_range", ":lists.range(int) -> list(int)", range_of),
        overload("list_reverse", "list(T).reverse() -> list(T)", reverse),
        overload("list_distinct", "list(T).distinct() -> list(T)", distinct),
    ]
    for kind in COMPARABLE:
        name = _RUNTIME_NAMES.get(kind, kind)
        made.append(overload(f"list_{name}_sort", f"list({kind}).sort() -> list({kind})", sort))
        sorting = f"list(T).@sortByAssociatedKeys(list({kind})) -> list(T)"
        made.append(overload(f"list_{name}_sortByAssociatedKeys", sorting, sort_by))
    return made


def map_insert_declarations() -> list[Overload]:
    """Return the helper of ``transformMap`` and ``transformMapEntry``."""
    return [
        overload("@mapInsert_map_key_value", ":cel.@mapInsert(map(K, V), K, V) -> map(K, V)", None),
        overload("@mapInsert_map_map", ":cel.@mapInsert(map(K, V), map(K, V)) -> map(K, V)", None),
    ]
