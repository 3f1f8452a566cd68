"""Keywords of bundled definitions as rules: ``spec.layer2.role.enum`` is the id of what an ``enum`` refuses."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from ovnguard import crd_schemas
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.bundled.bundled_rules import schema_of
from ovnguard.validators.cli.explain.explanations import Explanation, Location
from ovnguard.validators.go.text import json_text
from ovnguard.validators.manifest.position_trees import positions

_MEANINGS: Final[Mapping[str, str]] = {
    "type": "the value must be of type {}",
    "enum": "the value must be one of {}",
    "required": "the value must have {}",
    "pattern": "the value must match {}",
    "format": "the value must have the format {}",
    "minimum": "the value must be at least {}",
    "exclusiveMinimum": "the value must be greater than the minimum",
    "maximum": "the value must be at most {}",
    "exclusiveMaximum": "the value must be less than the maximum",
    "multipleOf": "the value must be a multiple of {}",
    "minLength": "the value must have at least {} characters",
    "maxLength": "the value must have at most {} characters",
    "minItems": "the list must have at least {} items",
    "maxItems": "the list must have at most {} items",
    "uniqueItems": "the items must differ",
    "minProperties": "the value must have at least {} fields",
    "maxProperties": "the value must have at most {} fields",
    "additionalProperties": "the value must have no other fields",
    "allOf": "the value must fit all of these schemas",
    "anyOf": "the value must fit one of these schemas at least",
    "oneOf": "the value must fit exactly one of these schemas",
    "not": "the value must not fit this schema",
    "x-kubernetes-list-type": "each item may occur once",
    "x-kubernetes-list-map-keys": "the items must differ in {}",
}
_BRANCH: Final = re.compile(r"(allOf|anyOf|oneOf)\[(\d+)\]")
_STEP: Final = re.compile(r"(?:allOf|anyOf|oneOf)\[\d+\]|\[\*\]|[^.\[\]]+")
_SCHEMA: Final = ("spec", "versions", 0, "schema", "openAPIV3Schema")


class Place(NamedTuple):
    """A schema in the file of a definition, and the keys that lead to it."""

    file: str
    node: JsonObject
    steps: tuple[str | int, ...]


def is_keyword(name: str) -> bool:
    """Whether a rule id ends in a keyword of schemas, as ids of findings about CRDs without ids of their own do."""
    return name.rpartition(".")[2] in _MEANINGS


def keyword_explanations(name: str) -> list[Explanation]:
    """Return what the keyword at a place of bundled definitions requires, one entry for each value that it has there.

    ``name`` is the rule id of a finding: the path of the field, ``[*]`` for items and values, and the keyword.
    """
    keyword = name.rpartition(".")[2]
    found: dict[str, list[Place]] = {}
    for place in places_of(name):
        found.setdefault(json_text(place.node[keyword]), []).append(place)
    return [_explanation(name, keyword, places) for places in found.values()]


def places_of(name: str) -> Iterator[Place]:
    """Iterate over the schemas of bundled definitions that have the keyword of a rule id."""
    path, _, keyword = name.rpartition(".")
    for file in crd_schemas.definition_files() if keyword in _MEANINGS else ():
        place = _at(Place(file, schema_of(file), _SCHEMA), path)
        if place is not None and keyword in place.node:
            yield place


def _at(place: Place, path: str) -> Place | None:
    """The schema of a path, or None."""
    for step in _STEP.findall(path):
        below = next(((keys, node) for keys, node in _ways(place.node, step) if isinstance(node, dict)), None)
        if below is None:
            return None
        place = Place(place.file, below[1], (*place.steps, *below[0]))
    return place


def _ways(node: JsonObject, step: str) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """What a step of a path may mean: keys, and what they lead to."""
    properties = node.get("properties", {})
    if step in properties:
        yield ("properties", step), properties[step]
    if step == "[*]":
        yield from (((key,), node[key]) for key in ("items", "additionalProperties") if key in node)
    if branch := _BRANCH.fullmatch(step):
        branches, index = node.get(branch[1], ()), int(branch[2])
        if index < len(branches):
            yield (branch[1], index), branches[index]
    if step == "not":
        yield ("not",), node.get("not")


def _explanation(name: str, keyword: str, places: list[Place]) -> Explanation:
    first = places[0]
    value = first.node[keyword]
    shown = ", ".join(map(_text, value)) if isinstance(value, list) else _text(value)
    return Explanation(
        name,
        "error",
        _MEANINGS[keyword].format(shown),
        " ".join(str(first.node.get("description", "")).split()),
        rule=f"{keyword}: {json_text(value)}",
        fields=(name.rpartition(".")[0] or "the whole object",),
        kinds=tuple(dict.fromkeys(crd_schemas.parsed(place.file)["spec"]["names"]["kind"] for place in places)),
        locations=tuple(_location(place, keyword) for place in places),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) and value else json_text(value)


def _location(place: Place, keyword: str) -> Location:
    node = positions(crd_schemas.read(place.file), 0)
    for step in place.steps:
        node = node.members[step]
    return Location(f"crd_schemas/{place.file}", node.keys[keyword].line)
