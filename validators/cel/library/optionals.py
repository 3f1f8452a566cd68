"""Optional values.

Source: cel-go, optional types (library version 2).
"""

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values.cel_values import NONE, CelMap, Duration, Optional, Timestamp, Value
from ovnguard.validators.go.duration import SECOND

_ZERO_SECONDS = -62135596800


def of(value: Value) -> Optional:
    """``optional.of(value)``."""
    return Optional(present=True, value=value)


def of_non_zero(value: Value) -> Optional:
    """``optional.ofNonZeroValue(value)``: none for zero, empty, false and null."""
    return NONE if is_zero(value) else of(value)


def is_zero(value: Value) -> bool:
    """Return whether the value is its type's zero value."""
    if value is None:
        return True
    if isinstance(value, Duration):
        return value.nanos == 0
    if isinstance(value, Timestamp):
        return value.nanos == _ZERO_SECONDS * SECOND
    if isinstance(value, (bool, int, float)):
        return not value
    if isinstance(value, (str, bytes, CelMap)) or type(value) is list:
        return len(value) == 0
    return False


def has_value(held: Optional) -> bool:
    """``held.hasValue()``."""
    return held.present


def value_of(held: Optional) -> Value:
    """``held.value()``. Raises `EvalError` for none."""
    if not held.present:
        raise EvalError("optional.none() dereference")
    return held.value


def first(values: Value) -> Optional:
    """``list.first()``."""
    return NONE if len(values) == 0 else of(values[0])


def last(values: Value) -> Optional:
    """``list.last()``."""
    return NONE if len(values) == 0 else of(values[len(values) - 1])


def unwrap(values: Value) -> list[Value]:
    """``optional.unwrap(list)``: the values of the optionals that have one."""
    found = []
    for held in values:
        if type(held) is not Optional:
            raise EvalError(f"value {held} is not optional")
        if held.present:
            found.append(held.value)
    return found


def or_optional(one: Optional, two: Optional) -> Optional:
    """``one.or(two)``."""
    return one if one.present else two


def or_value(held: Optional, other: Value) -> Value:
    """``held.orValue(other)``."""
    return held.value if held.present else other


def declarations() -> list[Overload]:
    """All overloads of this library."""
    return [
        overload("optional_of", ":optional.of(V) -> optional(V)", of),
        overload("optional_ofNonZeroValue", ":optional.ofNonZeroValue(V) -> optional(V)", of_non_zero),
        overload("optional_none", ":optional.none() -> optional(V)", lambda: NONE),
        overload("optional_value", "optional(V).value() -> V", value_of),
        overload("optional_hasValue", "optional(V).hasValue() -> bool", has_value),
        overload("optional_or_optional", "optional(V).or(optional(V)) -> optional(V)", or_optional),
        overload("optional_orValue_value", "optional(V).orValue(V) -> V", or_value),
        overload("optional_unwrap", ":optional.unwrap(list(optional(V))) -> list(V)", unwrap),
        overload("optional_unwrapOpt", "list(optional(V)).unwrapOpt() -> list(V)", unwrap),
        overload("list_first", "list(V).first() -> optional(V)", first),
        overload("list_last", "list(V).last() -> optional(V)", last),
        overload("list_optindex_optional_int", ":_[?_](list(V), int) -> optional(V)", None),
        overload("optional_list_optindex_optional_int", ":_[?_](optional(list(V)), int) -> optional(V)", None),
        overload("map_optindex_optional_value", ":_[?_](map(K, V), K) -> optional(V)", None),
        overload("optional_map_optindex_optional_value", ":_[?_](optional(map(K, V)), K) -> optional(V)", None),
        overload("optional_list_index_int", ":_[_](optional(list(V)), int) -> optional(V)", None),
        overload("optional_map_index_value", ":_[_](optional(map(K, V)), K) -> optional(V)", None),
    ]
