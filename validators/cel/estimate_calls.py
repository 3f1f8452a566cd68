"""Estimated costs of calls, function by function.

Source: cel-go ``checker/cost.go`` and ``ext``; apiserver ``pkg/cel/library/cost.go``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final, TypeAlias

from validators.cel.sizes import MAX, ONE, UNKNOWN, ZERO, Range, fixed
from validators.cel.types import Type

_STRING: Final = 0.1
_REGEX: Final = 0.25
_FORMAT_REGEX: Final = 128
_ADDRESS: Final = Range(4, 16)
_LIST_CREATE: Final = fixed(10)
_OPAQUE_EQUAL: Final = frozenset(
    {
        "net.IP",
        "net.CIDR",
        "kubernetes.Quantity",
        "kubernetes.Semver",
        *(f"kubernetes.authorization.{name}" for name in ("Authorizer", "PathCheck", "GroupCheck")),
        *(f"kubernetes.authorization.{name}" for name in ("ResourceCheck", "Decision")),
    }
)


@dataclass(frozen=True, slots=True)
class Argument:
    """What is known of an argument: type, size, place in the data, and the constant it is (if it is one)."""

    type: Type
    size: Range | None
    place: tuple[str, ...] = ()
    literal: object = None

    @property
    def known(self) -> Range:
        """The size, or the largest range."""
        return self.size or UNKNOWN


ElementSize: TypeAlias = Callable[[Argument], tuple[Type, Range] | None]
Estimate: TypeAlias = tuple[Range, Range | None]
_Estimator: TypeAlias = Callable[[str, Argument | None, Sequence[Argument], ElementSize], Estimate | None]


def call_estimate(
    function: str, overload: str, target: Argument | None, args: Sequence[Argument], elements: ElementSize
) -> Estimate:
    """Cost without that of the arguments, and the size of the result if it is known."""
    found = _ext(overload, target, args)
    if found is None and function in _BY_FUNCTION:
        found = _BY_FUNCTION[function](overload, target, args, elements)
    if found is None and overload in _BY_OVERLOAD:
        found = _BY_OVERLOAD[overload](overload, target, args, elements)
    return (ONE, None) if found is None else found


def _one(_overload: str, _target: Argument | None, _args: Sequence[Argument], _elements: ElementSize) -> Estimate:
    return ONE, None


def _constant(cost: int) -> _Estimator:
    return lambda _overload, _target, _args, _elements: (fixed(cost), None)


def _first(factor: float, *, sized: bool = False) -> _Estimator:
    """Reading the first argument of a global function."""

    def run(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
        if not args:
            return None
        return args[0].known.scaled(factor), args[0].known if sized else None

    return run


def _receiver(factor: float, *, sized: bool = False) -> _Estimator:
    """Reading the receiver."""

    def run(_o: str, target: Argument | None, _a: Sequence[Argument], _e: ElementSize) -> Estimate | None:
        if target is None:
            return None
        return target.known.scaled(factor), target.known if sized else None

    return run


def _traversal(_o: str, target: Argument | None, _a: Sequence[Argument], elements: ElementSize) -> Estimate | None:
    if target is None:
        return None
    found = elements(target)
    if found is None:
        return target.known.scaled(_STRING), None
    held, size = found
    each = ONE + size.scaled(_STRING) if held.kind in {"string", "bytes"} else ONE
    return target.known * each, None


def _split(_o: str, target: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    if target is None:
        return None
    most = target.known.max
    if len(args) > 1 and type(args[1].literal) is int:
        most = args[1].literal % (MAX + 1)
    return target.known.scaled(2 * _STRING), Range(0, most)


def _replace(_o: str, target: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    if target is None or len(args) < 2:
        return None
    size, old, new = target.known, args[0].known, args[1].known
    count_max, kept_max = _replaced(size.max, old.min, grows=new.max > old.min)
    count_min, kept_min = _replaced(size.min, old.max, grows=new.min < old.max)
    result = Range(count_min, count_max) * new + Range(kept_min, kept_max)
    return size.scaled(2 * _STRING), result


def _replaced(size: int, old: int, *, grows: bool) -> tuple[int, int]:
    """How often something of length ``old`` may be replaced, and how much then stays besides."""
    if old == 0:
        return min(size + 1, MAX), size
    if not grows:
        return 0, size
    return ceil(float(size) / float(old)), 0


def _join(_o: str, target: Argument | None, args: Sequence[Argument], elements: ElementSize) -> Estimate | None:
    if target is None:
        return None
    size = ZERO
    found = elements(target)
    if found is not None:
        size = target.known * found[1]
    if args:
        between = Range(max(target.known.min - 1, 0), max(target.known.max - 1, 0))
        size += args[0].known * between
    return size.scaled(_STRING), size


def _find(_o: str, target: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    if target is None or not args:
        return None
    return _regex_cost(target.known, args[0].known), Range(0, target.known.max)


def _regex_cost(text: Range, pattern: Range) -> Range:
    return (text + ONE).scaled(_STRING) * pattern.scaled(_REGEX)


def _ip(overload: str, target: Argument | None, args: Sequence[Argument], elements: ElementSize) -> Estimate | None:
    return (ONE, None) if overload == "cidr_ip" else _first(_STRING)(overload, target, args, elements)


def _contains_ip(overload: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    cost = (_ADDRESS + _ADDRESS).scaled(_STRING)
    if overload == "cidr_contains_ip_string":
        cost += args[0].known.scaled(_STRING)
    return cost, None


def _contains_cidr(overload: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    cost = (_ADDRESS + _ADDRESS).scaled(_STRING) + _ADDRESS.scaled(_STRING) + ONE
    if overload == "cidr_contains_cidr_string":
        cost += args[0].known.scaled(_STRING)
    return cost, None


def _validate(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    return (args[0].known.scaled(_STRING).scaled(_FORMAT_REGEX * _REGEX), None) if args else None


def _selector(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    if len(args) != 1:
        return None
    length = args[0].known
    return _LIST_CREATE + length.scaled(_STRING) + length.scaled(0.5).scaled(50), None


def _equals(overload: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    one, two = args
    if overload == "equals" and one.type == two.type and one.type.kind in {"opaque", "struct"}:
        if one.type.name in _OPAQUE_EQUAL:
            return ONE, None
        if one.type.name == "kubernetes.NamedFormat":
            return Range(1, 64).scaled(_STRING), None
        if one.type.name == "kubernetes.URL":
            return Range(1, 1 if two.size is None else two.size.max).scaled(_STRING), None
    return _smaller(overload, None, args, _e)


def _smaller(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    most = min(args[0].known.max, args[1].known.max)
    return Range(min(most, 1), most).scaled(_STRING), None


def _in_list(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    return args[1].known.scaled(1), None


def _matches(_o: str, target: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    return None if target is None else (_regex_cost(target.known, args[0].known), None)


def _contains(_o: str, target: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    return None if target is None else (target.known.scaled(_STRING) * args[0].known.scaled(_STRING), None)


def _format(_o: str, target: Argument | None, _a: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    return None if target is None else (target.known.scaled(_STRING), None)


def _to_bytes(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    size = args[0].known
    return size.scaled(_STRING), Range(size.min, size.max * 4 % (MAX + 1))


def _to_string(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    size = args[0].known
    return size.scaled(_STRING), Range(size.min // 4, size.max)


def _quote(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    size = args[0].known
    return size.scaled(_STRING), Range((size.min + 2) % (MAX + 1), (size.max * 2 + 2) % (MAX + 1))


def _integer(argument: Argument, otherwise: int) -> int:
    return max(argument.literal, 0) if type(argument.literal) is int else otherwise


def _allocating(factor: float, size: Range) -> Estimate:
    return size.scaled(factor) + ONE + _LIST_CREATE, size


def _ext(overload: str, target: Argument | None, args: Sequence[Argument]) -> Estimate | None:
    """Functions of cel-go's own libraries, which estimate themselves."""
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
        return _allocating(2.0 + (_STRING if strings else 0.0), keys * keys)
    return None


_BY_FUNCTION: Final[dict[str, _Estimator]] = {
    "check": _constant(350_000),
    **dict.fromkeys(("serviceAccount", "path", "group", "resource", "subresource", "namespace", "name"), _one),
    **dict.fromkeys(("allowed", "reason", "error", "errored"), _one),
    **dict.fromkeys(("fieldSelector", "labelSelector"), _selector),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _traversal),
    "url": _first(_STRING, sized=True),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _receiver(_STRING, sized=True)),
    "replace": _replace,
    "split": _split,
    "join": _join,
    **dict.fromkeys(("find", "findAll"), _find),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"), _first(_STRING)),
    "ip": _ip,
    "ip.isCanonical": _first(2 * _STRING),
    **dict.fromkeys(("masked", "prefixLength", "family", "isUnspecified", "isLoopback"), _one),
    **dict.fromkeys(("isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast", "format.named"), _one),
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "validate": _validate,
    **dict.fromkeys(("sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan"), _one),
    **dict.fromkeys(("compareTo", "add", "sub", "major", "minor", "patch"), _one),
    **dict.fromkeys(("getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"), _one),
    "_==_": _equals,
    "_!=_": _smaller,
}
_BY_OVERLOAD: Final[dict[str, _Estimator]] = {
    "string_format": _format,
    "string_to_bytes": _to_bytes,
    "bytes_to_string": _to_string,
    "strings_quote": _quote,
    "starts_with_string": _first(_STRING),
    "ends_with_string": _first(_STRING),
    "in_list": _in_list,
    "matches_string": _matches,
    "contains_string": _contains,
    **{
        f"{order}{kind}": _smaller
        for order in ("less_", "greater_", "less_equals_", "greater_equals_")
        for kind in ("string", "bytes")
    },
}
