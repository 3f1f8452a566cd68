"""The Go types of the built-in kinds of a release, each made when it is first needed."""

import json
import lzma
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from ovnguard.crd_schemas import BUILT_IN_TYPES
from ovnguard.validators.built_in import self_decoding
from ovnguard.validators.built_in.type_names import shown_name
from ovnguard.validators.go import basic_types as go
from ovnguard.validators.go.basic_types import Bytes, Scalar, Time
from ovnguard.validators.go.composite_types import Field, ListOf, MapOf, StructOf
from ovnguard.validators.go.json_decode import Kind

_REQUIRED: Final = "*"
_EMBEDDED_NAMED_SINCE: Final = 35
"""Since then, errors name the embedded struct that a field comes from: ``VolumeSource.emptyDir``."""
_SELF_DECODING: Final[Mapping[str, Kind]] = {
    "any": self_decoding.Raw(),
    "bytes": Bytes(),
    "int-or-string": self_decoding.IntOrString(),
    "microtime": self_decoding.MicroTime(),
    "quantity": self_decoding.Quantity(),
    "time": Time(),
}
_SCALARS: Final[Mapping[str, Scalar]] = {
    "bool": go.FLAG_POINTER,
    "float64": go.FLOAT64_POINTER,
    "int32": go.INT32_POINTER,
    "int64": go.INT64_POINTER,
    "string": go.TEXT_POINTER,
}


_ELSEWHERE: Final = "io.k8s.apiextensions-apiserver."
"""Definitions are decoded by the Go types of their own."""


@cache
def _data() -> dict[str, Any]:
    """The types of all releases."""
    found: dict[str, Any] = json.loads(lzma.decompress(BUILT_IN_TYPES.read_bytes()))
    return found


def all_kinds() -> Mapping[str, Any]:
    """Return each kind by ``apiVersion/kind``: its ``struct``, its ``resource``, the ``releases`` that have it."""
    found: dict[str, Any] = _data()["kinds"]
    return found


def fields_of(struct: str, release: int) -> Mapping[str, str]:
    """Return the fields of a struct in a minor release, each by its path in Go, with its type and no mark."""
    return {path: text.removeprefix(_REQUIRED) for path, text in _marked(struct, release).items()}


def _marked(struct: str, release: int) -> Mapping[str, str]:
    fields: Mapping[str, str] = next(
        each["fields"] for each in reversed(_data()["structs"][struct]) if each["since"] <= release
    )
    return fields


class Types:
    """The types of one minor release."""

    def __init__(self, release: int) -> None:
        self._release = release
        self._structs: dict[str, StructOf] = {}
        self._required: dict[StructOf, tuple[str, ...]] = {}

    def of_kind(self, api_version: str, kind: str) -> StructOf | None:
        """Return the type of a kind whose objects this release can create; None for others and for definitions."""
        known = all_kinds().get(f"{api_version}/{kind}")
        if known is None or self._release not in known["releases"] or known["struct"].startswith(_ELSEWHERE):
            return None
        return self._struct(known["struct"])

    def required(self, struct: StructOf) -> tuple[str, ...]:
        """Return the keys that OpenAPI requires in a struct."""
        return self._required[struct]

    def _struct(self, name: str) -> StructOf:
        if name in self._structs:
            return self._structs[name]
        made = self._structs[name] = StructOf(shown_name(f"@{name}"))
        fields = _marked(name, self._release)
        made.define(*(self._field(path, text.removeprefix(_REQUIRED)) for path, text in fields.items()))
        required = (path for path, text in fields.items() if text.startswith(_REQUIRED))
        self._required[made] = tuple(path.rpartition(".")[2] for path in required)
        return made

    def _field(self, path: str, text: str) -> Field:
        key = path.rpartition(".")[2]
        return Field(key, self._type(text), path=path if self._release >= _EMBEDDED_NAMED_SINCE else key)

    def _type(self, text: str) -> Kind:
        if text[:2] == "[]":
            return ListOf(self._type(text[2:]), shown_name(text))
        if text[:2] == "{}":
            return MapOf(self._type(text[2:]), shown_name(text))
        name, own, rest = text.partition("=")
        if own:
            kind = self._type(rest)
            return kind._replace(known_as=name) if isinstance(kind, MapOf | ListOf) else _renamed(kind, name)
        if text[0] == "@":
            return self._struct(text[1:])
        return _SCALARS.get(text) or _SELF_DECODING[text]


def _renamed(kind: Kind, name: str) -> Kind:
    """A scalar with the name of a type of its own; types that decode themselves do not tell theirs."""
    return kind._replace(name=name) if isinstance(kind, Scalar) else kind


@cache
def types_of(release: int) -> Types:
    """Return the types of a minor release."""
    return Types(release)
