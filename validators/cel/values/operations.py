"""Operations on any two values: type names, order, membership, sums, differences.

Source: cel-go ``common/types``; apiserver ``pkg/cel/common`` for lists and objects under a schema. If an operand has
the wrong type, the error is always "no such overload".
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ovnguard.validators.cel.types.errors import CostExceeded, EvalError
from ovnguard.validators.cel.values import time_values
from ovnguard.validators.cel.values.cel_values import (
    CelMap,
    Duration,
    Fault,
    Optional,
    Timestamp,
    TypeValue,
    UInt,
    Value,
)
from ovnguard.validators.cel.values.equality import LISTS, MAPS, NUMBERS, equal, float_beside, no_overload, same
from ovnguard.validators.cel.values.json_values import MergedList, Obj, SchemaList, Unknown, appended, hashable
from ovnguard.validators.cel.values.list_keys import map_key, set_key
from ovnguard.validators.cel.values.net_values import CIDR, IP

__all__ = ["LISTS", "MAPS", "NUMBERS", "equal", "no_overload"]

MAX_ELEMENTS: Final = 4_000_000
INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1
UINT_MAX: Final = 2**64 - 1
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
    MergedList: "list",
    CelMap: "map",
    Obj: "map",
    TypeValue: "type",
    Optional: "optional_type",
    IP: "net.IP",
    CIDR: "net.CIDR",
    Unknown: "unknown",
    Fault: "error",
}


_GO_NAMES: Final = {
    bool: "types.Bool",
    int: "types.Int",
    UInt: "types.Uint",
    float: "types.Double",
    str: "types.String",
    bytes: "types.Bytes",
    type(None): "types.Null",
    Duration: "types.Duration",
    Timestamp: "types.Timestamp",
    TypeValue: "*types.Type",
    Optional: "*types.Optional",
    list: "*types.baseList",
    CelMap: "*types.baseMap",
    SchemaList: "*common.unstructuredList",
    MergedList: "*common.refValSetList",
    Obj: "*common.unstructuredMap",
}


def type_name(value: Value) -> str:
    """Return the name of the run-time type."""
    return TYPE_NAMES.get(type(value)) or str(getattr(value, "TYPE_NAME", "unknown"))


def go_name(value: Value) -> str:
    """Return Go's name for the type of a value, as its panics print it."""
    return _GO_NAMES.get(type(value)) or f"cel.{type_name(value).rpartition('.')[2].removeprefix('Named')}"


def no_fault(value: Value) -> Value:
    """Return the value. Raises `EvalError` if it is a fault."""
    if type(value) is Fault:
        raise EvalError(value.text)
    return value


def elements(value: Value) -> Iterator[Value]:
    """Iterate over the elements of a list or the keys of a map."""
    if type(value) in LISTS or type(value) in MAPS:
        return iter(value)
    raise no_overload()


def int_result(number: int) -> int:
    """Return an int of 64 bits. Raises `EvalError` on overflow."""
    if INT_MIN <= number <= INT_MAX:
        return number
    raise EvalError("integer overflow")


def uint_result(number: int) -> UInt:
    """Return a uint of 64 bits. Raises `EvalError` on overflow."""
    if 0 <= number <= UINT_MAX:
        return UInt(number)
    raise EvalError("unsigned integer overflow")


def compare(one: Value, two: Value) -> int:
    """Return -1, 0 or 1. Raises `EvalError` for values without an order between them."""
    first, second = type(one), type(two)
    if first in NUMBERS and second in NUMBERS:
        if one != one or two != two:  # noqa: PLR0124 - NaN is what differs from itself
            raise EvalError("NaN values cannot be ordered")
        left, right = float_beside(one, two), float_beside(two, one)
        return int(left > right) - int(left < right)
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
    """Return ``wanted in container``. Raises `EvalError`."""
    if type(container) in MAPS:
        return bool(container.find(wanted)[0])
    if type(container) not in LISTS:
        raise no_overload()
    if type(container) is SchemaList:
        no_fault(wanted)
    problem: EvalError | None = None
    for element in container:
        try:
            if same(element, wanted) if type(container) is SchemaList else same(wanted, element):
                return True
        except EvalError as fault:
            problem = problem or fault
    # A list that an expression made ignores elements that cannot be compared.
    if problem is not None and type(container) is SchemaList:
        raise problem
    return False


def add(one: Value, two: Value) -> Value:
    """Return ``one + two``. Raises `EvalError`."""
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
        return time_values.duration(one.nanos + two.nanos)
    if first is Timestamp and second is Duration:
        return time_values.timestamp(one.nanos + two.nanos, one.offset)
    if first is Duration and second is Timestamp:
        return time_values.timestamp(one.nanos + two.nanos, two.offset)
    raise no_overload()


def _joined(one: Value, two: Value) -> Value:
    if len(one) + len(two) > MAX_ELEMENTS:
        raise CostExceeded
    if type(one) is list:
        if not one:
            return two
        return one if len(two) == 0 else [*one, *two]
    if type(one) is MergedList:
        return _merged_by_value(one, two, one.keys)
    kind = one.decl.list_type
    if one.decl.by_value:
        return _merged_by_value(one, two, one.decl.list_keys) if kind in {"set", "map"} else [*one, *two]
    if kind == "set":
        members, raws = one.members(), list(one.raw)
        for raw in map(appended, two):
            if (key := hashable(raw, members)) not in members:
                members.add(key)
                raws.append(raw)
        return SchemaList(raws, one.decl)
    if kind == "map":
        return SchemaList(_merged(one, map(appended, two)), one.decl)
    return SchemaList([*one.raw, *map(appended, two)], one.decl)


def _merged_by_value(one: Value, two: Value, keys: tuple[str, ...]) -> MergedList:
    """Return the elements of a list of type set, or of one of type map with these keys, and those of another list.

    Those of a map replace the elements with the same key, the last of them where there are several. New ones are only
    compared with each other in a set.
    """
    made = list(one)
    places = {(map_key(value, keys) if keys else set_key(value)): at for at, value in enumerate(one)}
    for value in two:
        key = map_key(value, keys) if keys else set_key(value)
        at = places.get(key)
        if at is None:
            made.append(value)
            if not keys:
                places[key] = len(made)
        elif keys:
            made[at] = value
    return MergedList(made, keys)


def _merged(one: SchemaList, raws: Iterable[Any]) -> list[Any]:
    """Return the elements of a list of type map, replaced by those of ``raws`` with the same keys, then the new ones.

    Elements with a duplicate key stay, and only the last of them is replaced.
    """
    made = list(one.raw)
    places = {one.key_of(raw): at for at, raw in enumerate(one.raw)}
    for raw in raws:
        at = places.get(one.key_of(raw))
        if at is None:
            made.append(raw)
        else:
            made[at] = raw
    return made


def subtract(one: Value, two: Value) -> Value:
    """Return ``one - two``. Raises `EvalError`."""
    first, second = type(one), type(two)
    if first is int and second is int:
        return int_result(one - two)
    if first is float and second is float:
        return one - two
    if first is UInt and second is UInt:
        return uint_result(int(one) - int(two))
    if first is Duration and second is Duration:
        return time_values.duration(one.nanos - two.nanos)
    if first is Timestamp and second is Timestamp:
        return time_values.between(one, two)
    if first is Timestamp and second is Duration:
        return time_values.timestamp(one.nanos + int_result(-two.nanos), one.offset)
    raise no_overload()
