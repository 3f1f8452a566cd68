"""Literals of the well-known protobuf messages: ``google.protobuf.Duration{seconds: 1}``.

Each becomes its CEL value as soon as it is made.

Source: cel-go ``checker`` (checkCreateStruct), ``common/types/provider.go``, ``common/types/{int,uint,double}.go``;
texts measured.
"""

import struct
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from ovnguard.validators.cel.types import static_types as types
from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.static_types import Type
from ovnguard.validators.cel.values import time_values
from ovnguard.validators.cel.values.cel_values import CelMap, Duration, Timestamp, UInt, Value
from ovnguard.validators.cel.values.operations import LISTS, MAPS, no_fault, type_name
from ovnguard.validators.go.duration import SECOND
from ovnguard.validators.go.text import quote

Fields: TypeAlias = Mapping[str, Value]
_LIST: Final = types.list_of(types.DYN)
_MAP: Final = types.map_of(types.STRING, types.DYN)
_SAFE: Final = 2**53 - 1
_INT64: Final = 2**63


class Message(NamedTuple):
    """A message type: the type of its literals, the types of its fields, and the function that makes the value."""

    result: Type
    fields: Mapping[str, Type]
    make: Callable[[Fields], Value]


def create(name: str, fields: Fields) -> Value:
    """Return the value of a literal. Raises `EvalError` if a field cannot hold its value."""
    made = {}
    for field, value in fields.items():
        try:
            made[field] = _field(name, field, value)
        except EvalError as fault:
            message = f"field type conversion error for {PREFIX}{name}.{field} value type: {fault}"
            raise EvalError(message) from None
    return MESSAGES[name].make(made)


def _field(name: str, field: str, value: Value) -> Value:
    wanted = MESSAGES[name].fields[field]
    if wanted in {_LIST, _MAP}:
        return _json(value)
    held = {"UInt": "uint", "float": "double", "str": "string"}.get(type(value).__name__, type(value).__name__)
    if held != wanted.kind:
        raise _unfit(held, value, wanted.kind)
    if field == "null_value":
        return None
    if (name == "Int32Value" or field == "nanos") and not -(2**31) <= value < 2**31:
        raise EvalError("integer overflow")
    if name == "UInt32Value" and value >= 2**32:
        raise EvalError("unsigned integer overflow")
    return _single(value) if name == "FloatValue" else value


def _unfit(held: str, value: Value, wanted: str) -> EvalError:
    """Check what only shows at run time, since the argument is dyn."""
    native = {"int": "int64", "uint": "uint64", "double": "float64", "bytes": "[]uint8"}.get(wanted, wanted)
    match held:
        case "string":
            return EvalError(f"unsupported native conversion from string to '{native}'")
        case "int" | "uint":
            return EvalError(f"unsupported type conversion from '{held}' to {native}")
        case "double":
            return EvalError(f"type conversion error from Double to '{native}'")
        case _:
            return EvalError(f"type conversion error from '{type_name(value)}' to '{native}'")


def _single(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _json(value: Value) -> Value:
    """Return a value as google.protobuf.Value holds it: numbers are doubles, what JSON cannot represent exactly is
    text.
    """
    kind = type(value)
    if kind in {bool, str} or value is None:
        return value
    if kind in {int, UInt, float}:
        whole = kind is not float
        return str(int(value)) if whole and abs(int(value)) > _SAFE else float(value)
    if kind is bytes:
        return b64encode(value).decode()
    if kind in {Duration, Timestamp}:
        return str.__str__(value)
    if kind in LISTS:
        return [_json(no_fault(one)) for one in value]
    if kind in MAPS:
        return CelMap((_key(key), _json(no_fault(value.find(key)[1]))) for key in value)
    raise EvalError(f"type conversion error from '{type_name(value)}' to '*structpb.Value'")


def _key(key: Value) -> str:
    if type(key) is str:
        return key
    raise EvalError(f"unsupported type conversion from '{type_name(key)}' to string")


def _duration(fields: Fields) -> Value:
    """Saturates at 64 bits of nanoseconds, as Go does."""
    nanos = fields.get("seconds", 0) * SECOND + fields.get("nanos", 0)
    return time_values.duration(max(-_INT64, min(nanos, _INT64 - 1)))


def _timestamp(fields: Fields) -> Value:
    return time_values.timestamp(fields.get("seconds", 0) * SECOND + fields.get("nanos", 0))


def _any(fields: Fields) -> Value:
    """Return the error for a message of no type that the server has; those of the types here are not unpacked."""
    url, value = fields.get("type_url", ""), fields.get("value", b"")
    shown = [f"type_url:{quote(url)}"] if url else []
    shown += [f'value:"{"".join(map(_shown_byte, value))}"'] if value else []
    raise EvalError(f"unsupported conversion to ref.Val: (*dynamicpb.Message){' '.join(shown)}")


def _shown_byte(byte: int) -> str:
    return chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\x{byte:02x}"


def _last(fields: Fields) -> Value:
    """Return one of several kinds of value: the last one set."""
    return list(fields.values())[-1] if fields else None


def _wrapper(kind: str, zero: Value) -> Message:
    return Message(types.wrapper(kind), {"value": Type(kind)}, lambda fields: fields.get("value", zero))


_SPAN: Final = {"seconds": types.INT, "nanos": types.INT}
_KINDS: Final = {
    "null_value": types.INT,
    "number_value": types.DOUBLE,
    "string_value": types.STRING,
    "bool_value": types.BOOL,
    "struct_value": _MAP,
    "list_value": _LIST,
}
PREFIX: Final = "google.protobuf."
MESSAGES: Final[Mapping[str, Message]] = {
    "Any": Message(types.ANY, {"type_url": types.STRING, "value": types.BYTES}, _any),
    "BoolValue": _wrapper("bool", False),
    "BytesValue": _wrapper("bytes", b""),
    "DoubleValue": _wrapper("double", 0.0),
    "FloatValue": _wrapper("double", 0.0),
    "Int32Value": _wrapper("int", 0),
    "Int64Value": _wrapper("int", 0),
    "StringValue": _wrapper("string", ""),
    "UInt32Value": _wrapper("uint", UInt(0)),
    "UInt64Value": _wrapper("uint", UInt(0)),
    "Duration": Message(types.DURATION, _SPAN, _duration),
    "Timestamp": Message(types.TIMESTAMP, _SPAN, _timestamp),
    "Struct": Message(_MAP, {"fields": _MAP}, lambda fields: fields.get("fields", CelMap())),
    "ListValue": Message(_LIST, {"values": _LIST}, lambda fields: fields.get("values", [])),
    "Value": Message(types.DYN, _KINDS, _last),
}


def message(name: str) -> tuple[str, Message] | None:
    """Return the message that a literal's name means, or None."""
    plain = name.removeprefix(".")
    found = MESSAGES.get(plain.removeprefix(PREFIX)) if plain.startswith(PREFIX) else None
    return None if found is None else (plain.removeprefix(PREFIX), found)
