"""Library ``lists`` of Kubernetes: order, sums and indexes of lists.

Source: Kubernetes documentation, "CEL in Kubernetes", "Kubernetes list library".
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values import time_values
from ovnguard.validators.cel.values.cel_values import UInt, Value
from ovnguard.validators.cel.values.equality import same
from ovnguard.validators.cel.values.operations import LISTS, add, compare, no_fault, no_overload, type_name

COMPARABLE: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_COMPARABLE_NAMES: Final = frozenset(
    {
        *("int", "uint", "double", "bool", "string", "bytes"),
        *("google.protobuf.Duration", "google.protobuf.Timestamp"),
    }
)
_ZEROS: Final[dict[str, Callable[[], Value]]] = {
    "int": lambda: 0,
    "uint": lambda: UInt(0),
    "double": lambda: 0.0,
    "duration": lambda: time_values.duration(0),
}


def is_sorted(values: Value) -> bool:
    """``list.isSorted()``. Raises `EvalError` for values without an order."""
    return all(_order(one, two) <= 0 for one, two in pairwise(map(_comparable, values)))


def _comparable(value: Value) -> Value:
    if type_name(no_fault(value)) not in _COMPARABLE_NAMES:
        raise no_overload()
    return value


def _order(one: Value, two: Value) -> int:
    """As `compare`, but values of different types count as equal, as they do on the server."""
    try:
        return compare(one, two)
    except EvalError:
        return 0


def _sum(zero: Callable[[], Value]) -> Callable[[Value], Value]:
    def total(values: Value) -> Value:
        result = zero()
        for one in values:
            result = add(result, no_fault(one))
        return result

    return total


def _best(name: str, worse: int) -> Callable[[Value], Value]:
    def best(values: Value) -> Value:
        result: Value = None
        empty = True
        for one in map(_comparable, values):
            if empty or _order(result, one) == worse:
                result, empty = one, False
        if empty:
            raise EvalError(f"{name} called on empty list")
        return result

    return best


def equal(one: Value, two: Value) -> bool:
    """Return whether two values are equal; an error in a comparison counts as no."""
    try:
        return same(one, two)
    except EvalError:
        return False


def index_of(values: Value, wanted: Value) -> int:
    """``list.indexOf(x)``, -1 if there is none."""
    return next((at for at, one in enumerate(values) if equal(one, wanted)), -1)


def last_index_of(values: Value, wanted: Value) -> int:
    """``list.lastIndexOf(x)``, -1 if there is none."""
    return max((at for at, one in enumerate(values) if equal(one, wanted)), default=-1)


def includes(target: Value, wanted: Value) -> bool:
    """``target.includes(x)``: whether a list has such an element, or another value is equal to it."""
    if type(target) in LISTS:
        return any(equal(one, wanted) for one in target)
    return equal(target, wanted)


def includes_declarations() -> list[Overload]:
    """Return what version 1 of the library added."""
    return [overload("list_includes_dyn_dyn", "dyn.includes(dyn) -> bool", includes)]


def declarations() -> list[Overload]:
    """All overloads of this library."""
    least, most = _best("min", 1), _best("max", -1)
    made = []
    for kind in COMPARABLE:
        made.append(overload(f"list_{kind}_is_sorted_bool", f"list({kind}).isSorted() -> bool", is_sorted))
        made.append(overload(f"list_{kind}_max_{kind}", f"list({kind}).max() -> {kind}", most))
        made.append(overload(f"list_{kind}_min_{kind}", f"list({kind}).min() -> {kind}", least))
    for kind, zero in _ZEROS.items():
        made.append(overload(f"list_{kind}_sum_{kind}", f"list({kind}).sum() -> {kind}", _sum(zero)))
    return [
        *made,
        overload("list_a_index_of_int", "list(A).indexOf(A) -> int", index_of),
        overload("list_a_last_index_of_int", "list(A).lastIndexOf(A) -> int", last_index_of),
    ]
