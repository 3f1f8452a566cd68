"""Decodes JSON values into Go types: by the rules of encoding/json, and by those of the Kubernetes API.

Go matches keys with fields case-insensitively, and treats U+017F as s and U+212A as k. Of equal keys the later one
wins, or is merged into an existing struct or map. A null keeps a scalar or a struct, and empties a pointer, list or
map. A value of the wrong type is an error, but the other values are still decoded; the first error counts.

For Kubernetes, keys are case-sensitive. What a Go struct cannot tell from an unset field is dropped: empty texts, false
and zero, except behind a pointer. An error of a type that decodes itself ends the decoding and is reported instead of
the first one.

Sources: Go, ``encoding/json/decode.go``, ``fold.go``; its fork sigs.k8s.io/json of 2025 (of 2024 before Kubernetes
1.35).
"""

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple, Protocol

from ovnguard.validators.go.json_syntax import Members, Number
from ovnguard.validators.go.text import INT64_MAX, go_kind, json_text
from ovnguard.validators.lazy_pattern import lazy_pattern

_INTEGER: Final = lazy_pattern(r"-?[0-9]{1,30}")
_FOLD: Final[dict[int, int | str]] = {
    **{code: code + 32 for code in range(ord("A"), ord("Z") + 1)},
    0x17F: "s",
    0x212A: "k",
}


def fold(key: str) -> str:
    """Return a value that is equal for two keys if Go maps them to the same field, for fields with ASCII names."""
    return key.translate(_FOLD)


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
        """What `shown` prints for a field without a value; None if null empties such a field."""

    def read(self, value: Any, held: Any, at: "Decoder") -> Any:
        """Return the new content of a variable for a value, None for the zero value; ``held`` is the previous one."""

    def same(self, left: Any, right: Any) -> bool:
        """Return whether two contents are equal; None is an unset field."""

    def shown(self, value: Any) -> Any:
        """Return the content for ``json.Marshal`` of the internal type."""

    def go_syntax(self, value: Any, package: str) -> str:
        """Return ``%#v`` of a field of a struct, None for an unset one. ``package`` has the internal types."""


class Decoder:
    """The rules of the Kubernetes API for plain values, the position in the document, and the first error."""

    ignores_case = False
    drops_zeros = True

    def __init__(self) -> None:
        self.path: list[str] = []
        self.fields: list[str] = []
        self.struct = ""
        self.fault: Undecodable | None = None

    def members(self, value: Any) -> Iterable[tuple[str, Any]] | None:
        """Return the members of an object, None for another value."""
        return value.items() if type(value) is dict else None

    def scalar(self, value: Any) -> Any:
        """Return a value with an integer as int."""
        return value

    def described(self, value: Any, *, digits: bool) -> str:
        """Return the kind of a value in errors, with the ``digits`` of a number."""
        kind = go_kind(value)
        if kind != "number" or not digits:
            return kind
        return f"number {int(value) if value.__class__ is float and abs(value) >= INT64_MAX else repr(value)}"

    def complain(self, value: Any, held: Any, name: str, *, digits: bool = False) -> Any:
        """Keep the error of a value that does not fit the type ``name``, and return what the variable held."""
        place = f"Go struct field {self.struct}.{'.'.join(self.fields)}" if self.fields else "Go value"
        self.say(f"json: cannot unmarshal {self.described(value, digits=digits)} into {place} of type {name}")
        return held

    def say(self, text: str) -> None:
        """Keep the first error."""
        if self.fault is None:
            self.fault = self.stop(text)

    def stop(self, text: str) -> Undecodable:
        """Return the error that ends the decoding."""
        return Undecodable("".join(self.path).removeprefix("."), text)

    def inside(self, kind: Kind, value: Any) -> Any:
        """Decode a value as a type that decodes itself does: any error ends the decoding."""
        kept, self.fault = self.fault, None
        struct, depth = self.struct, len(self.fields)
        try:
            made = kind.read(value, None, self)
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


class _GoDecoder(Decoder):
    """The rules of encoding/json, for the values of `validators.go.json_syntax.read_json`."""

    ignores_case = True
    drops_zeros = False

    def __init__(self, *, marshalled: bool) -> None:
        super().__init__()
        self._marshalled = marshalled

    def members(self, value: Any) -> Iterable[tuple[str, Any]] | None:
        if value.__class__ is not Members:
            return None
        return sorted(dict(value).items()) if self._marshalled else value

    def scalar(self, value: Any) -> Any:
        if not isinstance(value, Number):
            return value
        digits = self._digits(value)
        return int(digits) if _INTEGER.fullmatch(digits) else value

    def described(self, value: Any, *, digits: bool) -> str:
        if isinstance(value, Number):
            return f"number {self._digits(value)}" if digits else "number"
        return "object" if value.__class__ is Members else go_kind(value)

    def _digits(self, number: Number) -> str:
        return json_text(float(number.text)) if self._marshalled else number.text


def decode(kind: Kind, value: Any, dialect: type[Decoder] = Decoder) -> Any:
    """Return the content of a variable of a type, by the rules for Kubernetes. Raises `Undecodable`.

    If there are several errors, the keys count as sorted, which is how kubectl sends them.
    """
    try:
        return _decode(kind, value, dialect())
    except Undecodable:
        return _decode(kind, _sorted(value), dialect())


def _decode(kind: Kind, value: Any, decoder: Decoder) -> Any:
    made = kind.read(value, None, decoder)
    if decoder.fault is not None:
        raise decoder.fault
    return made


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(one) for one in value] if isinstance(value, list) else value


class Decoded(NamedTuple):
    """The content of a variable, and the text of Go's error, if any. A struct has its set fields by documented key."""

    values: Any
    error: str = ""


def unmarshal(kind: Kind, value: Any, *, marshalled: bool = False) -> Decoded:
    """Return the result of ``json.Unmarshal`` of a parsed value into an empty struct or interface.

    ``marshalled``: as if the value had first been decoded into an interface and marshalled again. Never raises.
    """
    decoder = _GoDecoder(marshalled=marshalled)
    made = {} if value is None else kind.read(value, {}, decoder)
    return Decoded(made, str(decoder.fault or ""))


def go_type(value: Any) -> str:
    """Return ``%T`` of a parsed value that was decoded into an interface."""
    if value is None:
        return "<nil>"
    if value.__class__ is Members:
        return "map[string]interface {}"
    if isinstance(value, Number):
        return "float64"
    return "[]interface {}" if isinstance(value, list) else "bool" if isinstance(value, bool) else "string"
