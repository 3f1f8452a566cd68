"""The run-time cost of a call, in CEL cost units.

Source: cel-go ``interpreter/runtimecost.go``; apiserver ``pkg/cel/library/cost.go``; cel-go ``ext`` for lists and sets.
Sizes of strings count code points. A failed argument counts as one unit of size.
"""

from collections.abc import Callable, Sequence
from math import ceil
from typing import Final, TypeAlias

from ovnguard.validators.cel.types.errors import EvalError, EvaluationPanic
from ovnguard.validators.cel.values.cel_values import Duration, Optional, Timestamp, UInt, Value
from ovnguard.validators.cel.values.json_values import Obj
from ovnguard.validators.cel.values.net_values import CIDR, IP
from ovnguard.validators.cel.values.operations import LISTS, MAPS, go_name

CallCost: TypeAlias = Callable[[Sequence[Value], Value], int]

PER_CALL_LIMIT: Final = 1_000_000
_STRING_FACTOR: Final = 0.1
_REGEX_FACTOR: Final = 0.25
_LIST_CREATE: Final = 10
_LAST_WITH_SHORT_OPTIONALS: Final = 32  # to cel-go 0.22 an optional has the size 1
_LAST_WITH_FREE_QUANTITIES: Final = 29  # whose text is not counted
_LAST_WITH_PLAIN_EQUALITY: Final = 31  # addresses are compared by their bytes
_COUNTS_ENDS_SINCE: Final = 37  # the text that is looked for, not the one that is searched
_CHECK: Final = 350_000  # so that two authorization checks fit in one expression
_REQUIREMENT: Final = 50  # of a selector, whose shortest takes two characters
_SIZED: Final = frozenset({str, bytes, *LISTS, *MAPS})
_WITH_ADDITION: Final = frozenset({int, UInt, float, str, bytes, Duration, Timestamp})


def _go_type(value: Value) -> str:
    return "*types.Err" if isinstance(value, EvalError) else go_name(value)


def size(value: Value) -> int:
    """Return the size of a value: code points, bytes, elements, entries, bytes of an address, or else 1."""
    kind = type(value)
    if kind in _SIZED:
        return len(value)
    if kind is IP:
        return int(value.bits) // 8
    if kind is CIDR:
        return -(-int(value.length) // 8)
    return size(value.value) if kind is Optional and value.present else 1


def scan(amount: int, factor: float = _STRING_FACTOR) -> int:
    """Return the cost of reading so many characters once."""
    return ceil(amount * factor)


def regex(text: int, pattern: int) -> int:
    """Return the cost of matching a text against a pattern, by their numbers of characters."""
    return ceil((1.0 + text) * _STRING_FACTOR) * ceil(pattern * _REGEX_FACTOR)


def traversal(value: Value) -> int:
    """Return the cost of visiting every part of a value. Short strings cost nothing."""
    kind = type(value)
    if kind is str:
        return int(len(value.encode(errors="surrogatepass")) * _STRING_FACTOR)
    if kind is bytes:
        return int(len(value) * _STRING_FACTOR)
    if kind in LISTS:
        return sum(map(traversal, value))
    if kind in MAPS:
        seen = sum(traversal(key) + traversal(value.entry(key)[1]) for key in value)
        return seen + 2 * value.hidden if kind is Obj else seen
    return 1


def _one(_args: Sequence[Value], _result: Value) -> int:
    return 1


def _check(_args: Sequence[Value], _result: Value) -> int:
    return _CHECK


def _selector(args: Sequence[Value], _result: Value) -> int:
    length = size(args[1])
    return _LIST_CREATE + scan(length) + scan(length, 0.5) * _REQUIREMENT


def _first(args: Sequence[Value], _result: Value) -> int:
    return scan(size(args[0]))


def _second(args: Sequence[Value], _result: Value) -> int:
    return scan(size(args[1]))


def _first_twice(args: Sequence[Value], _result: Value) -> int:
    return ceil(size(args[0]) * 2 * _STRING_FACTOR)


def _second_scan(args: Sequence[Value], _result: Value) -> int:
    return size(args[1])


def _smaller(args: Sequence[Value], _result: Value) -> int:
    return ceil(min(size(args[0]), size(args[1])) * _STRING_FACTOR)


def _both(args: Sequence[Value], _result: Value) -> int:
    return scan(size(args[0]) + size(args[1]))


def _substring(args: Sequence[Value], _result: Value) -> int:
    return scan(size(args[0])) * scan(size(args[1]))


def _regex(args: Sequence[Value], _result: Value) -> int:
    return regex(size(args[0]), size(args[1]))


def _traversal(args: Sequence[Value], _result: Value) -> int:
    return traversal(args[0])


def _join(_args: Sequence[Value], result: Value) -> int:
    return ceil(size(result) * 2 * _STRING_FACTOR)


def _contains_ip(args: Sequence[Value], _result: Value) -> int:
    return scan(2 * size(args[0]))


def _contains_ip_string(args: Sequence[Value], _result: Value) -> int:
    return scan(2 * size(args[0])) + scan(size(args[1]))


def _contains_cidr(args: Sequence[Value], _result: Value) -> int:
    return scan(2 * size(args[0])) + scan(size(args[0])) + 1


def _contains_cidr_string(args: Sequence[Value], result: Value) -> int:
    return _contains_cidr(args, result) + scan(size(args[1]))


def _format(args: Sequence[Value], _result: Value) -> int:
    pattern = getattr(args[0], "max_regex_size", 0)
    return regex(size(args[1]), pattern)


def _equals(args: Sequence[Value], result: Value) -> int:
    kind = type(args[0])
    opaque = kind not in _SIZED and (kind is IP or kind is CIDR or hasattr(kind, "TYPE_NAME"))
    return 1 if opaque else _smaller(args, result)


def _older_smaller(args: Sequence[Value], _result: Value) -> int:
    return scan(min(1 if type(one) is Optional else size(one) for one in args))


def _older_equals(args: Sequence[Value], result: Value) -> int:
    return _older_smaller(args, result) if Optional in map(type, args) else _equals(args, result)


def _list_result(_args: Sequence[Value], result: Value) -> int:
    return _allocated(1.0, size(result))


def _flatten(args: Sequence[Value], _result: Value) -> int:
    if len(args) == 2 and type(args[1]) is not int:
        raise EvaluationPanic(f"interface conversion: ref.Val is {_go_type(args[1])}, not types.Int")
    depth = float(args[1]) if len(args) == 2 else 1.0
    return _allocated(depth, size(args[0]))


def _flatten_counted(args: Sequence[Value], result: Value) -> int:
    if len(args) == 2 and type(args[1]) is int and args[1] < 0:
        return _allocated(1.0, size(args[0]))
    return _flatten(args, result)


def _allocated(factor: float, amount: int) -> int:
    return int(amount * factor) + 1 + _LIST_CREATE


def _self_compare(keys: Value) -> int:
    if type(keys) not in LISTS:
        missing = "Contains" if type(keys) in _WITH_ADDITION else "Add"
        raise EvaluationPanic(f"interface conversion: {_go_type(keys)} is not traits.Lister: missing method {missing}")
    amount = size(keys)
    strings = amount > 0 and type(next(iter(keys))) in {str, bytes}
    return _allocated(2.0 + (_STRING_FACTOR if strings else 0.0), amount * amount)


def _sort(args: Sequence[Value], _result: Value) -> int:
    return _self_compare(args[0])


def _sort_by(args: Sequence[Value], _result: Value) -> int:
    return _self_compare(args[1])


def _sets(factor: float) -> CallCost:
    def cost(args: Sequence[Value], _result: Value) -> int:
        return 1 + int(size(args[0]) * size(args[1]) * factor)

    return cost


_BY_OVERLOAD: Final[dict[str, CallCost]] = {
    "cidr_contains_ip_string": _contains_ip_string,
    "cidr_contains_cidr_string": _contains_cidr_string,
    "cidr_ip": _one,
    "list_slice": _list_result,
    "lists_range": _list_result,
    "list_reverse": _list_result,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "list_distinct": _sort,
    "list_sets_contains_list": _sets(1.0),
    "list_sets_intersects_list": _sets(1.0),
    "list_sets_equivalent_list": _sets(2.0),
}
_STANDARD: Final[dict[str, CallCost]] = {
    "starts_with_string": _first,
    "ends_with_string": _first,
    "string_to_bytes": _first,
    "bytes_to_string": _first,
    "strings_quote": _first,
    "string_format": _first,
    "in_list": _second_scan,
    "add_string": _both,
    "add_bytes": _both,
    "matches_string": _regex,
    "contains_string": _substring,
    **{
        f"{order}{kind}": _smaller
        for order in ("less_", "greater_", "less_equals_", "greater_equals_")
        for kind in ("string", "bytes")
    },
}
_NEWER: Final[dict[str, CallCost]] = {
    "starts_with_string": _second,
    "ends_with_string": _second,
    "matches": _regex,
    "list_flatten_int": _flatten_counted,
}
_BY_FUNCTION: Final[dict[str, CallCost]] = {
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"), _traversal),
    **dict.fromkeys(("url", "lowerAscii", "upperAscii", "substring", "trim"), _first),
    **dict.fromkeys(("replace", "split", "ip.isCanonical"), _first_twice),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver"), _first),
    **dict.fromkeys(("find", "findAll"), _regex),
    "check": _check,
    **dict.fromkeys(("fieldSelector", "labelSelector"), _selector),
    "join": _join,
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "validate": _format,
    "_==_": _equals,
    "_!=_": _smaller,
}


def call_cost(function: str, overload_id: str, release: int) -> CallCost:
    """Return the cost of a call in a server of ``release``. ``overload_id`` is "" if it is only known at run time."""
    if release <= _LAST_WITH_SHORT_OPTIONALS and function in {"_==_", "_!=_"}:
        plain = function == "_!=_" or release <= _LAST_WITH_PLAIN_EQUALITY
        return _older_smaller if plain else _older_equals
    if release <= _LAST_WITH_FREE_QUANTITIES and function in {"quantity", "isQuantity"}:
        return _one
    if release >= _COUNTS_ENDS_SINCE and overload_id in _NEWER:
        return _NEWER[overload_id]
    if overload_id in _BY_OVERLOAD:
        return _BY_OVERLOAD[overload_id]
    if overload_id.endswith("_sort"):
        return _sort
    if overload_id.endswith("_sortByAssociatedKeys"):
        return _sort_by
    return _BY_FUNCTION.get(function) or _STANDARD.get(overload_id, _one)
