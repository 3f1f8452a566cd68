"""Schemas and rules as Go prints its structs, which is how errors of definitions show them.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions/types_jsonschema.go``.
"""

from collections.abc import Mapping
from typing import Any, Final

from validators.go.text import Struct

# The fields of JSONSchemaProps in Go's order: name, key in JSON, value if the key is absent.
FIELDS: Final = (
    ("ID", "id", ""),
    ("Schema", "$schema", ""),
    ("Ref", "$ref", None),
    ("Description", "description", ""),
    ("Type", "type", ""),
    ("Nullable", "nullable", False),
    ("Format", "format", ""),
    ("Title", "title", ""),
    ("Default", "default", None),
    ("Maximum", "maximum", None),
    ("ExclusiveMaximum", "exclusiveMaximum", False),
    ("Minimum", "minimum", None),
    ("ExclusiveMinimum", "exclusiveMinimum", False),
    ("MaxLength", "maxLength", None),
    ("MinLength", "minLength", None),
    ("Pattern", "pattern", ""),
    ("MaxItems", "maxItems", None),
    ("MinItems", "minItems", None),
    ("UniqueItems", "uniqueItems", False),
    ("MultipleOf", "multipleOf", None),
    ("Enum", "enum", None),
    ("MaxProperties", "maxProperties", None),
    ("MinProperties", "minProperties", None),
    ("Required", "required", None),
    ("Items", "items", None),
    ("AllOf", "allOf", None),
    ("OneOf", "oneOf", None),
    ("AnyOf", "anyOf", None),
    ("Not", "not", None),
    ("Properties", "properties", None),
    ("AdditionalProperties", "additionalProperties", None),
    ("PatternProperties", "patternProperties", None),
    ("Dependencies", "dependencies", None),
    ("AdditionalItems", "additionalItems", None),
    ("Definitions", "definitions", None),
    ("ExternalDocs", "externalDocs", None),
    ("Example", "example", None),
    ("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", None),
    ("XEmbeddedResource", "x-kubernetes-embedded-resource", False),
    ("XIntOrString", "x-kubernetes-int-or-string", False),
    ("XListMapKeys", "x-kubernetes-list-map-keys", None),
    ("XListType", "x-kubernetes-list-type", None),
    ("XMapType", "x-kubernetes-map-type", None),
    ("XValidations", "x-kubernetes-validations", None),
)


def go_schema(source: Mapping[str, Any]) -> Struct:
    """Return a schema as Go prints its JSONSchemaProps: every field, in order."""
    return Struct((name, _go_field(name, source.get(key), unset)) for name, key, unset in FIELDS)


def _go_field(name: str, value: Any, unset: Any) -> Any:
    if value is None:
        return unset
    if name in {"AllOf", "OneOf", "AnyOf"}:
        return [go_schema(one) for one in value]
    if name == "Not":
        return go_schema(value)
    if name in {"Properties", "PatternProperties", "Definitions"}:
        return {key: go_schema(one) for key, one in value.items()}
    if name in {"AdditionalProperties", "AdditionalItems"}:
        schema = go_schema(value) if isinstance(value, Mapping) else None
        return Struct(Allows=True if schema is not None else value, Schema=schema)
    if name == "Items":
        return go_items(value)
    if name == "XValidations":
        return [go_rule(one) for one in value]
    return value


def go_items(value: Any) -> Struct:
    """Return the ``items`` of a schema as Go prints its JSONSchemaPropsOrArray."""
    many = [go_schema(one) for one in value] if isinstance(value, list) else None
    return Struct(Schema=go_schema(value) if isinstance(value, Mapping) else None, JSONSchemas=many)


def go_rule(source: Mapping[str, Any]) -> Struct:
    """Return a rule as Go prints its ValidationRule."""
    return Struct(
        Rule=source.get("rule") or "",
        Message=source.get("message") or "",
        MessageExpression=source.get("messageExpression") or "",
        Reason=source.get("reason"),
        FieldPath=source.get("fieldPath") or "",
        OptionalOldSelf=source.get("optionalOldSelf"),
    )
