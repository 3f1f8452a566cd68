"""Values of expressions that Python's bool, int, float, str, bytes and None cannot represent.

JSON data stays unchanged: this module contains the types of CEL that JSON lacks. Data under a schema is in
`json_values`.
"""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Final, TypeAlias

Value: TypeAlias = Any


class UInt(int):
    """An unsigned 64-bit integer, a separate type in CEL."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"UInt({int(self)})"


class Timestamp(str):
    """An instant; as text RFC 3339 with nanoseconds where needed. ``nanos`` counts from the Unix epoch."""

    __slots__ = ("nanos", "offset")
    nanos: int
    offset: int

    def __new__(cls, text: str, nanos: int, offset: int = 0) -> "Timestamp":
        """Return an instant with its text. ``offset`` is that of the text, in seconds east of UTC."""
        made = super().__new__(cls, text)
        made.nanos = nanos
        made.offset = offset
        return made

    def __eq__(self, other: object) -> bool:
        return type(other) is Timestamp and self.nanos == other.nanos

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.nanos)


class Duration(str):
    """A span of time, as text in Go's form (``1h30m0s``). ``nanos`` is its length."""

    __slots__ = ("nanos",)
    nanos: int

    def __new__(cls, text: str, nanos: int) -> "Duration":
        """Return a duration with its canonical text."""
        made = super().__new__(cls, text)
        made.nanos = nanos
        return made

    def __eq__(self, other: object) -> bool:
        return type(other) is Duration and self.nanos == other.nanos

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.nanos)


class Optional:
    """An optional value. ``present`` distinguishes none from a value that happens to be null."""

    __slots__ = ("present", "value")

    def __init__(self, present: bool, value: Value = None) -> None:
        """Create the value, which is not changed later."""
        self.present = present
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is Optional and self.present == other.present and self.value == other.value

    def __hash__(self) -> int:
        return hash((self.present, self.value))

    def __repr__(self) -> str:
        return f"Optional(present={self.present!r}, value={self.value!r})"

    def __str__(self) -> str:
        return f"optional({self.value})" if self.present else "optional.none()"


NONE: Final = Optional(present=False)


class TypeValue:
    """A type as a value, identified by its run-time name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        """Create the value, which is not changed later."""
        self.name = name

    def __eq__(self, other: object) -> bool:
        return type(other) is TypeValue and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"TypeValue(name={self.name!r})"

    def __str__(self) -> str:
        return self.name


class Fault:
    """An element without a value. Reading it raises the error."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        """Create the value, which is not changed later."""
        self.text = text

    def __eq__(self, other: object) -> bool:
        return type(other) is Fault and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Fault(text={self.text!r})"

    def __str__(self) -> str:
        return self.text


def key_token(key: Value) -> Hashable:
    """Return what identifies a map key: numbers are equal by value across types, bools only equal bools."""
    if type(key) is bool:
        return ("bool", key)
    return key if isinstance(key, Hashable) else ("same", id(key))


class CelMap:
    """A map made by an expression, in the order in which it was written."""

    __slots__ = ("entries", "raw")

    def __init__(self, items: Iterable[tuple[Value, Value]] = (), raw: dict[str, Any] | None = None) -> None:
        """Create a map. ``raw`` is its source data, if any."""
        self.raw = raw
        self.entries: dict[Hashable, tuple[Value, Value]] = {key_token(key): (key, value) for key, value in items}

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Value]:
        return (key for key, _ in self.entries.values())

    def find(self, key: Value) -> tuple[bool, Value]:
        """Return whether there is such a key, and its value."""
        found = self.entries.get(key_token(key))
        return (False, None) if found is None else (True, found[1])

    entry = find
