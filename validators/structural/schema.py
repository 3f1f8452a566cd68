"""The schema of a CustomResourceDefinition version as an immutable tree.

Source: apiextensions.k8s.io/v1, JSONSchemaProps. A node keeps the keywords that judging an object needs, and no
documentation. Branches of allOf, anyOf, oneOf and not are nodes like any other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from validators.base.validation_rule import ValidationRule
from validators.structural.enumeration import Enumeration

MAX_DEPTH: Final = 90
"""Deepest allowed nesting of schema nodes. The deepest real definitions have about 40 levels."""
MAX_NODES: Final = 200_000
"""Most schema nodes allowed in one version. The largest real definitions have about 20,000."""

# Keywords with plain values, and the fields of `Schema` that hold them.
_INTEGERS: Final = {
    "maxLength": "max_length",
    "minLength": "min_length",
    "maxItems": "max_items",
    "minItems": "min_items",
    "maxProperties": "max_properties",
    "minProperties": "min_properties",
}
_NUMBERS: Final = {"minimum": "minimum", "maximum": "maximum", "multipleOf": "multiple_of"}
_STRINGS: Final = {
    "type": "types",
    "format": "format",
    "pattern": "pattern",
    "x-kubernetes-list-type": "list_type",
    "x-kubernetes-map-type": "map_type",
}
_FLAGS: Final = {
    "nullable": "nullable",
    "exclusiveMinimum": "exclusive_minimum",
    "exclusiveMaximum": "exclusive_maximum",
    "uniqueItems": "unique_items",
    "x-kubernetes-int-or-string": "int_or_string",
    "x-kubernetes-preserve-unknown-fields": "preserve_unknown",
    "x-kubernetes-embedded-resource": "embedded",
}


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

    ``unique`` is false if neither the node nor one below is a list of type set or map.
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


def parse_schema(source: Mapping[str, Any], location: str = "") -> Schema:
    """Return the tree of an ``openAPIV3Schema`` mapping. Raises `MalformedSchema` if it does not decode."""
    return _Parser().node(source, location, 0)


class _Parser:
    """Parses nodes and counts them, to limit depth and size of a definition."""

    def __init__(self) -> None:
        self.nodes = 0

    def node(self, source: Any, location: str, depth: int) -> Schema:
        if not isinstance(source, Mapping):
            raise MalformedSchema(location, f"must be a schema object, got {_kind(source)}")
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise MalformedSchema(location, f"deeper than {MAX_DEPTH} levels or more than {MAX_NODES} nodes")
        values = _scalars(source, location)
        properties = self._properties(source, location, depth)
        additional, allowed = self._additional(source, location, depth)
        items = self._items(source, location, depth)
        below = filter(None, (*properties.values(), additional, items))
        self._read_forbidden(source, location, depth)
        return Schema(
            location=location,
            default=NO_DEFAULT if source.get("default") is None else source["default"],
            enum=Enumeration(_list(source, "enum", location)),
            required=tuple(_texts(source, "required", location)),
            properties=properties,
            additional=additional,
            additional_allowed=allowed,
            items=items,
            all_of=self._branches(source, "allOf", location, depth),
            any_of=self._branches(source, "anyOf", location, depth),
            one_of=self._branches(source, "oneOf", location, depth),
            negated=None if source.get("not") is None else self.node(source["not"], _in(location, "not"), depth + 1),
            list_map_keys=tuple(_texts(source, "x-kubernetes-list-map-keys", location)),
            unique=values.get("list_type") in {"set", "map"} or any(child.unique for child in below),
            rules=_rules(source, location),
            source=source,
            **values,
        )

    def _properties(self, source: Mapping[str, Any], location: str, depth: int) -> Mapping[str, Schema]:
        written = source.get("properties") or {}
        if not isinstance(written, Mapping):
            raise MalformedSchema(_in(location, "properties"), f"must be an object, got {_kind(written)}")
        children = {}
        for name, child in written.items():
            if not isinstance(name, str):
                raise MalformedSchema(_in(location, "properties"), f"property names are strings, got {_kind(name)}")
            children[name] = self.node(child, _in(location, name), depth + 1)
        return children

    def _additional(self, source: Mapping[str, Any], location: str, depth: int) -> tuple[Schema | None, bool | None]:
        written = source.get("additionalProperties")
        if written is None or isinstance(written, bool):
            return None, written
        return self.node(written, location + "[*]", depth + 1), True

    def _items(self, source: Mapping[str, Any], location: str, depth: int) -> Schema | None:
        written = source.get("items")
        if isinstance(written, list):
            # An items list is never allowed, but the server must be able to read it before it reports that.
            self._branches(source, "items", location, depth)
            return None
        return None if written is None else self.node(written, location + "[*]", depth + 1)

    def _read_forbidden(self, source: Mapping[str, Any], location: str, depth: int) -> None:
        """Parse the schemas in keywords that a structural schema must not have, because they must decode as well."""
        for key in ("patternProperties", "definitions"):
            written = source.get(key) or {}
            if not isinstance(written, Mapping):
                raise MalformedSchema(_in(location, key), f"must be an object, got {_kind(written)}")
            for name, child in written.items():
                self.node(child, f"{_in(location, key)}[{name}]", depth + 1)
        additional = source.get("additionalItems")
        if additional is not None and not isinstance(additional, bool):
            self.node(additional, _in(location, "additionalItems"), depth + 1)

    def _branches(self, source: Mapping[str, Any], key: str, location: str, depth: int) -> tuple[Schema, ...]:
        branches = _list(source, key, location)
        return tuple(self.node(one, f"{_in(location, key)}[{i}]", depth + 1) for i, one in enumerate(branches))


def _in(location: str, name: str) -> str:
    return f"{location}.{name}" if location else name


def _scalars(source: Mapping[str, Any], location: str) -> dict[str, Any]:
    """Return the keywords with plain values that the node has, under the names of `Schema`'s fields."""
    out: dict[str, Any] = {}
    for key, name in _INTEGERS.items():
        if key in source:
            out[name] = _typed(source, key, location, int)
    for key, name in _NUMBERS.items():
        if key in source:
            number = _typed(source, key, location, (int, float))
            out[name] = None if number is None else float(number)
    for key, name in _STRINGS.items():
        if key in source:
            out[name] = _typed(source, key, location, str) or ""
    for key, name in _FLAGS.items():
        if key in source:
            out[name] = bool(_typed(source, key, location, bool))
    declared = out.pop("types", "")
    out["types"] = ("integer", "string") if out.get("int_or_string") else ((declared,) if declared else ())
    return out


def _typed(source: Mapping[str, Any], key: str, location: str, wanted: type | tuple[type, ...]) -> Any:
    value = source.get(key)
    if value is None:
        return None
    # YAML and JSON distinguish booleans from numbers, Python does not. Go reads 5.0 as an integer, but not 5.5.
    if wanted is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        raise MalformedSchema(_in(location, key), f"has the wrong type: {_kind(value)}")
    return value


def _list(source: Mapping[str, Any], key: str, location: str) -> list[Any]:
    value = source.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise MalformedSchema(_in(location, key), f"must be a list, got {_kind(value)}")
    return value


def _texts(source: Mapping[str, Any], key: str, location: str) -> list[str]:
    values = _list(source, key, location)
    for value in values:
        if not isinstance(value, str):
            raise MalformedSchema(_in(location, key), f"must be a list of strings, got {_kind(value)} in it")
    return values


def _rules(source: Mapping[str, Any], location: str) -> tuple[ValidationRule, ...]:
    rules = []
    for index, written in enumerate(_list(source, "x-kubernetes-validations", location)):
        where = f"{_in(location, 'x-kubernetes-validations')}[{index}]"
        if not isinstance(written, Mapping):
            raise MalformedSchema(where, f"must be an object, got {_kind(written)}")
        rules.append(
            ValidationRule(
                rule=_typed(written, "rule", where, str) or "",
                message=_typed(written, "message", where, str),
                message_expression=_typed(written, "messageExpression", where, str),
                reason=_typed(written, "reason", where, str),
                field_path=_typed(written, "fieldPath", where, str),
                optional_old_self=_typed(written, "optionalOldSelf", where, bool),
            )
        )
    return tuple(rules)


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object" if isinstance(value, dict) else type(value).__name__
