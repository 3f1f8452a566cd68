"""Decodes JSON values into the structs of a Kubernetes API, and compares and prints those structs as Go does.

Keys are case-sensitive and unknown ones are ignored. A null leaves a field unset. What a Go struct cannot tell from an
unset field is dropped: empty texts, false and zero, except behind a pointer. Of several errors Go reports the first
one, but an error of a type that decodes itself ends the decoding and is reported instead.

Source: sigs.k8s.io/json, a fork of encoding/json, of 2025 (of 2024 before Kubernetes 1.35); apimachinery,
``pkg/api/equality`` (Semantic.DeepEqual).
"""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

from validators.go.text import ADDRESS, Struct, go_kind, quote

UNSET: Final = object()


class Undecodable(ValueError):
    """The value does not decode. ``path`` names the place, the message is Go's.

    ``older`` is the message before Kubernetes 1.35, where that differs: it names the outermost field whose type decodes
    itself instead of the field inside.
    """

    def __init__(self, path: str, message: str, older: str = "") -> None:
        super().__init__(message)
        self.path = path
        self.older = older


class Kind(Protocol):
    """A Go type: how its values are decoded, compared and printed. ``name`` is the type as Go prints it."""

    @property
    def name(self) -> str:
        """The type in errors."""

    @property
    def unset(self) -> Any:
        """What `shown` prints for a field without a value."""

    def read(self, value: Any, at: "Decoder") -> Any:
        """Return the content of a variable for a value, UNSET for the zero value."""

    def same(self, left: Any, right: Any) -> bool:
        """Return whether two contents are equal; None is an unset field."""

    def shown(self, value: Any) -> Any:
        """Return the content for ``json.Marshal`` of the internal type."""

    def go_syntax(self, value: Any, package: str) -> str:
        """Return ``%#v`` of a field of a struct, None for an unset one. ``package`` has the internal types."""


class Decoder:
    """The position in the document, and the first error."""

    def __init__(self) -> None:
        self.path: list[str] = []
        self.fields: list[str] = []
        self.struct = ""
        self.fault: Undecodable | None = None

    def complain(self, value: Any, name: str, shown: str = "") -> Any:
        """Keep the error of a value of the wrong type."""
        place = f"Go struct field {self.struct}.{'.'.join(self.fields)}" if self.struct else "Go value"
        self.say(f"json: cannot unmarshal {shown or go_kind(value)} into {place} of type {name}")
        return UNSET

    def say(self, text: str) -> None:
        """Keep the first error."""
        if self.fault is None:
            self.fault = Undecodable("".join(self.path).removeprefix("."), text)

    def stop(self, text: str) -> Undecodable:
        """Return the error that ends the decoding."""
        return Undecodable("".join(self.path).removeprefix("."), text)

    def inside(self, kind: Kind, value: Any) -> Any:
        """Decode a value as a type that decodes itself does: any error ends the decoding."""
        kept, self.fault = self.fault, None
        struct, depth = self.struct, len(self.fields)
        try:
            made = kind.read(value, self)
            if self.fault is not None:
                raise self.fault
        except Undecodable as fault:
            # Go keeps the fields of both decodings, but only the struct of the outer one.
            text = re.sub(r"Go struct field \w+\.", f"Go struct field {struct}.", str(fault), count=1)
            field = f"Go struct field {struct}.{'.'.join(self.fields[:depth])}"
            older = re.sub(r"Go struct field \S+", lambda _: field, str(fault), count=1)
            raise Undecodable(fault.path, text, older) from None
        self.fault = kept
        return made


def decode(kind: Kind, value: Any) -> Any:
    """Return the content of a variable of a type. Raises `Undecodable`.

    If there are several errors, the keys count as sorted, which is how kubectl sends them.
    """
    try:
        return _decode(kind, value)
    except Undecodable:
        return _decode(kind, _sorted(value))


def _decode(kind: Kind, value: Any) -> Any:
    decoder = Decoder()
    made = kind.read(value, decoder)
    if decoder.fault is not None:
        raise decoder.fault
    return made


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(one) for one in value] if isinstance(value, list) else value


class ListOf(NamedTuple):
    """A slice; ``known_as`` is its name if it has one of its own."""

    of: Kind
    known_as: str = ""
    unset: Any = None

    @property
    def name(self) -> str:
        """The type as Go prints it."""
        return self.known_as or f"[]{self.of.name}"

    def read(self, value: Any, at: Decoder) -> Any:
        """See `Kind`."""
        if type(value) is not list:
            return at.complain(value, self.name)
        made = []
        for index, one in enumerate(value):
            at.path.append(f"[{index}]")
            made.append(_element(self.of, one, at))
            at.path.pop()
        return made

    def same(self, left: Any, right: Any) -> bool:
        """See `Kind`: no list and an empty list are equal."""
        left, right = left or [], right or []
        return len(left) == len(right) and all(map(self.of.same, left, right))

    def shown(self, value: Any) -> Any:
        """See `Kind`."""
        return [self.of.shown(one) for one in value]

    def go_syntax(self, value: Any, package: str) -> str:
        """See `Kind`."""
        name = qualified(self.name, package)
        if value is None:
            return f"{name}(nil)"
        return f"{name}{{{', '.join(_go_element(self.of, one, package) for one in value)}}}"


class MapOf(NamedTuple):
    """A map with string keys; ``known_as`` is its name if it has one of its own."""

    of: Kind
    known_as: str = ""
    unset: Any = None

    @property
    def name(self) -> str:
        """The type as Go prints it."""
        return self.known_as or f"map[string]{self.of.name}"

    def read(self, value: Any, at: Decoder) -> Any:
        """See `Kind`."""
        if type(value) is not dict:
            return at.complain(value, self.name)
        made = {}
        for key, one in value.items():
            at.path.append(f"[{key}]")
            made[key] = _element(self.of, one, at)
            at.path.pop()
        return made

    def same(self, left: Any, right: Any) -> bool:
        """See `Kind`: no map and an empty map are equal."""
        left, right = left or {}, right or {}
        return left.keys() == right.keys() and all(self.of.same(one, right[key]) for key, one in left.items())

    def shown(self, value: Any) -> Any:
        """See `Kind`."""
        return {key: self.of.shown(one) for key, one in value.items()}

    def go_syntax(self, value: Any, package: str) -> str:
        """See `Kind`."""
        name = qualified(self.name, package)
        if value is None:
            return f"{name}(nil)"
        pairs = (f"{quote(key)}:{_go_element(self.of, value[key], package)}" for key in sorted(value))
        return f"{name}{{{', '.join(pairs)}}}"


def qualified(name: str, package: str) -> str:
    """Return the name of a type with the package of the internal types."""
    return re.sub(r"\bv1\.", f"{package}.", name)


def pointer(name: str, value: Any, package: str) -> str:
    """Return ``%#v`` of a pointer to a type, None for nil."""
    return f"(*{qualified(name, package)})({'nil' if value is None else ADDRESS})"


def _go_element(kind: Kind, value: Any, package: str) -> str:
    return kind.literal(value, package) if isinstance(kind, StructOf) else kind.go_syntax(value, package)


def _element(kind: Kind, value: Any, at: Decoder) -> Any:
    """Return an element of a list or map: the zero value for null."""
    if value is None:
        return {} if isinstance(kind, StructOf) else kind.unset
    made = kind.read(value, at)
    return kind.unset if made is UNSET else made


class Field(NamedTuple):
    """A field of a struct: its internal name in Go, its key in JSON, its type."""

    go: str
    key: str
    kind: Kind


class StructOf:
    """A struct. ``fields`` are set after the creation of a struct that contains itself."""

    def __init__(self, name: str, *fields: Field, pointer: bool = True) -> None:
        self.name: Final = f"v1.{name}"
        self.short: Final = name
        self.pointer: Final = pointer
        self.fields: tuple[Field, ...] = ()
        self.by_key: Mapping[str, Kind] = {}
        self.define(*fields)

    @property
    def unset(self) -> Any:
        """Nothing behind a pointer, else the zero value."""
        return None if self.pointer else self.shown({})

    def define(self, *fields: Field) -> None:
        """Set the fields."""
        self.fields = fields
        self.by_key = {one.key: one.kind for one in fields}

    def read(self, value: Any, at: Decoder) -> Any:
        """See `Kind`."""
        if type(value) is not dict:
            return at.complain(value, self.name)
        struct = at.struct
        made = {}
        for key, one in value.items():
            kind = self.by_key.get(key)
            if kind is None or one is None:
                continue
            at.struct = self.short
            at.fields.append(key)
            at.path.append(f".{key}")
            content = kind.read(one, at)
            if content is not UNSET:
                made[key] = content
            at.path.pop()
            at.fields.pop()
            at.struct = struct
        return made

    def same(self, left: Any, right: Any) -> bool:
        """See `Kind`."""
        if left is None or right is None:
            return left is right
        return all(one.kind.same(left.get(one.key), right.get(one.key)) for one in self.fields)

    def shown(self, value: Any) -> Struct:
        """See `Kind`."""
        pairs = ((one, value.get(one.key)) for one in self.fields)
        return Struct((one.go, one.kind.unset if held is None else one.kind.shown(held)) for one, held in pairs)

    def go_syntax(self, value: Any, package: str) -> str:
        """See `Kind`."""
        return pointer(self.name, value, package) if self.pointer else self.literal(value or {}, package)

    def literal(self, value: Mapping[str, Any], package: str) -> str:
        """Return ``%#v`` of the struct itself."""
        fields = (f"{one.go}:{one.kind.go_syntax(value.get(one.key), package)}" for one in self.fields)
        return f"{qualified(self.name, package)}{{{', '.join(fields)}}}"
