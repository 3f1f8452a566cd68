"""Fields of bundled definitions, named as ``kubectl explain`` names them: ``PLURAL.path`` or ``KIND.path``."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Final

from ovnguard import crd_schemas
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.bundled.bundled_rules import bundled_rules, schema_of
from ovnguard.validators.go.text import json_text
from ovnguard.validators.manifest.position_trees import positions
from ovnguard.validators.manifest.positions import Node

_ITEM: Final = re.compile(r"\[[^\]]*\]")
_BOUNDS: Final = (
    *("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"),
    *("format", "minItems", "maxItems", "minProperties", "maxProperties"),
)
_SCHEMA: Final = ("spec", "versions", 0, "schema", "openAPIV3Schema")
_MOST_NAMES: Final = 12
_METADATA: Final = "metadata"


class UnknownField(Exception):
    """There is no such field; the message names what is close."""


@dataclass(frozen=True, slots=True)
class FieldExplanation:
    """A field of one kind. ``sets`` are the schema sets that define it so; ``rules`` are ids with messages."""

    kind: str
    path: str
    sets: tuple[str, ...]
    type: str
    description: str
    required: bool
    default: str
    enum: tuple[str, ...]
    bounds: tuple[str, ...]
    fields: tuple[str, ...]
    rules: tuple[tuple[str, str], ...]
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class _Found:
    """A schema node, its path as rules have it, the keys that lead to it, and whether its parent requires it."""

    node: JsonObject
    path: str = ""
    steps: tuple[str | int, ...] = _SCHEMA
    required: bool = False

    def down(self, key: str, suffix: str = "") -> "_Found":
        """The node below ``key``, a list's items or a map's values."""
        return _Found(self.node[key], self.path + suffix, (*self.steps, key), self.required)

    def field(self, name: str) -> "_Found":
        """The node of a property."""
        path = f"{self.path}.{name}" if self.path else name
        required = name in self.node.get("required", ())
        return _Found(self.node["properties"][name], path, (*self.steps, "properties", name), required)


def is_field(name: str) -> bool:
    """Whether the first word of a dotted name is a bundled kind."""
    return name.split(".", 1)[0].casefold() in _kinds()


def kind_names() -> tuple[str, ...]:
    """Return the plural of every bundled kind."""
    return tuple(plural for key in crd_schemas.kinds() for plural in [_plural(key)])


def field_explanations(name: str) -> list[FieldExplanation]:
    """Return what the bundled definitions say of a field, one entry for each way to define it.

    Raises `UnknownField` if no definition of the kind has the field.
    """
    word, *steps = _ITEM.sub("", name).split(".")
    key = _kinds()[word.casefold()]
    files: dict[str, list[str]] = {}
    for schema_set, file in crd_schemas.paths(*key).items():
        files.setdefault(file, []).append(schema_set)
    made, faults = [], []
    for file, sets in files.items():
        try:
            made.append(_explained(key, file, tuple(sets), steps))
        except UnknownField as fault:
            faults.append(fault)
    if not made:
        raise faults[0]
    return _merged(made)


def _merged(made: list[FieldExplanation]) -> list[FieldExplanation]:
    """One entry for schema sets that define the field alike, apart from its line."""
    first, *others = made
    kept = [first]
    for each in others:
        if _content(each) == _content(first):
            kept[0] = _with_sets(first, (*first.sets, *each.sets))
        else:
            kept.append(each)
    return kept


def _content(each: FieldExplanation) -> tuple[object, ...]:
    return tuple(getattr(each, name) for name in each.__slots__ if name not in ("sets", "file", "line"))


def _with_sets(each: FieldExplanation, sets: tuple[str, ...]) -> FieldExplanation:
    values = {name: getattr(each, name) for name in each.__slots__}
    return FieldExplanation(**{**values, "sets": sets})


@cache
def _kinds() -> Mapping[str, crd_schemas.Key]:
    """Kinds by their short names, their singular, which is the kind, and their plural, in small letters."""
    found = {
        name: key
        for key in crd_schemas.kinds()
        for file in crd_schemas.paths(*key).values()
        for name in crd_schemas.parsed(file)["spec"]["names"].get("shortNames", ())
    }
    found |= {key[2].casefold(): key for key in crd_schemas.kinds()}
    return found | {_plural(key): key for key in crd_schemas.kinds()}


def _plural(key: crd_schemas.Key) -> str:
    return crd_schemas.crd_name(*key).split(".", 1)[0]


def _explained(key: crd_schemas.Key, file: str, sets: tuple[str, ...], steps: list[str]) -> FieldExplanation:
    found = _Found(schema_of(file))
    for step in steps:
        found = _below(_inner(found), step, key[2])
    node, inner = found.node, _inner(found)
    required = inner.node.get("required", ())
    line = _line(positions(crd_schemas.read(file), 0), found.steps)
    return FieldExplanation(
        kind=key[2],
        path=".".join(steps),
        sets=sets,
        type=_type(node),
        description=str(node.get("description", "")).strip(),
        required=found.required,
        default=json_text(node["default"]) if "default" in node else "",
        enum=tuple(json_text(value) for value in node.get("enum", ())),
        bounds=tuple(_bounds(node)),
        fields=tuple(f"{name}*" if name in required else name for name in inner.node.get("properties", ())),
        rules=tuple(_rules(key[2], file, {found.path, inner.path})),
        file=f"crd_schemas/{file}",
        line=line,
    )


def _inner(found: _Found) -> _Found:
    """The node that has the fields: below lists and maps that have no name."""
    while "properties" not in found.node:
        if isinstance(found.node.get("items"), Mapping):
            found = found.down("items", "[*]")
        elif isinstance(found.node.get("additionalProperties"), Mapping):
            found = found.down("additionalProperties", "[*]")
        else:
            break
    return found


def _below(found: _Found, step: str, kind: str) -> _Found:
    known = found.node.get("properties", {})
    if step in known:
        return found.field(step)
    where = f"{kind} {found.path}".rstrip()
    if found.path == _METADATA:
        raise UnknownField(f"{where}.{step} is the same for every kind; the definition says nothing about it")
    if not known:
        raise UnknownField(f"{where} has no fields, so no {step}")
    folded = {name.casefold(): name for name in known}
    close = [folded[name] for name in get_close_matches(step.casefold(), folded, 2)]
    names = ", ".join(list(known)[:_MOST_NAMES])
    hint = f"did you mean {' or '.join(close)}?" if close else f"it has {names}{', ...' * (len(known) > _MOST_NAMES)}"
    raise UnknownField(f"{where} has no field {step}; {hint}")


def _type(node: JsonObject) -> str:
    if node.get("x-kubernetes-int-or-string"):
        return "integer or string"
    items, values = node.get("items"), node.get("additionalProperties")
    if node.get("type") == "array" and isinstance(items, Mapping):
        keys = ", ".join(node.get("x-kubernetes-list-map-keys", ()))
        kind = {"set": ", each at most once", "map": f", one for each {keys}"}.get(
            str(node.get("x-kubernetes-list-type")), ""
        )
        return f"list of {_type(dict(items))}{kind}"
    if isinstance(values, Mapping):
        return f"map of string to {_type(dict(values))}"
    return str(node.get("type", "any")) + (" or null" if node.get("nullable") else "")


def _bounds(node: JsonObject) -> Iterator[str]:
    for name in _BOUNDS:
        if name in node:
            value: Any = node[name]
            yield f"{name} {value if isinstance(value, str) else json_text(value)}"


def _rules(kind: str, file: str, paths: set[str]) -> Iterator[tuple[str, str]]:
    """The rules of the field and of its items, and the policies about it."""
    for rule in bundled_rules().values():
        here = {path.path for path in rule.paths if path.file == file or (kind in rule.kinds and _is_policy(path.file))}
        if here & paths:
            yield rule.id, " ".join(rule.message.split())


def _is_policy(file: str) -> bool:
    return file.startswith(f"{crd_schemas.POLICIES}/")


def _line(node: Node, steps: tuple[str | int, ...]) -> int:
    for step in steps:
        node = node.members[step]
    return node.position.line
