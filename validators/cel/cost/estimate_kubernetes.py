"""Cost estimates of the API server's functions.

Source: apiserver ``pkg/cel/library/cost.go``.
"""

from collections.abc import Sequence
from math import ceil
from typing import Final

from ovnguard.validators.cel.cost.estimate_argument import (
    REGEX,
    STRING,
    Argument,
    ElementSize,
    Estimate,
    Estimator,
    constant,
    first,
    one,
    receiver,
    regex_cost,
    smaller,
)
from ovnguard.validators.cel.cost.ranges import MAX, ONE, ZERO, Range, fixed

__FORMAT_REGEX: Final = 128
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


def _traversal(_o: str, target: Argument | None, _a: Sequence[Argument], elements: ElementSize) -> Estimate | None:
    if target is None:
        return None
    found = elements(target)
    if found is None:
        return target.known.scaled(STRING), None
    held, size = found
    each = ONE + size.scaled(STRING) if held.kind in {"string", "bytes"} else ONE
    return target.known * each, None


def _includes(overload: str, target: Argument | None, args: Sequence[Argument], held: ElementSize) -> Estimate | None:
    if target is not None and held(target) is None:
        return target.known, None
    return _traversal(overload, target, args, held)


def _split(_o: str, target: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    if target is None:
        return None
    most = target.known.max
    if len(args) > 1 and type(args[1].literal) is int:
        most = args[1].literal % (MAX + 1)
    return target.known.scaled(2 * STRING), Range(0, most)


def _replace(_o: str, target: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    if target is None or len(args) < 2:
        return None
    size, old, new = target.known, args[0].known, args[1].known
    count_max, kept_max = _replaced(size.max, old.min, grows=new.max > old.min)
    count_min, kept_min = _replaced(size.min, old.max, grows=new.min < old.max)
    result = Range(count_min, count_max) * new + Range(kept_min, kept_max)
    return size.scaled(2 * STRING), result


def _replaced(size: int, old: int, *, grows: bool) -> tuple[int, int]:
    """Return how often a text of length ``old`` may be replaced, and how much then remains unchanged."""
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
    return size.scaled(STRING), size


def _find(_o: str, target: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    if target is None or not args:
        return None
    return regex_cost(target.known, args[0].known), Range(0, target.known.max)


def _ip(overload: str, target: Argument | None, args: Sequence[Argument], elements: ElementSize) -> Estimate | None:
    return (ONE, None) if overload == "cidr_ip" else first(STRING)(overload, target, args, elements)


def _contains_ip(overload: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    cost = (_ADDRESS + _ADDRESS).scaled(STRING)
    if overload == "cidr_contains_ip_string":
        cost += args[0].known.scaled(STRING)
    return cost, None


def _contains_cidr(overload: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    cost = (_ADDRESS + _ADDRESS).scaled(STRING) + _ADDRESS.scaled(STRING) + ONE
    if overload == "cidr_contains_cidr_string":
        cost += args[0].known.scaled(STRING)
    return cost, None


def _validate(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    return (args[0].known.scaled(STRING).scaled(__FORMAT_REGEX * REGEX), None) if args else None


def _selector(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
    if len(args) != 1:
        return None
    length = args[0].known
    return _LIST_CREATE + length.scaled(STRING) + length.scaled(0.5).scaled(50), None


def _equals(overload: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    one, two = args
    if overload == "equals" and one.type == two.type and one.type.kind in {"opaque", "struct"}:
        if one.type.name in _OPAQUE_EQUAL:
            return ONE, None
        if one.type.name == "kubernetes.NamedFormat":
            return Range(1, 64).scaled(STRING), None
        if one.type.name == "kubernetes.URL":
            return Range(1, 1 if two.size is None else two.size.max).scaled(STRING), None
    return smaller(overload, None, args, _e)


BY_FUNCTION: Final[dict[str, Estimator]] = {
    "check": constant(350_000),
    **dict.fromkeys(("serviceAccount", "path", "group", "resource", "subresource", "namespace", "name"), one),
    **dict.fromkeys(("allowed", "reason", "error", "errored"), one),
    **dict.fromkeys(("fieldSelector", "labelSelector"), _selector),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _traversal),
    "includes": _includes,
    "url": first(STRING, sized=True),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), receiver(STRING, sized=True)),
    "replace": _replace,
    "split": _split,
    "join": _join,
    **dict.fromkeys(("find", "findAll"), _find),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"), first(STRING)),
    "ip": _ip,
    "ip.isCanonical": first(2 * STRING),
    **dict.fromkeys(("masked", "prefixLength", "family", "isUnspecified", "isLoopback"), one),
    **dict.fromkeys(("isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast", "format.named"), one),
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "validate": _validate,
    **dict.fromkeys(("sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan"), one),
    **dict.fromkeys(("compareTo", "add", "sub", "major", "minor", "patch"), one),
    **dict.fromkeys(("getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"), one),
    "_==_": _equals,
    "_!=_": smaller,
}
