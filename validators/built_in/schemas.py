"""The OpenAPI schemas of the built-in kinds of a release: what expressions see of their objects.

Source: apiserver ``pkg/cel/openapi/resolver`` (refs.go, which replaces references) and ``pkg/cel/common`` (schemas.go).
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from ovnguard.validators.built_in.types import all_kinds, fields_of

_TIME: Final = {"type": "string", "format": "date-time"}
_EMPTY: Final = {"type": "object"}
"""Raw JSON, and a struct inside itself, show no fields."""
_HIDDEN: Final[Mapping[str, Any]] = {}
"""A schema without a type, which expressions cannot see."""
_PLAIN: Final[Mapping[str, Mapping[str, Any]]] = {
    "any": _EMPTY,
    "bool": {"type": "boolean"},
    "bytes": {"type": "string", "format": "byte"},
    "float64": {"type": "number"},
    "int-or-string": {"x-kubernetes-int-or-string": True},
    "int32": {"type": "integer"},
    "int64": {"type": "integer"},
    "json": _HIDDEN,
    "microtime": _TIME,
    "quantity": _HIDDEN,
    "string": {"type": "string"},
    "time": _TIME,
}


class BuiltInKind(NamedTuple):
    """A kind of a release: how requests name it, and its struct in the data."""

    group: str
    version: str
    kind: str
    resource: str
    struct: str


@cache
def kinds_of_release(release: int) -> tuple[BuiltInKind, ...]:
    """Return the kinds whose objects a minor release can create, in alpha and beta versions too; sorted by group."""
    found = []
    for key, known in all_kinds().items():
        if release in known["releases"]:
            api_version, _, kind = key.rpartition("/")
            group, _, version = api_version.rpartition("/")
            found.append(BuiltInKind(group, version, kind, known["resource"], known["struct"]))
    return tuple(sorted(found))


def schema_of_kind(api_version: str, kind: str, release: int) -> Mapping[str, Any]:
    """Return the schema of a kind of a minor release. Raises KeyError for a kind that no release has."""
    return schema_of(all_kinds()[f"{api_version}/{kind}"]["struct"], release)


@cache
def schema_of(struct: str, release: int) -> Mapping[str, Any]:
    """Return the schema of a struct in a minor release, with types and formats, and without references."""
    return _object(struct, release, frozenset())


def _object(struct: str, release: int, around: frozenset[str]) -> Mapping[str, Any]:
    if struct in around:
        return _EMPTY
    inside = around | {struct}
    return {"type": "object", "properties": dict(_properties(struct, release, inside))}


def _properties(struct: str, release: int, inside: frozenset[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path, text in fields_of(struct, release).items():
        yield path.rpartition(".")[2], _schema(text, release, inside)


def _schema(text: str, release: int, inside: frozenset[str]) -> Mapping[str, Any]:
    if text[:2] == "[]":
        return {"type": "array", "items": _schema(text[2:], release, inside)}
    if text[:2] == "{}":
        return {"type": "object", "additionalProperties": _schema(text[2:], release, inside)}
    _, named, rest = text.partition("=")
    if named:
        return _schema(rest, release, inside)
    return _object(text[1:], release, inside) if text[0] == "@" else _PLAIN[text]
