"""Finds the part of a schema and of an object that the printed path of a field means."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.lazy_pattern import lazy_pattern

_STEP: Final = re.compile(r"\.?([^.\[\]]+)|\[([^\]]*)\]")
_INDEX: Final = lazy_pattern(r"\[[^\]]*\]")
MOST_KNOWN: Final = 200
"""Fields of one object that are compared with a word."""


class Place(NamedTuple):
    """The unknown ``key`` below ``parent``, the path of a field that the schema has, with its schema and its value."""

    parent: str
    key: str
    schema: JsonObject
    value: Any

    def path(self, key: str) -> str:
        """The path of a field next to the unknown one."""
        return f"{self.parent}.{key}" if self.parent else key


def unknown_place(path: str, schema: JsonObject, obj: Any) -> Place | None:
    """Return where the path of an unknown field leaves the schema; None for a path that does not."""
    for found in _STEP.finditer(path):
        below = _below(schema, found[1] or found[2])
        if below is None:
            return Place(path[: found.start()], path[found.start() :].strip("."), schema, obj)
        schema, obj = below, _member(obj, found[1] or found[2])
    return None


def schema_at(schema: JsonObject, path: str) -> JsonObject | None:
    """Return the schema of the value at a path."""
    found: JsonObject | None = schema
    for step in _STEP.finditer(path):
        found = None if found is None else _below(found, step[1] or step[2])
    return found


def value_at(obj: Any, path: str) -> Any:
    """Return the value at a path; None where there is none."""
    for step in _STEP.finditer(path):
        obj = _member(obj, step[1] or step[2])
    return obj


def without_indexes(path: str) -> str:
    """Return a path as ``kubectl explain`` takes it."""
    return _INDEX.sub("", path)


def fields_named(name: str, schema: JsonObject, path: str = "") -> Iterator[str]:
    """Iterate over the paths below ``spec`` whose last field has this name, whatever its case."""
    properties = schema.get("properties")
    for key, below in properties.items() if isinstance(properties, Mapping) else ():
        if not path and key != "spec":
            continue
        here = f"{path}.{key}" if path else key
        if key.casefold() == name.casefold():
            yield here
        yield from fields_named(name, below, here)
    if isinstance(schema.get("items"), Mapping):
        yield from fields_named(name, schema["items"], path)


def _below(schema: Mapping[str, Any], step: str) -> JsonObject | None:
    properties = schema.get("properties")
    if isinstance(properties, Mapping) and step in properties:
        found = properties[step]
    else:
        found = schema.get("items") if step.isdecimal() else schema.get("additionalProperties")
    return found if isinstance(found, dict) else None


def _member(value: Any, step: str) -> Any:
    if isinstance(value, list) and step.isdecimal():
        return value[int(step)] if int(step) < len(value) else None
    return value.get(step) if isinstance(value, dict) else None
