"""The standard library's operators: arithmetic, order, membership, size, logic.

Source: CEL language definition, "List of Standard Definitions"; cel-go ``common/stdlib`` for overload ids.
"""

from collections.abc import Callable
from math import isnan
from typing import Final

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values import operations, time_values
from ovnguard.validators.cel.values.cel_values import Duration, TypeValue, UInt, Value
from ovnguard.validators.cel.values.operations import compare, no_overload


def multiply(one: Value, two: Value) -> Value:
    """``one * two``."""
    kind = type(one)
    if kind is not type(two):
        raise no_overload()
    if kind is int:
        return operations.int_result(one * two)
    if kind is float:
        return one * two
    if kind is UInt:
        return operations.uint_result(int(one) * int(two))
    raise no_overload()


def divide(one: Value, two: Value) -> Value:
    """``one / two``, rounded toward zero for integers. Raises `EvalError` if an integer is divided by zero."""
    kind = type(one)
    if kind is not type(two):
        raise no_overload()
    if kind is float:
        return _float_divide(one, two)
    if kind not in {int, UInt}:
        raise no_overload()
    if two == 0:
        raise EvalError("division by zero")
    quotient = abs(int(one)) // abs(int(two))
    if kind is UInt:
        return UInt(quotient)
    return operations.int_result(-quotient if (one < 0) != (two < 0) else quotient)


def _float_divide(one: float, two: float) -> float:
    if two != 0:
        try:
            return one / two
        except OverflowError:
            return float("inf") if (one > 0) == (two > 0) else float("-inf")
    if one == 0 or isnan(one):
        return float("nan")
    negative = (one < 0) != (str(two)[0] == "-")
    return float("-inf") if negative else float("inf")


def modulo(one: Value, two: Value) -> Value:
    """``one % two`` with the sign of the dividend."""
    kind = type(one)
    if kind is not type(two) or kind not in {int, UInt}:
        raise no_overload()
    if two == 0:
        raise EvalError("modulus by zero")
    if kind is UInt:
        return UInt(int(one) % int(two))
    if one == operations.INT_MIN and two == -1:
        raise EvalError("integer overflow")
    rest = abs(one) % abs(two)
    return -rest if one < 0 else rest


def negate(one: Value) -> Value:
    """``-one``."""
    if type(one) is int:
        return operations.int_result(-one)
    if type(one) is float:
        return -one
    if type(one) is Duration:
        return time_values.duration(-one.nanos)
    raise no_overload()


def invert(one: Value) -> Value:
    """``!one``."""
    if type(one) is bool:
        return not one
    raise no_overload()


def size(value: Value) -> int:
    """``size(value)``: code points, bytes, elements, entries."""
    return len(value)


def within(one: Value, two: Value) -> bool:
    """``one in two``."""
    return operations.contains(two, one)


def type_of(value: Value) -> TypeValue:
    """``type(value)``."""
    return TypeValue(operations.type_name(value))


def identity(value: Value) -> Value:
    """``dyn(value)``, and conversions to the type that a value already has."""
    return value


_ORDERS: Final[dict[str, tuple[str, Callable[[Value, Value], bool]]]] = {
    "_<_": ("less", lambda one, two: compare(one, two) < 0),
    "_<=_": ("less_equals", lambda one, two: compare(one, two) <= 0),
    "_>_": ("greater", lambda one, two: compare(one, two) > 0),
    "_>=_": ("greater_equals", lambda one, two: compare(one, two) >= 0),
}
_ORDERED: Final = (
    ("bool", "bool", "bool"),
    ("int64", "int", "int"),
    ("int64_double", "int", "double"),
    ("int64_uint64", "int", "uint"),
    ("uint64", "uint", "uint"),
    ("uint64_double", "uint", "double"),
    ("uint64_int64", "uint", "int"),
    ("double", "double", "double"),
    ("double_int64", "double", "int"),
    ("double_uint64", "double", "uint"),
    ("string", "string", "string"),
    ("bytes", "bytes", "bytes"),
    ("timestamp", "timestamp", "timestamp"),
    ("duration", "duration", "duration"),
)
_SUMS: Final = (
    ("bytes", "bytes", "bytes", "bytes"),
    ("double", "double", "double", "double"),
    ("duration_duration", "duration", "duration", "duration"),
    ("duration_timestamp", "duration", "timestamp", "timestamp"),
    ("timestamp_duration", "timestamp", "duration", "timestamp"),
    ("int64", "int", "int", "int"),
    ("list", "list(A)", "list(A)", "list(A)"),
    ("string", "string", "string", "string"),
    ("uint64", "uint", "uint", "uint"),
)
_DIFFERENCES: Final = (
    ("double", "double", "double", "double"),
    ("duration_duration", "duration", "duration", "duration"),
    ("int64", "int", "int", "int"),
    ("timestamp_duration", "timestamp", "duration", "timestamp"),
    ("timestamp_timestamp", "timestamp", "timestamp", "duration"),
    ("uint64", "uint", "uint", "uint"),
)
_NUMERIC: Final = (("double", "double"), ("int64", "int"), ("uint64", "uint"))


def _binary(function: str, overload_id: str, left: str, right: str, result: str, run: Callable[..., Value]) -> Overload:
    return overload(overload_id, f":{function}({left}, {right}) -> {result}", run)


def _orders() -> list[Overload]:
    return [
        _binary(function, f"{name}_{suffix}", left, right, "bool", run)
        for function, (name, run) in _ORDERS.items()
        for suffix, left, right in _ORDERED
    ]


def _arithmetic() -> list[Overload]:
    made = [_binary("_+_", f"add_{name}", one, two, result, operations.add) for name, one, two, result in _SUMS]
    for name, one, two, result in _DIFFERENCES:
        made.append(_binary("_-_", f"subtract_{name}", one, two, result, operations.subtract))
    for function, verb, run, numeric in (
        ("_*_", "multiply", multiply, _NUMERIC),
        ("_/_", "divide", divide, _NUMERIC),
        ("_%_", "modulo", modulo, _NUMERIC[1:]),
    ):
        made += [_binary(function, f"{verb}_{name}", kind, kind, kind, run) for name, kind in numeric]
    return made


def _unary(function: str, overload_id: str, kind: str, run: Callable[..., Value]) -> Overload:
    return overload(overload_id, f":{function}({kind}) -> {kind}", run)


def declarations() -> list[Overload]:
    """All overloads of this library."""
    return [
        overload("conditional", ":_?_:_(bool, A, A) -> A", None),
        _binary("_&&_", "logical_and", "bool", "bool", "bool", no_overload),
        _binary("_||_", "logical_or", "bool", "bool", "bool", no_overload),
        _unary("!_", "logical_not", "bool", invert),
        _unary("@not_strictly_false", "not_strictly_false", "bool", identity),
        _binary("_==_", "equals", "A", "A", "bool", operations.equal),
        _binary("_!=_", "not_equals", "A", "A", "bool", operations.equal),
        *_arithmetic(),
        _unary("-_", "negate_double", "double", negate),
        _unary("-_", "negate_int64", "int", negate),
        *_orders(),
        _binary("_[_]", "index_list", "list(A)", "int", "A", no_overload),
        _binary("_[_]", "index_map", "map(A, B)", "A", "B", no_overload),
        _binary("@in", "in_list", "A", "list(A)", "bool", within),
        _binary("@in", "in_map", "A", "map(A, B)", "bool", within),
        overload("size_bytes", "size(bytes) -> int", size),
        overload("bytes_size", "bytes.size() -> int", size),
        overload("size_list", "size(list(A)) -> int", size),
        overload("list_size", "list(A).size() -> int", size),
        overload("size_map", "size(map(A, B)) -> int", size),
        overload("map_size", "map(A, B).size() -> int", size),
        overload("size_string", "size(string) -> int", size),
        overload("string_size", "string.size() -> int", size),
        overload("type", "type(A) -> type(A)", type_of),
        overload("to_dyn", "dyn(A) -> dyn", identity),
    ]
