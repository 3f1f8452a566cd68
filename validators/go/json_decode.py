"""Decodes a JSON text into a struct like Go's encoding/json, with Go's error for the first invalid value.

Go matches keys with fields case-insensitively, and treats U+017F as s and U+212A as k. Of equal keys the later one
wins, or is merged into an existing struct or map. A null keeps a scalar or a struct, and empties a pointer, list or
map. A value of the wrong type is an error, but the other values are still decoded.

Source: Go, ``encoding/json/decode.go``, ``fold.go``.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from validators.go.json_syntax import Members, Number
from validators.go.text import json_text

_INTEGER: Final = re.compile(r"-?[0-9]{1,30}")
_FOLD: Final[dict[int, int | str]] = {
    **{code: code + 32 for code in range(ord("A"), ord("Z") + 1)},
    0x17F: "s",
    0x212A: "k",
}


def fold(key: str) -> str:
    """Return a value that is equal for two keys if Go maps them to the same field, for fields with ASCII names."""
    return key.translate(_FOLD)


class Scalar(NamedTuple):
    """A string, bool, or integer type of ``bits``, by its name in Go."""

    name: str
    bits: int = 0


class Anything(NamedTuple):
    """The empty interface: it accepts every value except a number that exceeds float64."""

    name: str = "interface {}"


class ListOf(NamedTuple):
    """A slice."""

    of: "Type"

    @property
    def name(self) -> str:
        """The type as Go prints it."""
        return f"[]{self.of.name}"


class MapOf(NamedTuple):
    """A map with string keys."""

    of: "Type"

    @property
    def name(self) -> str:
        """The type as Go prints it."""
        return f"map[string]{self.of.name}"


class Field(NamedTuple):
    """One field of a struct: its documented key, and the names that lead to it in Go's errors."""

    key: str
    type: "Type"
    path: tuple[str, ...] = ()


class Struct:
    """A struct. ``name`` is the type as Go prints it, ``short`` that without its package; a ``pointer`` may be nil."""

    def __init__(self, name: str, short: str, fields: tuple[Field, ...], pointer: bool = False) -> None:
        """Create a struct; nobody changes it."""
        self.name: Final = name
        self.short: Final = short
        self.fields: Final = fields
        self.pointer: Final = pointer
        self._by_fold: Final = {fold(each.key): each for each in fields}

    def field_of(self, key: str) -> Field | None:
        """Return the field to which Go maps ``key``."""
        return self._by_fold.get(fold(key))


Type: TypeAlias = Scalar | Anything | ListOf | MapOf | Struct
TEXT: Final = Scalar("string")
BOOL: Final = Scalar("bool")
INT: Final = Scalar("int", 64)
INT32: Final = Scalar("int32", 32)


class Decoded(NamedTuple):
    """The content of a struct: the set fields by documented key, and the text of Go's error, if any."""

    values: dict[str, Any]
    error: str = ""


class Written(NamedTuple):
    """A key in the text: its object, its spelling, and its documented spelling."""

    place: str
    key: str
    documented: str


def decode(struct: Struct, value: Any, *, marshalled: bool = False) -> Decoded:
    """Return the result of ``json.Unmarshal`` of a value into an empty ``struct``.

    ``marshalled``: as if the value had first been decoded into an interface and marshalled again. Never raises.
    """
    decoder = _Decoder(marshalled)
    values = decoder.into(struct, value, {}, _Context())
    return Decoded(values, decoder.error)


def decode_any(value: Any) -> str:
    """Return Go's error about decoding into an interface, or ""."""
    decoder = _Decoder(False)
    decoder.into(Anything(), value, None, _Context())
    return decoder.error


def written_keys(struct: Struct, value: Any, place: str = "") -> Iterator[Written]:
    """Iterate over the keys of ``struct`` and of the structs inside, in their order, with the names of their fields.

    A key of no field is its own name.
    """
    if value.__class__ is not Members:
        return
    for key, inner in value:
        found = struct.field_of(key)
        yield Written(place, key, key if found is None else found.key)
        if found is not None and isinstance(found.type, Struct):
            yield from written_keys(found.type, inner, f"{place}{found.key}.")


def go_type(value: Any) -> str:
    """Return ``%T`` of a value that was decoded into an interface."""
    if value is None:
        return "<nil>"
    if value.__class__ is Members:
        return "map[string]interface {}"
    if isinstance(value, Number):
        return "float64"
    return "[]interface {}" if isinstance(value, list) else "bool" if isinstance(value, bool) else "string"


class _Context(NamedTuple):
    """The position of a value: the struct around it, and the path of fields from the outermost one."""

    struct: str = ""
    path: tuple[str, ...] = ()


class _Decoder:
    """Decodes values into types, and keeps the first error."""

    def __init__(self, marshalled: bool) -> None:
        self.error = ""
        self._marshalled = marshalled

    def into(self, kind: Type, value: Any, held: Any, at: _Context) -> Any:
        """Return the new content of a variable of a type, or None; ``held`` is its previous content."""
        match kind:
            case Struct():
                return self._struct(kind, value, held, at)
            case Scalar():
                return self._scalar(kind, value, held, at)
            case MapOf():
                return self._map(kind, value, held, at)
            case ListOf():
                return self._list(kind, value, held, at)
            case Anything():
                self._number_too_large(value, at)
                return value

    def _struct(self, kind: Struct, value: Any, held: Any, at: _Context) -> Any:
        if value is None:
            return None if kind.pointer else held
        if value.__class__ is not Members:
            return self._mismatch(kind, value, held, at)
        found: dict[str, Any] = dict(held or {})
        for key, inner in self._members(value):
            own = kind.field_of(key)
            if own is None:
                continue
            inside = _Context(kind.short, (*at.path, *(own.path or (own.key,))))
            now = self.into(own.type, inner, found.pop(own.key, None), inside)
            if now is not None:
                found[own.key] = now
        return found

    def _scalar(self, kind: Scalar, value: Any, held: Any, at: _Context) -> Any:
        if value is None:
            return held
        if kind.bits and isinstance(value, Number):
            text = json_text(float(value.text)) if self._marshalled else value.text
            if _INTEGER.fullmatch(text) and -(1 << kind.bits - 1) <= int(text) < 1 << kind.bits - 1:
                return int(text)
            return self._mismatch(kind, value, held, at, f"number {text}")
        fits = isinstance(value, bool) if kind is BOOL else kind is TEXT and isinstance(value, str)
        return value if fits else self._mismatch(kind, value, held, at)

    def _map(self, kind: MapOf, value: Any, held: Any, at: _Context) -> Any:
        if value is None:
            return None
        if value.__class__ is not Members:
            return self._mismatch(kind, value, held, at)
        found: dict[str, Any] = dict(held or {})
        for key, inner in self._members(value):
            found[key] = self.into(kind.of, inner, _zero(kind.of), at)
        return found

    def _list(self, kind: ListOf, value: Any, held: Any, at: _Context) -> Any:
        if value is None:
            return None
        if value.__class__ is not list:
            return self._mismatch(kind, value, held, at)
        before = list(held or ())[: len(value)]
        before += [_zero(kind.of)] * (len(value) - len(before))
        return [self.into(kind.of, inner, old, at) for inner, old in zip(value, before, strict=True)]

    def _members(self, value: Members) -> list[tuple[str, Any]]:
        return sorted(dict(value).items()) if self._marshalled else value

    def _number_too_large(self, value: Any, at: _Context) -> None:
        """Find a number that exceeds float64, in the order of the text; the text may nest deeper than Python's call
        stack.
        """
        left = [value]
        while left:
            part = left.pop()
            if part.__class__ is Members:
                left += (inner for _, inner in reversed(self._members(part)))
            elif part.__class__ is list:
                left += reversed(part)
            elif isinstance(part, Number) and float(part.text) in _INFINITE:
                self._say(f"number {part.text}", "float64", at)

    def _mismatch(self, kind: Type, value: Any, held: Any, at: _Context, shown: str = "") -> Any:
        self._say(shown or _kind_of(value), kind.name, at)
        return held

    def _say(self, value: str, kind: str, at: _Context) -> None:
        place = f"Go struct field {at.struct}.{'.'.join(at.path)}" if at.path else "Go value"
        self.error = self.error or f"json: cannot unmarshal {value} into {place} of type {kind}"


def _zero(kind: Type) -> Any:
    """The zero value of an element of a list or map."""
    match kind:
        case Scalar():
            return "" if kind is TEXT else False if kind is BOOL else 0
        case Struct():
            return {}
    return None


_INFINITE: Final = (float("inf"), float("-inf"))
_KINDS: Final[Mapping[type, str]] = {
    Members: "object",
    list: "array",
    Number: "number",
    bool: "bool",
    str: "string",
}


def _kind_of(value: Any) -> str:
    return _KINDS[value.__class__]
