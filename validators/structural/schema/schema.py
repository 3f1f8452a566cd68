"""The schema of a CustomResourceDefinition version as an immutable tree.

Source: apiextensions.k8s.io/v1, JSONSchemaProps. A node keeps the keywords that judging an object needs, and no
documentation. Branches of allOf, anyOf, oneOf and not are nodes like any other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ovnguard.validators.base.validation_rule import ValidationRule
from ovnguard.validators.go.json_decode import Undecodable, decode
from ovnguard.validators.structural.schema.definition_types import SCHEMA
from ovnguard.validators.structural.schema.enumeration import Enumeration

MAX_DEPTH: Final = 90
"""Deepest allowed nesting of schema nodes. The deepest real definitions have about 40 levels."""
MAX_NODES: Final = 200_000
"""Most schema nodes allowed in one version. The largest real definitions have about 20,000."""

# Keywords with plain values, and the fields of `Schema` that hold them.
_PLAIN: Final = {
    "maxLength": "max_length",
    "minLength": "min_length",
    "maxItems": "max_items",
    "minItems": "min_items",
    "maxProperties": "max_properties",
    "minProperties": "min_properties",
    "minimum": "minimum",
    "maximum": "maximum",
    "multipleOf": "multiple_of",
    "format": "format",
    "pattern": "pattern",
    "x-kubernetes-list-type": "list_type",
    "x-kubernetes-map-type": "map_type",
    "nullable": "nullable",
    "exclusiveMinimum": "exclusive_minimum",
    "exclusiveMaximum": "exclusive_maximum",
    "uniqueItems": "unique_items",
    "x-kubernetes-int-or-string": "int_or_string",
    "x-kubernetes-preserve-unknown-fields": "preserve_unknown",
    "x-kubernetes-embedded-resource": "embedded",
}
_UNSUPPORTED_MAPS: Final = ("definitions", "dependencies", "patternProperties")


class MalformedSchema(ValueError):
    """The schema does not decode: a keyword has a value of the wrong type, or the schema is too deep or too large."""

    def __init__(self, location: str, detail: str) -> None:
        super().__init__(f"{location or 'schema'}: {detail}")
        self.location = location
        self.detail = detail


class _NoDefault:
    """The type of NO_DEFAULT: this node has no default (a default of null counts as none)."""

    def __repr__(self) -> str:
        return "NO_DEFAULT"


NO_DEFAULT: Final = _NoDefault()


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """One node. ``location`` names it (``spec.ports[*].name``). ``types`` is empty for a node without a type.

    ``unsupported`` has the schemas of keywords that a definition must not have, by their place, such as
    ``definitions[a]``. ``unique`` is false if neither the node nor one below is a list of type set or map.
    """

    location: str
    types: tuple[str, ...] = ()
    nullable: bool = False
    format: str = ""
    default: Any = NO_DEFAULT
    enum: Enumeration = Enumeration()  # noqa: RUF009 - immutable
    required: tuple[str, ...] = ()
    pattern: str = ""
    max_length: int | None = None
    min_length: int | None = None
    max_items: int | None = None
    min_items: int | None = None
    max_properties: int | None = None
    min_properties: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    multiple_of: float | None = None
    unique_items: bool = False
    properties: Mapping[str, "Schema"] = field(default_factory=dict)
    additional: "Schema | None" = None
    additional_allowed: bool | None = None
    items: "Schema | None" = None
    all_of: tuple["Schema", ...] = ()
    any_of: tuple["Schema", ...] = ()
    one_of: tuple["Schema", ...] = ()
    negated: "Schema | None" = None
    unsupported: Mapping[str, "Schema"] = field(default_factory=dict)
    int_or_string: bool = False
    preserve_unknown: bool = False
    embedded: bool = False
    list_type: str = ""
    list_map_keys: tuple[str, ...] = ()
    map_type: str = ""
    unique: bool = True
    rules: tuple[ValidationRule, ...] = ()
    source: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def declared_type(self) -> str:
        """The declared ``type``, or "" for int-or-string and untyped nodes."""
        return self.types[0] if len(self.types) == 1 else ""

    @property
    def composed(self) -> bool:
        """Whether the node has branches: allOf, anyOf, oneOf or not."""
        return bool(self.all_of or self.any_of or self.one_of or self.negated)

    def at(self, keyword: str) -> str:
        """Return the location of a keyword of this node, as errors name their rule."""
        return f"{self.location}.{keyword}" if self.location else keyword


def parse_schema(source: Any, location: str = "") -> Schema:
    """Return the tree of an ``openAPIV3Schema`` mapping. Raises `MalformedSchema` if it does not decode."""
    try:
        return build_schema(decode(SCHEMA, source), location)
    except Undecodable as fault:
        raise MalformedSchema(fault.path, str(fault)) from None


def build_schema(decoded: Mapping[str, Any], location: str = "") -> Schema:
    """Return the tree of a decoded schema. Raises `MalformedSchema` if it is too deep or too large."""
    return _Parser().node(decoded, location, 0)


class _Parser:
    """Makes nodes and counts them, to limit depth and size of a definition."""

    def __init__(self) -> None:
        self.nodes = 0

    def node(self, source: Mapping[str, Any], location: str, depth: int) -> Schema:
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise MalformedSchema(location, f"deeper than {MAX_DEPTH} levels or more than {MAX_NODES} nodes")
        values = {name: source[key] for key, name in _PLAIN.items() if key in source}
        declared = source.get("type", "")
        values["types"] = ("integer", "string") if values.get("int_or_string") else (declared,) if declared else ()
        properties = {
            name: self.node(child, _in(location, name), depth + 1)
            for name, child in (source.get("properties") or {}).items()
        }
        additional = self._child(source, "additionalProperties", location + "[*]", depth)
        items = self._child(source, "items", location + "[*]", depth)
        below = filter(None, (*properties.values(), additional, items))
        return Schema(
            location=location,
            default=source.get("default", NO_DEFAULT),
            enum=Enumeration(source.get("enum", ())),
            required=tuple(source.get("required", ())),
            properties=properties,
            additional=additional,
            additional_allowed=True if additional is not None else source.get("additionalProperties"),
            items=items,
            all_of=self._branches(source, "allOf", location, depth),
            any_of=self._branches(source, "anyOf", location, depth),
            one_of=self._branches(source, "oneOf", location, depth),
            negated=self._child(source, "not", _in(location, "not"), depth),
            unsupported=self._unsupported(source, location, depth),
            list_map_keys=tuple(source.get("x-kubernetes-list-map-keys", ())),
            unique=values.get("list_type") in {"set", "map"} or any(child.unique for child in below),
            rules=tuple(map(_rule, source.get("x-kubernetes-validations", ()))),
            source=source,
            **values,
        )

    def _child(self, source: Mapping[str, Any], key: str, location: str, depth: int) -> Schema | None:
        written = source.get(key)
        return self.node(written, location, depth + 1) if isinstance(written, Mapping) else None

    def _branches(self, source: Mapping[str, Any], key: str, location: str, depth: int) -> tuple[Schema, ...]:
        written = source.get(key)
        branches = written if isinstance(written, list) else ()
        return tuple(self.node(one, f"{_in(location, key)}[{i}]", depth + 1) for i, one in enumerate(branches))

    def _unsupported(self, source: Mapping[str, Any], location: str, depth: int) -> Mapping[str, Schema]:
        found = {
            f"{key}[{name}]": self.node(child, f"{_in(location, key)}[{name}]", depth + 1)
            for key in _UNSUPPORTED_MAPS
            for name, child in (source.get(key) or {}).items()
            if isinstance(child, Mapping)
        }
        listed = self._branches(source, "items", location, depth)
        found |= {f"items[{index}]": child for index, child in enumerate(listed)}
        more = self._child(source, "additionalItems", _in(location, "additionalItems"), depth)
        return found if more is None else {**found, "additionalItems": more}


def _in(location: str, name: str) -> str:
    return f"{location}.{name}" if location else name


def _rule(written: Mapping[str, Any]) -> ValidationRule:
    return ValidationRule(
        rule=written.get("rule", ""),
        message=written.get("message"),
        message_expression=written.get("messageExpression"),
        reason=written.get("reason"),
        field_path=written.get("fieldPath"),
        optional_old_self=written.get("optionalOldSelf"),
    )
