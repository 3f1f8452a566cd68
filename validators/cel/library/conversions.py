"""Conversions between types: functions with the names of the result types.

Source: cel-go ``common/types``; number formats are Go's ``strconv``.
"""

import re
from math import isfinite
from typing import Final

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values.cel_values import Duration, Timestamp, UInt
from ovnguard.validators.cel.values.operations import INT_MAX, INT_MIN, UINT_MAX
from ovnguard.validators.cel.values.time_values import duration, timestamp
from ovnguard.validators.go.duration import SECOND, parse_duration
from ovnguard.validators.go.floats import parse_float
from ovnguard.validators.go.integers import integer
from ovnguard.validators.go.text import float_plain, float_text
from ovnguard.validators.go.time import BadTime, parse_time

_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})
_UNSIGNED: Final = re.compile(r"[0-9]+")


def _failed(source: str, target: str) -> EvalError:
    return EvalError(f"type conversion error from '{source}' to '{target}'")


def string_to_bool(text: str) -> bool:
    """``bool('true')`` and the other spellings of ``strconv.ParseBool``."""
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise _failed("string", "bool")


def string_to_double(text: str) -> float:
    """``double('1.5')``."""
    value = parse_float(text)
    if value is None:
        raise _failed("string", "double")
    return value


def string_to_int(text: str) -> int:
    """``int('12')``, decimal only."""
    value = integer(text)
    if value is None or not INT_MIN <= value <= INT_MAX:
        raise _failed("string", "int")
    return value


def string_to_uint(text: str) -> UInt:
    """``uint('12')``, decimal only."""
    value = integer(text) if _UNSIGNED.fullmatch(text) else None
    if value is None or value > UINT_MAX:
        raise _failed("string", "uint")
    return UInt(value)


def double_to_int(value: float) -> int:
    """``int(double)``, rounded toward zero. The bounds themselves already overflow."""
    if not isfinite(value) or value <= float(INT_MIN) or value >= float(INT_MAX):
        raise EvalError("integer overflow")
    return int(value)


def double_to_uint(value: float) -> UInt:
    """``uint(double)``, rounded toward zero."""
    if not isfinite(value) or value < 0 or value >= float(UINT_MAX):
        raise EvalError("unsigned integer overflow")
    return UInt(int(value))


def int_to_uint(value: int) -> UInt:
    """``uint(int)``. Negative numbers overflow."""
    if value < 0:
        raise EvalError("unsigned integer overflow")
    return UInt(value)


def uint_to_int(value: UInt) -> int:
    """``int(uint)``. Large numbers overflow."""
    if value > INT_MAX:
        raise EvalError("integer overflow")
    return int(value)


def string_to_duration(text: str) -> Duration:
    """``duration('1h')``: Go's syntax only."""
    nanos = parse_duration(text)
    if nanos is None:
        raise _failed("string", "google.protobuf.Duration")
    return duration(nanos)


def string_to_timestamp(text: str) -> Timestamp:
    """``timestamp('2020-01-01T00:00:00Z')``: RFC 3339 only."""
    try:
        return timestamp(*parse_time(text))
    except BadTime:
        raise _failed("string", "google.protobuf.Timestamp") from None


def bytes_to_string(value: bytes) -> str:
    """``string(bytes)``, UTF-8 only."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise EvalError("invalid UTF-8 in bytes, cannot convert to string") from None


def duration_to_string(value: Duration) -> str:
    """``string(duration)`` in seconds: ``5400s``."""
    return f"{float_plain(value.nanos / SECOND)}s"


def _same(value: object) -> object:
    return value


def declarations() -> list[Overload]:
    """All overloads of this library."""
    return [
        overload("bool_to_bool", "bool(bool) -> bool", _same),
        overload("string_to_bool", "bool(string) -> bool", string_to_bool),
        overload("bytes_to_bytes", "bytes(bytes) -> bytes", _same),
        overload("string_to_bytes", "bytes(string) -> bytes", lambda text: text.encode()),
        overload("double_to_double", "double(double) -> double", _same),
        overload("int64_to_double", "double(int) -> double", float),
        overload("string_to_double", "double(string) -> double", string_to_double),
        overload("uint64_to_double", "double(uint) -> double", float),
        overload("duration_to_duration", "duration(duration) -> duration", _same),
        overload("int64_to_duration", "duration(int) -> duration", duration),
        overload("string_to_duration", "duration(string) -> duration", string_to_duration),
        overload("int64_to_int64", "int(int) -> int", _same),
        overload("double_to_int64", "int(double) -> int", double_to_int),
        overload("duration_to_int64", "int(duration) -> int", lambda value: value.nanos),
        overload("string_to_int64", "int(string) -> int", string_to_int),
        overload("timestamp_to_int64", "int(timestamp) -> int", lambda value: value.nanos // SECOND),
        overload("uint64_to_int64", "int(uint) -> int", uint_to_int),
        overload("string_to_string", "string(string) -> string", _same),
        overload("bool_to_string", "string(bool) -> string", lambda value: "true" if value else "false"),
        overload("bytes_to_string", "string(bytes) -> string", bytes_to_string),
        overload("double_to_string", "string(double) -> string", float_text),
        overload("duration_to_string", "string(duration) -> string", duration_to_string),
        overload("int64_to_string", "string(int) -> string", str),
        overload("timestamp_to_string", "string(timestamp) -> string", str.__str__),
        overload("uint64_to_string", "string(uint) -> string", lambda value: str(int(value))),
        overload("timestamp_to_timestamp", "timestamp(timestamp) -> timestamp", _same),
        overload(
            "int64_to_timestamp",
            "timestamp(int) -> timestamp",
            lambda value: timestamp(value * SECOND),
        ),
        overload("string_to_timestamp", "timestamp(string) -> timestamp", string_to_timestamp),
        overload("uint64_to_uint64", "uint(uint) -> uint", _same),
        overload("double_to_uint64", "uint(double) -> uint", double_to_uint),
        overload("int64_to_uint64", "uint(int) -> uint", int_to_uint),
        overload("string_to_uint64", "uint(string) -> uint", string_to_uint),
    ]
