"""JSON data under a schema: objects, maps and lists that are unwrapped one step at a time.

Nothing is copied or converted until an expression reads it, because data that no expression reads may have the wrong
type.

Source: apiserver ``pkg/cel/common`` (valuesunstructured.go).
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from ovnguard.validators.base.cel_names import escape, unescape
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cel.types.errors import EvalError, EvaluationPanic
from ovnguard.validators.cel.values.cel_values import CelMap, Duration, Fault, Timestamp, UInt, Value
from ovnguard.validators.cel.values.time_values import from_schema_date, from_schema_duration, from_schema_time
from ovnguard.validators.go.base64 import CorruptInput, decode_url_base64
from ovnguard.validators.go.text import go_syntax, go_value

_INT_END: Final = 2**63
_MOST_KEYS: Final = 3
_GO_TYPES: Final = {
    bool: "bool",
    int: "int64",
    float: "float64",
    str: "string",
    list: "[]interface {}",
    dict: "map[string]interface {}",
    type(None): "<nil>",
    UInt: "uint64",
    bytes: "[]uint8",
    Timestamp: "time.Time",
    Duration: "time.Duration",
    CelMap: "map[ref.Val]ref.Val",
    Fault: "*errors.errorString",
}
_HOUR: Final = 3600
_SHARED_ZONES: Final = range(-12 * _HOUR, 14 * _HOUR + 1, _HOUR)
"""The offsets for which Go has one zone. Other zones differ even from themselves."""
_UNHASHABLE: Final = frozenset({list, dict, bytes, CelMap})


class NullValue:
    """What an addition appends to the data of a list for a null of CEL: something that fits no schema."""


NULL_VALUE: Final = NullValue()
_GO_TYPES[NullValue] = "structpb.NullValue"


class Unknown:
    """Data that no schema describes. Only its equality is defined."""

    __slots__ = ("raw",)

    def __init__(self, raw: Any) -> None:
        self.raw = raw


class Obj:
    """An object or map under a schema."""

    __slots__ = ("decl", "raw")

    def __init__(self, raw: dict[str, Any], decl: Decl) -> None:
        self.raw = raw
        self.decl = decl

    def __len__(self) -> int:
        return len(self.raw)

    def __iter__(self) -> Iterator[Value]:
        """Iterate over the keys that expressions can see. Those of an object are escaped."""
        for key in self.raw:
            if self.schema_of(key) is not None:
                yield (escape(key) or key) if self.decl.names_are_escaped else key

    @property
    def hidden(self) -> int:
        """The number of entries that no expression can see. Go iterates over them last, as keys that are nil."""
        return sum(1 for key in self.raw if self.schema_of(key) is None)

    def schema_of(self, name: str) -> Decl | None:
        """Return the declaration of an entry by its JSON name."""
        return self.decl.element if self.decl.shape == "map" else (self.decl.properties or {}).get(name)

    def find(self, key: Value) -> tuple[bool, Value]:
        """As `entry`. Raises `EvalError` if the value does not fit its schema."""
        found, value = self.entry(key)
        if type(value) is Fault:
            raise EvalError(value.text)
        return found, value

    def entry(self, key: Value) -> tuple[bool, Value]:
        """Return whether there is such an entry, and its value. Data that does not fit its schema is a `Fault`."""
        if type(key) is not str:
            return True, Fault("no such overload")
        decl = self.decl
        name = (decl.fields.get(key) or unescape(key)) if decl.names_are_escaped else key
        if name is None or name not in self.raw:
            return False, None
        raw = self.raw[name]
        inner = decl.element if decl.shape == "map" else (decl.properties or {}).get(name)
        if inner is None or (raw is None and decl.names_are_escaped):
            return False, None
        return True, seen(raw, inner)

    def value_of(self, name: str) -> Value:
        """Return the value of a declared entry by its JSON name; null is a value."""
        inner = self.schema_of(name)
        assert inner is not None
        return seen(self.raw[name], inner)


class MergedList(list[Value]):
    """The sum of a list of type set or map with another list. ``keys`` name the parts of its keys; a set has none."""

    __slots__ = ("keys",)

    def __init__(self, values: Iterable[Value], keys: tuple[str, ...] = ()) -> None:
        super().__init__(values)
        self.keys = keys


class SchemaList:
    """A list under a schema. ``raw`` elements are wrapped when they are read."""

    __slots__ = ("_members", "_places", "decl", "raw")

    def __init__(self, raw: list[Any], decl: Decl) -> None:
        self.raw = raw
        self.decl = decl
        self._members: set[Any] | None = None
        self._places: dict[Any, int] | None = None

    def __len__(self) -> int:
        return len(self.raw)

    def __getitem__(self, at: int) -> Value:
        """Return an element. Data that does not fit its schema is a `Fault`."""
        assert self.decl.element is not None
        return seen(self.raw[at], self.decl.element)

    def __iter__(self) -> Iterator[Value]:
        """Iterate over the elements, likewise."""
        assert self.decl.element is not None
        for raw in self.raw:
            yield seen(raw, self.decl.element)

    def members(self) -> set[Any]:
        """Return the keys of the elements of a list of type set, the same object each time.

        An addition adds to them, and what Go cannot hash leaves them incomplete, as in the API server. Raises
        `EvaluationPanic` as `hashable` does, but only the first time.
        """
        if self._members is None:
            self._members = set()
            self._members.update(map(hashable, self.raw))
        return self._members

    def places(self) -> dict[Any, int]:
        """Return the places of the elements of a list of type map by their keys, likewise."""
        if self._places is None:
            self._places = {}
            for at, raw in enumerate(self.raw):
                self._places[self.key_of(raw)] = at
        return self._places

    def key_of(self, raw: Any, known: Collection[Any] | None = None) -> Any:
        """Return the key of an element of a list of type map. An element that is not an object has a key of its own.

        Raises `EvaluationPanic` as `hashable` does.
        """
        if not isinstance(raw, dict):
            return object()
        values = [raw.get(name) for name in self.decl.list_keys]
        if len(values) > _MOST_KEYS:
            return go_syntax(values) if self.decl.by_value else go_value(values)
        return tuple(hashable(value, known) for value in values)


def hashable(raw: Any, members: Collection[Any] | None = None) -> Any:
    """Return a scalar as a key that keeps types apart. Raises `EvaluationPanic` for what Go cannot hash.

    ``members``: where the key is looked up. Go has another text for a map without members.
    """
    kind = type(raw)
    if kind in _UNHASHABLE:
        empty = members is not None and not members
        lead = "hash of unhashable type:" if empty else "runtime error: hash of unhashable type"
        raise EvaluationPanic(f"{lead} {go_type(raw)}")
    if kind is Fault or (kind is Timestamp and not has_shared_zone(raw)):
        # In Go, two errors are never equal.
        return object()
    return go_type(raw), raw


def has_shared_zone(time: Timestamp) -> bool:
    """Return whether Go has one zone for all times with this offset. Times with other zones are never equal."""
    return time.offset in _SHARED_ZONES


def go_type(raw: Any) -> str:
    """Return Go's name for the type of decoded JSON. Integers that need more than 64 bits are decoded as floats."""
    if type(raw) is int and not -_INT_END <= raw < _INT_END:
        return "float64"
    return _GO_TYPES.get(type(raw), type(raw).__name__)


def unwrap(value: Value) -> Any:
    """Return the data inside a value, as a list under a schema contains it."""
    if isinstance(value, (Obj, SchemaList, Unknown)):
        return value.raw
    return _source(value)


def appended(value: Value) -> Any:
    """Return what an addition appends to the data of a list, and what a set compares with its data."""
    return NULL_VALUE if value is None else unwrap(value)


def _source(value: Value) -> Any:
    """Return the data that lists and maps without a schema were made of; other values as they are."""
    if type(value) is list:
        return [_source(each) for each in value]
    return value.raw if type(value) is CelMap and value.raw is not None else value


def seen(raw: Any, decl: Decl) -> Value:
    """As `wrap`, but returns a `Fault` for data that does not fit its schema: it only matters if it is used."""
    if type(raw) is str and decl.shape == "string" and not decl.format:
        return raw
    try:
        return wrap(raw, decl)
    except EvalError as fault:
        return Fault(str(fault))


def wrap(raw: Any, decl: Decl) -> Value:
    """Return the value of ``raw`` under ``decl``. Raises `EvalError` if the data does not fit the schema."""
    kind = type(raw)
    shape = decl.shape
    if shape == "string" and kind is str:
        return _formatted(raw, decl.format)
    if raw is None:
        if decl.nullable:
            return None
        raise EvalError("invalid data, got null for schema with nullable=false")
    if (shape == "integer" and kind is int and -_INT_END <= raw < _INT_END) or (shape == "boolean" and kind is bool):
        return raw
    if shape in {"object", "map"}:
        if kind is dict:
            return Obj(raw, decl)
        raise EvalError("invalid data, expected a map for the provided schema with type=object")
    return _wrap_rare(raw, kind, decl)


def _wrap_rare(raw: Any, kind: type, decl: Decl) -> Value:
    match decl.shape:
        case "array":
            return _wrap_list(raw, kind, decl)
        case "number" if kind in {int, float}:
            return float(raw)
        case "number" | "integer" | "string" | "boolean":
            wanted = {"number": "float", "integer": "int", "boolean": "bool"}.get(decl.shape, "string")
            raise EvalError(f"invalid data, expected {wanted}, got {go_type(raw)}")
        case "int-or-string":
            if kind is str or (kind is int and -_INT_END <= raw < _INT_END):
                return raw
            raise EvalError("invalid data, expected XIntOrString value to be either a string or integer")
        case "unknown":
            return Unknown(raw)
        case _:
            raise EvalError(
                "invalid type, expected object, array, number, integer, boolean or string, or no type with "
                "x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got "
            )


def _wrap_list(raw: Any, kind: type, decl: Decl) -> Value:
    if kind is not list:
        raise EvalError("invalid data, expected an array for the provided schema with type=array")
    if decl.element is None:
        raise EvalError("invalid array type, expected Items with a non-empty Schema")
    return SchemaList(raw, decl)


def _formatted(raw: str, form: str) -> Value:
    match form:
        case "duration":
            return from_schema_duration(raw)
        case "date":
            return from_schema_date(raw)
        case "date-time":
            return from_schema_time(raw)
        case "byte":
            return _decoded(raw)
        case _:
            return raw


def _decoded(raw: str) -> bytes:
    try:
        return decode_url_base64(raw)
    except CorruptInput as fault:
        raise EvalError(f"Invalid byte formatted string {raw}: {fault}") from None
