"""Cost estimates of cel-go's own functions: standard library and extensions.

Source: cel-go ``checker/cost.go`` and ``ext``.
"""

from collections.abc import Sequence
from typing import Final

from ovnguard.validators.cel.cost.estimate_argument import (
    STRING,
    Argument,
    ElementSize,
    Estimate,
    Estimator,
    first,
    regex_cost,
    smaller,
)
from ovnguard.validators.cel.cost.ranges import MAX, ONE, Range, fixed

_LIST_CREATE: Final = fixed(10)


def _in_list(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    return args[1].known.scaled(1), None


def _matches(_o: str, target: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    return None if target is None else (regex_cost(target.known, args[0].known), None)


def _contains(_o: str, target: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    return None if target is None else (target.known.scaled(STRING) * args[0].known.scaled(STRING), None)


def _format(_o: str, target: Argument | None, _a: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    return None if target is None else (target.known.scaled(STRING), None)


def _to_bytes(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    size = args[0].known
    return size.scaled(STRING), Range(size.min, size.max * 4 % (MAX + 1))


def _to_string(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    size = args[0].known
    return size.scaled(STRING), Range(size.min // 4, size.max)


def _quote(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    size = args[0].known
    return size.scaled(STRING), Range((size.min + 2) % (MAX + 1), (size.max * 2 + 2) % (MAX + 1))


def _integer(argument: Argument, otherwise: int) -> int:
    return max(argument.literal, 0) if type(argument.literal) is int else otherwise


def _allocating(factor: float, size: Range) -> Estimate:
    return size.scaled(factor) + ONE + _LIST_CREATE, size


def extension(overload: str, target: Argument | None, args: Sequence[Argument]) -> Estimate | None:
    """Return the estimate of a function of cel-go's libraries that defines its own."""
    if overload in {"list_sets_contains_list", "list_sets_intersects_list", "list_sets_equivalent_list"}:
        factor = 2.0 if overload == "list_sets_equivalent_list" else 1.0
        return (args[0].known * args[1].known).scaled(factor) + ONE, None
    if overload == "lists_range":
        return _allocating(1, fixed(_integer(args[0], MAX)))
    if target is None:
        return None
    size = target.known
    if overload == "list_slice":
        end = _integer(args[1], size.max)
        return _allocating(1, fixed((end - _integer(args[0], 0)) % (MAX + 1)))
    if overload == "list_reverse":
        return _allocating(1, size)
    if overload in {"list_flatten", "list_flatten_int"}:
        return _allocating(float(_integer(args[0], MAX) if args else 1), size)
    if overload == "list_distinct":
        return _allocating(2.0, size * size)
    if overload.endswith(("_sort", "_sortByAssociatedKeys")):
        keys = args[0].known if args else size
        strings = overload.startswith(("list_string_", "list_bytes_"))
        return _allocating(2.0 + (STRING if strings else 0.0), keys * keys)
    return None


BY_OVERLOAD: Final[dict[str, Estimator]] = {
    "string_format": _format,
    "string_to_bytes": _to_bytes,
    "bytes_to_string": _to_string,
    "strings_quote": _quote,
    "starts_with_string": first(STRING),
    "ends_with_string": first(STRING),
    "in_list": _in_list,
    "matches_string": _matches,
    "contains_string": _contains,
    **{
        f"{order}{kind}": smaller
        for order in ("less_", "greater_", "less_equals_", "greater_equals_")
        for kind in ("string", "bytes")
    },
}
