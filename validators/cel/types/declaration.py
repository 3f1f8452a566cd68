"""The declaration of a structural schema node in CEL: its static type, its sizes for cost, its run-time shape.

Source: Kubernetes documentation, "Custom Resources", validation rules: type table; apiserver ``pkg/cel/common``
(schemas.go) for sizes: a request has at most 3 MiB, so an unbounded list has at most as many elements as fit there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ovnguard.validators.base.cel_names import RESERVED, escape
from ovnguard.validators.base.field import DEFAULT_KUBERNETES, minor
from ovnguard.validators.cel.types import static_types as types
from ovnguard.validators.cel.types.static_types import Type

_DEFAULT: Final = minor(DEFAULT_KUBERNETES)
_REVISED_SINCE: Final = 34
"""Since then nulls equal each other, and a maxLength bounds an int-or-string."""
MAX_REQUEST: Final = 3 * 1024 * 1024
_DATE_SIZE: Final = 12
_TIME_SIZE: Final = 32
_STRING_FORMATS: Final = {
    "byte": (types.BYTES, 2),
    "duration": (types.DURATION, 3),
    "date": (types.TIMESTAMP, 12),
    "date-time": (types.TIMESTAMP, 21),
}
_FORMAT_SIZES: Final = {"duration": _TIME_SIZE, "date": _DATE_SIZE, "date-time": _TIME_SIZE}
_TEXT: Final = {"type": "string"}
_NAMES: Final = {"name": 253, "generateName": 252}
"""How long names can be; a suffix is added to a generateName."""
_BOUNDED_NAMES_SINCE: Final = 37
_BY_VALUE_SINCE: Final = 37


@dataclass(slots=True)
class Decl:
    """One schema node. Never changed once it is built, and shared by all rules.

    ``shape`` is the form that data must have at run time. ``type`` is None if expressions cannot see the node.
    ``fields`` maps identifiers to property names. ``properties`` has every property, visible or not. ``max_elements``
    bounds string length in bytes, list items or map entries; it is 0 for objects and numbers. ``by_value``: sums of the
    list contain values, and a set compares values; without it, they contain and compare the data.
    """

    shape: str
    type: Type | None = None
    max_elements: int = 0
    min_size: int = 2
    nullable: bool = False
    format: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    properties: dict[str, "Decl"] | None = None
    element: "Decl | None" = None
    list_type: str = ""
    list_keys: tuple[str, ...] = ()
    by_value: bool = False
    names_are_escaped: bool = False
    nulls_differ: bool = False
    """Before 1.34: an object with a null for a property differs from every object, itself included."""

    def field(self, identifier: str) -> "tuple[str, Decl] | None":
        """Return the property that an identifier (or, from 1.31, a reserved word) names, with its declaration."""
        name = self.fields.get(identifier)
        if name is None and identifier in RESERVED:
            name = self.fields.get(f"__{identifier}__")
        return None if name is None or self.properties is None else (name, self.properties[name])


def declare(schema: Mapping[str, Any], *, root: bool = False, name: str = "selfType", release: int = _DEFAULT) -> Decl:
    """Return the declaration of a structural schema node (OpenAPI v3 as in a CRD) in a minor version.

    ``root``: the node is a whole resource, whose apiVersion, kind and metadata are visible in any case. ``name`` is the
    name of its object type in errors.
    """
    decl = _declare(schema, name, root or bool(schema.get("x-kubernetes-embedded-resource")), release)
    decl.nullable = bool(schema.get("nullable"))
    return decl


def _declare(schema: Mapping[str, Any], name: str, resource: bool, release: int) -> Decl:
    if schema.get("x-kubernetes-int-or-string"):
        limit = schema.get("maxLength") if release >= _REVISED_SINCE else None
        size = MAX_REQUEST - 2 if limit is None else max(0, int(limit)) * 4
        return Decl("int-or-string", types.DYN, size, 1)
    match schema.get("type"):
        case "array":
            return _array(schema, name, release)
        case "object":
            return _object(schema, name, resource, release)
        case "string":
            return _string(schema)
        case "boolean":
            return Decl("boolean", types.BOOL, 0, 4)
        case "number":
            return Decl("number", types.DOUBLE, 0, 1)
        case "integer":
            return Decl("integer", types.INT, 0, 1)
        case _:
            return Decl("unknown" if schema.get("x-kubernetes-preserve-unknown-fields") else "invalid")


def _array(schema: Mapping[str, Any], name: str, release: int) -> Decl:
    items = schema.get("items")
    if not isinstance(items, Mapping):
        return Decl("array")
    element = declare(items, name=f"{name}.@idx", release=release)
    limit = schema.get("maxItems")
    size = (MAX_REQUEST - 2) // (element.min_size + 1) if limit is None else max(0, int(limit))
    return Decl(
        "array",
        None if element.type is None else types.list_of(element.type),
        size,
        2,
        element=element,
        list_type=str(schema.get("x-kubernetes-list-type") or ""),
        list_keys=tuple(escape(key) or key for key in schema.get("x-kubernetes-list-map-keys") or ()),
        by_value=release >= _BY_VALUE_SINCE,
    )


def _object(schema: Mapping[str, Any], name: str, resource: bool, release: int) -> Decl:
    if resource:
        schema = with_object_meta(schema, release)
    additional = schema.get("additionalProperties")
    properties = schema.get("properties")
    element = declare(additional, name=f"{name}.@elem", release=release) if isinstance(additional, Mapping) else None
    if element is not None:
        limit = schema.get("maxProperties")
        size = (MAX_REQUEST - 2) // (element.min_size + 6) if limit is None else max(0, int(limit))
        seen = None if element.type is None else types.map_of(types.STRING, element.type)
        return Decl("map", seen, size, 2, element=element)
    made = Decl("object", types.struct(name), 0, 2)
    made.names_are_escaped = bool(properties)
    made.nulls_differ = release < _REVISED_SINCE
    made.properties = {}
    required = frozenset(schema.get("required") or ())
    for prop, inner in (properties or {}).items():
        identifier = escape(prop)
        decl = declare(inner, name=f"{name}.{identifier or prop}", release=release)
        made.properties[prop] = decl
        if decl.type is None:
            continue
        if identifier is not None:
            made.fields[identifier] = prop
        if prop in required and inner.get("default") is None:
            made.min_size += len(prop.encode()) + decl.min_size + 4
    return made


def with_object_meta(schema: Mapping[str, Any], release: int) -> Mapping[str, Any]:
    """Return the schema with kind, apiVersion and a metadata that has name and generateName."""
    properties = schema.get("properties") or {}
    meta = properties.get("metadata") or {}
    named = {key: (meta.get("properties") or {}).get(key) or {} for key in _NAMES}
    wanted = [
        (properties.get("kind") or {}, "string"),
        (properties.get("apiVersion") or {}, "string"),
        (meta, "object"),
    ]
    wanted += [(one, "string") for one in named.values()]
    if all(one.get("type") == kind for one, kind in wanted):
        return schema
    texts: dict[str, Mapping[str, Any]] = dict.fromkeys(_NAMES, _TEXT)
    if release >= _BOUNDED_NAMES_SINCE:
        texts = {key: {**_TEXT, "maxLength": _bounded(named[key], most)} for key, most in _NAMES.items()}
    seen = {"type": "object", "properties": texts}
    return {**schema, "properties": {**properties, "kind": _TEXT, "apiVersion": _TEXT, "metadata": seen}}


def _bounded(schema: Mapping[str, Any], most: int) -> int:
    limit = schema.get("maxLength")
    return most if limit is None else min(int(limit), most)


def _string(schema: Mapping[str, Any]) -> Decl:
    form = str(schema.get("format") or "")
    limit = schema.get("maxLength")
    if form in _STRING_FORMATS:
        held, min_size = _STRING_FORMATS[form]
        size = _FORMAT_SIZES.get(form, MAX_REQUEST - 2)
        if form == "byte" and limit is not None:
            size = max(0, int(limit))
        return Decl("string", held, size, min_size, format=form)
    if limit is not None:
        size = max(0, int(limit)) * 4
    elif schema.get("enum"):
        size = max((len(one.encode()) for one in schema["enum"] if isinstance(one, str)), default=0)
    else:
        size = MAX_REQUEST - 2
    return Decl("string", types.STRING, size, 2)
