"""What any two values have to do with each other: type names, equality, order, sums.

Source: cel-go ``common/types``; apiserver ``pkg/cel/common`` for lists and objects under a schema. Where an operand is
of the wrong type the error is always "no such overload".
"""

from collections.abc import Iterator
from typing import Any, Final

from validators.cel import times
from validators.cel.data import Obj, SchemaList, Unknown, hashable, unwrap
from validators.cel.errors import CostExceeded, EvalError
from validators.cel.library.cidr import CIDR
from validators.cel.library.ip import IP
from validators.cel.values import CelMap, Duration, Fault, Optional, Timestamp, TypeValue, UInt, Value

MAX_ELEMENTS: Final = 4_000_000
INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1
UINT_MAX: Final = 2**64 - 1
NUMBERS: Final = frozenset({int, UInt, float})
LISTS: Final = frozenset({list, SchemaList})
MAPS: Final = frozenset({CelMap, Obj})
TYPE_NAMES: Final[dict[type, str]] = {
    bool: "bool",
    int: "int",
    UInt: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    Timestamp: "google.protobuf.Timestamp",
    Duration: "google.protobuf.Duration",
    list: "list",
    SchemaList: "list",
    CelMap: "map",
    Obj: "map",
    TypeValue: "type",
    Optional: "optional_type",
    IP: "net.IP",
    CIDR: "net.CIDR",
    Unknown: "unknown",
}


def no_overload() -> EvalError:
    """The error of a call whose arguments fit no overload."""
    return EvalError("no such overload")


def type_name(value: Value) -> str:
    """The name of the run-time type."""
    return TYPE_NAMES.get(type(value)) or str(getattr(value, "TYPE_NAME", "unknown"))


def checked(value: Value) -> Value:
    """The value, unless it is an element that is none. Raises `EvalError`."""
    if type(value) is Fault:
        raise EvalError(value.text)
    return value


def elements(value: Value) -> Iterator[Value]:
    """The elements of a list or the keys of a map."""
    if type(value) in LISTS or type(value) in MAPS:
        return iter(value)
    raise no_overload()


def int_result(number: int) -> int:
    """An int of 64 bits. Raises `EvalError` beyond."""
    if INT_MIN <= number <= INT_MAX:
        return number
    raise EvalError("integer overflow")


def uint_result(number: int) -> UInt:
    """A uint of 64 bits. Raises `EvalError` beyond."""
    if 0 <= number <= UINT_MAX:
        return UInt(number)
    raise EvalError("unsigned integer overflow")


def equal(one: Value, two: Value) -> bool:
    """CEL equality: numbers across types, other types never equal each other. Raises `EvalError`."""
    first, second = type(one), type(two)
    if first is str or first is bool:
        return first is second and bool(one == two)
    if one is None or two is None:
        return one is two
    if first in NUMBERS:
        return second in NUMBERS and bool(one == two)
    if first in LISTS:
        return _equal_lists(one, two)
    if first in MAPS:
        return _equal_maps(one, two)
    if first is Optional:
        return _equal_optionals(one, two)
    if first is Unknown:
        return same_data(one.raw, unwrap(two))
    return first is second and bool(one == two)


def _equal_optionals(one: Optional, two: Value) -> bool:
    if type(two) is not Optional or one.present != two.present:
        return False
    return not one.present or equal(one.value, two.value)


def _equal_lists(one: Value, two: Value) -> bool:
    if type(two) not in LISTS:
        if type(one) is SchemaList:
            raise no_overload()
        return False
    if len(one) != len(two):
        return False
    if type(one) is SchemaList:
        if one.decl.list_type == "set":
            have = {hashable(raw) for raw in one.raw}
            return all(hashable(unwrap(other)) in have for other in two)
        if one.decl.list_type == "map":
            return _equal_map_lists(one, two)
    return all(equal(checked(left), checked(right)) for left, right in zip(one, two, strict=True))


def _equal_map_lists(one: SchemaList, two: Value) -> bool:
    assert one.decl.element is not None
    mine = {one.key_of(raw): at for at, raw in enumerate(one.raw)}
    for other in two:
        at = mine.get(one.key_of(unwrap(checked(other))))
        if at is None or not equal(one[at], other):
            return False
    return True


def _equal_maps(one: Value, two: Value) -> bool:
    if type(two) not in MAPS:
        if type(one) is Obj:
            raise no_overload()
        return False
    if len(one) != len(two):
        return False
    if type(one) is Obj:
        return all(_equal_entry(one, name, two) for name in one.raw)
    for key in one:
        found, other = two.find(key)
        if not found or not equal(checked(one.find(key)[1]), other):
            return False
    return True


def _equal_entry(one: Obj, name: str, two: Value) -> bool:
    if one.schema_of(name) is None:
        if type(two) is not Obj:
            raise no_overload()
        return name not in two.raw or same_data(one.raw[name], two.raw[name])
    found, value = one.find(name)
    other_found, other = two.find(name)
    if found != other_found:
        return False
    return not found or equal(value, other)


def same_data(one: Any, two: Any) -> bool:
    """Deep equality of decoded JSON with its types."""
    if type(one) is not type(two):
        return False
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same_data(value, two[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(two) and all(map(same_data, one, two))
    return bool(one == two)


def compare(one: Value, two: Value) -> int:
    """-1, 0 or 1. Raises `EvalError` for values without an order between them."""
    first, second = type(one), type(two)
    if first in NUMBERS and second in NUMBERS:
        if one != one or two != two:  # noqa: PLR0124 - NaN is what differs from itself
            raise EvalError("NaN values cannot be ordered")
        return int(one > two) - int(one < two)
    if first is not second:
        raise no_overload()
    if first in {Timestamp, Duration}:
        return int(one.nanos > two.nanos) - int(one.nanos < two.nanos)
    if first is str:
        left, right = one.encode(errors="surrogatepass"), two.encode(errors="surrogatepass")
        return int(left > right) - int(left < right)
    if first in {bool, bytes}:
        return int(one > two) - int(one < two)
    raise no_overload()


def contains(container: Value, wanted: Value) -> bool:
    """``wanted in container``. Raises `EvalError`."""
    if type(container) in MAPS:
        return bool(container.find(wanted)[0])
    if type(container) not in LISTS:
        raise no_overload()
    problem: EvalError | None = None
    for element in container:
        try:
            if equal(checked(element), wanted):
                return True
        except EvalError as fault:
            problem = problem or fault
    if problem is not None:
        raise problem
    return False


def add(one: Value, two: Value) -> Value:
    """``one + two``. Raises `EvalError`."""
    first, second = type(one), type(two)
    if first is int and second is int:
        return int_result(one + two)
    if first is second and first in {str, bytes, float}:
        return one + two
    if first in LISTS and second in LISTS:
        return _joined(one, two)
    if first is UInt and second is UInt:
        return uint_result(int(one) + int(two))
    if first is Duration and second is Duration:
        return times.duration(one.nanos + two.nanos)
    if first is Timestamp and second is Duration:
        return times.timestamp(one.nanos + two.nanos, one.offset)
    if first is Duration and second is Timestamp:
        return times.timestamp(one.nanos + two.nanos, two.offset)
    raise no_overload()


def _joined(one: Value, two: Value) -> Value:
    if len(one) + len(two) > MAX_ELEMENTS:
        raise CostExceeded
    if type(one) is list:
        if not one:
            return two
        return one if len(two) == 0 else [*one, *two]
    kind = one.decl.list_type
    if kind == "set":
        seen = {hashable(raw) for raw in one.raw}
        raws = list(one.raw)
        for raw in map(unwrap, two):
            if hashable(raw) not in seen:
                seen.add(hashable(raw))
                raws.append(raw)
        return SchemaList(raws, one.decl)
    if kind == "map":
        merged = {one.key_of(raw): raw for raw in one.raw}
        merged.update((one.key_of(raw), raw) for raw in map(unwrap, two))
        return SchemaList(list(merged.values()), one.decl)
    return SchemaList([*one.raw, *map(unwrap, two)], one.decl)


def subtract(one: Value, two: Value) -> Value:
    """``one - two``. Raises `EvalError`."""
    first, second = type(one), type(two)
    if first is int and second is int:
        return int_result(one - two)
    if first is float and second is float:
        return one - two
    if first is UInt and second is UInt:
        return uint_result(int(one) - int(two))
    if first is Duration and second is Duration:
        return times.duration(one.nanos - two.nanos)
    if first is Timestamp and second is Timestamp:
        return times.duration(one.nanos - two.nanos)
    if first is Timestamp and second is Duration:
        return times.timestamp(one.nanos - two.nanos, one.offset)
    raise no_overload()
