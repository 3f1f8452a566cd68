"""The Go types of a CustomResourceDefinition: what decodes, what is equal, and what errors print.

Source: apiextensions.k8s.io/v1 (``types.go``, ``types_jsonschema.go``, ``marshal.go``) for keys and types; the internal
version of the same package for names and order of the fields in errors.
"""

from typing import Any, Final

from validators.base.field import JSON_VALUES_SINCE, ErrorType, FieldError, Older
from validators.go import typed_values as go
from validators.go.text import GoText, Struct, go_syntax
from validators.go.typed_json import Decoder, Field, Kind, ListOf, MapOf, StructOf, pointer, qualified
from validators.go.typed_values import Plain, text
from validators.structural.schema.deep_equal import deep_equal

_SELECTABLE_SINCE: Final = 30
_NO_SELECTABLE: Final = ", SelectableFields:[]apiextensions.SelectableField(nil)"
_PACKAGE: Final = "apiextensions"
TEXTS: Final = ListOf(go.TEXT)


class _Anything(Plain):
    """A JSON value that is kept as it is."""

    name = "v1.JSON"

    def read(self, value: Any, at: Decoder) -> Any:
        """See `validators.go.typed_json.Kind`."""
        return value

    def same(self, left: Any, right: Any) -> bool:
        """See `validators.go.typed_json.Kind`. Numbers with and without a fraction differ."""
        return deep_equal(left, right)


class _Element(_Anything):
    """The same as an element of a list, where it is no pointer."""

    def go_syntax(self, value: Any, package: str) -> str:
        """See `validators.go.typed_json.Kind`."""
        return f"{qualified(self.name, package)}(nil)" if value is None else go_syntax(value)


class _SchemaOr:
    """A schema, or another form that ``_other`` reads. The type decodes itself."""

    unset: bool | None = None
    name = "v1.JSONSchemaProps"
    known_as = name

    def read(self, value: Any, at: Decoder) -> Any:
        """See `validators.go.typed_json.Kind`."""
        return at.inside(SCHEMA, value) if type(value) is dict else self._other(value, at)

    def _other(self, value: Any, at: Decoder) -> Any:
        raise NotImplementedError

    def same(self, left: Any, right: Any) -> bool:
        """See `validators.go.typed_json.Kind`."""
        if type(left) is not type(right):
            return False
        if type(left) is dict:
            return SCHEMA.same(left, right)
        return SCHEMAS.same(left, right) if type(left) is list else bool(left == right)

    def go_syntax(self, value: Any, package: str) -> str:
        """See `validators.go.typed_json.Kind`."""
        return pointer(self.known_as, value, package)

    def _schema(self, value: Any) -> Struct | None:
        return SCHEMA.shown(value) if type(value) is dict else None


class _SchemaOrBool(_SchemaOr):
    known_as = "v1.JSONSchemaPropsOrBool"

    def _other(self, value: Any, at: Decoder) -> Any:
        if type(value) is bool:
            return value
        raise at.stop("boolean or JSON schema expected")

    def shown(self, value: Any) -> Any:
        """See `validators.go.typed_json.Kind`."""
        return Struct(Allows=value is not False, Schema=self._schema(value))


class _SchemaOrArray(_SchemaOr):
    """True is an ``items`` that has neither a schema nor a list of them."""

    known_as = "v1.JSONSchemaPropsOrArray"

    def _other(self, value: Any, at: Decoder) -> Any:
        return at.inside(SCHEMAS, value) if type(value) is list else True

    def shown(self, value: Any) -> Any:
        """See `validators.go.typed_json.Kind`."""
        return Struct(Schema=self._schema(value), JSONSchemas=SCHEMAS.shown(value) if type(value) is list else None)

    def literal(self, value: Any, package: str) -> str:
        """Return ``%#v`` of the struct itself."""
        schema = SCHEMA.go_syntax(value if type(value) is dict else None, package)
        schemas = SCHEMAS.go_syntax(value if type(value) is list else None, package)
        return f"{qualified(self.known_as, package)}{{Schema:{schema}, JSONSchemas:{schemas}}}"


class _SchemaOrTexts(_SchemaOr):
    unset = True
    known_as = "v1.JSONSchemaPropsOrStringArray"

    def _other(self, value: Any, at: Decoder) -> Any:
        return at.inside(TEXTS, value) if type(value) is list else True

    def same(self, left: Any, right: Any) -> bool:
        """See `validators.go.typed_json.Kind`."""
        return bool(left == right) if type(left) is list else super().same(left, right)

    def shown(self, value: Any) -> Any:
        """See `validators.go.typed_json.Kind`."""
        return Struct(Schema=self._schema(value), Property=value if type(value) is list else None)

    def go_syntax(self, value: Any, package: str) -> str:
        """See `validators.go.typed_json.Kind`: these are the values of a map, no pointers."""
        schema = SCHEMA.go_syntax(value if type(value) is dict else None, package)
        texts = TEXTS.go_syntax(value if type(value) is list else None, package)
        return f"{qualified(self.known_as, package)}{{Schema:{schema}, Property:{texts}}}"


RULE: Final = StructOf(
    "ValidationRule",
    Field("Rule", "rule", go.TEXT),
    Field("Message", "message", go.TEXT),
    Field("MessageExpression", "messageExpression", go.TEXT),
    Field("Reason", "reason", text("v1.FieldValueErrorReason", pointer=True)),
    Field("FieldPath", "fieldPath", go.TEXT),
    Field("OptionalOldSelf", "optionalOldSelf", go.FLAG_POINTER),
)
_DOCS: Final = StructOf(
    "ExternalDocumentation", Field("Description", "description", go.TEXT), Field("URL", "url", go.TEXT)
)
SCHEMA: Final = StructOf("JSONSchemaProps")
SCHEMAS: Final = ListOf(SCHEMA)
_NAMED: Final = MapOf(SCHEMA)
_JSON: Final = _Anything()
ITEMS: Final = _SchemaOrArray()
_OR_BOOL: Final = _SchemaOrBool()
SCHEMA.define(
    Field("ID", "id", go.TEXT),
    Field("Schema", "$schema", text("v1.JSONSchemaURL")),
    Field("Ref", "$ref", go.TEXT_POINTER),
    Field("Description", "description", go.TEXT),
    Field("Type", "type", go.TEXT),
    Field("Nullable", "nullable", go.FLAG),
    Field("Format", "format", go.TEXT),
    Field("Title", "title", go.TEXT),
    Field("Default", "default", _JSON),
    Field("Maximum", "maximum", go.FLOAT64_POINTER),
    Field("ExclusiveMaximum", "exclusiveMaximum", go.FLAG),
    Field("Minimum", "minimum", go.FLOAT64_POINTER),
    Field("ExclusiveMinimum", "exclusiveMinimum", go.FLAG),
    Field("MaxLength", "maxLength", go.INT64_POINTER),
    Field("MinLength", "minLength", go.INT64_POINTER),
    Field("Pattern", "pattern", go.TEXT),
    Field("MaxItems", "maxItems", go.INT64_POINTER),
    Field("MinItems", "minItems", go.INT64_POINTER),
    Field("UniqueItems", "uniqueItems", go.FLAG),
    Field("MultipleOf", "multipleOf", go.FLOAT64_POINTER),
    Field("Enum", "enum", ListOf(_Element())),
    Field("MaxProperties", "maxProperties", go.INT64_POINTER),
    Field("MinProperties", "minProperties", go.INT64_POINTER),
    Field("Required", "required", TEXTS),
    Field("Items", "items", ITEMS),
    Field("AllOf", "allOf", SCHEMAS),
    Field("OneOf", "oneOf", SCHEMAS),
    Field("AnyOf", "anyOf", SCHEMAS),
    Field("Not", "not", SCHEMA),
    Field("Properties", "properties", _NAMED),
    Field("AdditionalProperties", "additionalProperties", _OR_BOOL),
    Field("PatternProperties", "patternProperties", _NAMED),
    Field("Dependencies", "dependencies", MapOf(_SchemaOrTexts(), "v1.JSONSchemaDependencies")),
    Field("AdditionalItems", "additionalItems", _OR_BOOL),
    Field("Definitions", "definitions", MapOf(SCHEMA, "v1.JSONSchemaDefinitions")),
    Field("ExternalDocs", "externalDocs", _DOCS),
    Field("Example", "example", _JSON),
    Field("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", go.FLAG_POINTER),
    Field("XEmbeddedResource", "x-kubernetes-embedded-resource", go.FLAG),
    Field("XIntOrString", "x-kubernetes-int-or-string", go.FLAG),
    Field("XListMapKeys", "x-kubernetes-list-map-keys", TEXTS),
    Field("XListType", "x-kubernetes-list-type", go.TEXT_POINTER),
    Field("XMapType", "x-kubernetes-map-type", go.TEXT_POINTER),
    Field("XValidations", "x-kubernetes-validations", ListOf(RULE, "v1.ValidationRules")),
)
_VALIDATION: Final = StructOf("CustomResourceValidation", Field("OpenAPIV3Schema", "openAPIV3Schema", SCHEMA))
_SUBRESOURCES: Final = StructOf(
    "CustomResourceSubresources",
    Field("Status", "status", StructOf("CustomResourceSubresourceStatus")),
    Field(
        "Scale",
        "scale",
        StructOf(
            "CustomResourceSubresourceScale",
            Field("SpecReplicasPath", "specReplicasPath", go.TEXT),
            Field("StatusReplicasPath", "statusReplicasPath", go.TEXT),
            Field("LabelSelectorPath", "labelSelectorPath", go.TEXT_POINTER),
        ),
    ),
)
_COLUMN: Final = StructOf(
    "CustomResourceColumnDefinition",
    Field("Name", "name", go.TEXT),
    Field("Type", "type", go.TEXT),
    Field("Format", "format", go.TEXT),
    Field("Description", "description", go.TEXT),
    Field("Priority", "priority", go.INT32),
    Field("JSONPath", "jsonPath", go.TEXT),
)
VERSION: Final = StructOf(
    "CustomResourceDefinitionVersion",
    Field("Name", "name", go.TEXT),
    Field("Served", "served", go.FLAG),
    Field("Storage", "storage", go.FLAG),
    Field("Deprecated", "deprecated", go.FLAG),
    Field("DeprecationWarning", "deprecationWarning", go.TEXT_POINTER),
    Field("Schema", "schema", _VALIDATION),
    Field("Subresources", "subresources", _SUBRESOURCES),
    Field("AdditionalPrinterColumns", "additionalPrinterColumns", ListOf(_COLUMN)),
    Field(
        "SelectableFields",
        "selectableFields",
        ListOf(StructOf("SelectableField", Field("JSONPath", "jsonPath", go.TEXT))),
    ),
)
VERSIONS: Final = ListOf(VERSION)
_NAMES: Final = StructOf(
    "CustomResourceDefinitionNames",
    Field("Plural", "plural", go.TEXT),
    Field("Singular", "singular", go.TEXT),
    Field("ShortNames", "shortNames", TEXTS),
    Field("Kind", "kind", go.TEXT),
    Field("ListKind", "listKind", go.TEXT),
    Field("Categories", "categories", TEXTS),
    pointer=False,
)
_SERVICE: Final = StructOf(
    "ServiceReference",
    Field("Namespace", "namespace", go.TEXT),
    Field("Name", "name", go.TEXT),
    Field("Path", "path", go.TEXT_POINTER),
    Field("Port", "port", go.INT32_POINTER),
)
_CLIENT: Final = StructOf(
    "WebhookClientConfig",
    Field("URL", "url", go.TEXT_POINTER),
    Field("Service", "service", _SERVICE),
    Field("CABundle", "caBundle", go.Bytes()),
)
_WEBHOOK: Final = StructOf(
    "WebhookConversion",
    Field("ClientConfig", "clientConfig", _CLIENT),
    Field("ConversionReviewVersions", "conversionReviewVersions", TEXTS),
)
_CONVERSION: Final = StructOf(
    "CustomResourceConversion",
    Field("Strategy", "strategy", text("v1.ConversionStrategyType")),
    Field("Webhook", "webhook", _WEBHOOK),
)
_SPEC: Final = StructOf(
    "CustomResourceDefinitionSpec",
    Field("Group", "group", go.TEXT),
    Field("Names", "names", _NAMES),
    Field("Scope", "scope", text("v1.ResourceScope")),
    Field("Versions", "versions", VERSIONS),
    Field("Conversion", "conversion", _CONVERSION),
    Field("PreserveUnknownFields", "preserveUnknownFields", go.FLAG),
    pointer=False,
)
_CONDITION: Final = StructOf(
    "CustomResourceDefinitionCondition",
    Field("Type", "type", text("v1.CustomResourceDefinitionConditionType")),
    Field("Status", "status", text("v1.ConditionStatus")),
    Field("LastTransitionTime", "lastTransitionTime", go.Time()),
    Field("Reason", "reason", go.TEXT),
    Field("Message", "message", go.TEXT),
    Field("ObservedGeneration", "observedGeneration", go.INT64),
)
_STATUS: Final = StructOf(
    "CustomResourceDefinitionStatus",
    Field("Conditions", "conditions", ListOf(_CONDITION)),
    Field("AcceptedNames", "acceptedNames", _NAMES),
    Field("StoredVersions", "storedVersions", TEXTS),
    Field("ObservedGeneration", "observedGeneration", go.INT64),
    pointer=False,
)
OWNER: Final = StructOf(
    "OwnerReference",
    Field("APIVersion", "apiVersion", go.TEXT),
    Field("Kind", "kind", go.TEXT),
    Field("Name", "name", go.TEXT),
    Field("UID", "uid", text("types.UID")),
    Field("Controller", "controller", go.FLAG_POINTER),
    Field("BlockOwnerDeletion", "blockOwnerDeletion", go.FLAG_POINTER),
)
OWNERS: Final = ListOf(OWNER)
_MANAGER: Final = StructOf(
    "ManagedFieldsEntry",
    Field("Manager", "manager", go.TEXT),
    Field("Operation", "operation", text("v1.ManagedFieldsOperationType")),
    Field("APIVersion", "apiVersion", go.TEXT),
    Field("Time", "time", go.Time()),
    Field("FieldsType", "fieldsType", go.TEXT),
    Field("FieldsV1", "fieldsV1", _JSON),
    Field("Subresource", "subresource", go.TEXT),
)
_META: Final = StructOf(
    "ObjectMeta",
    Field("Name", "name", go.TEXT),
    Field("GenerateName", "generateName", go.TEXT),
    Field("Namespace", "namespace", go.TEXT),
    Field("SelfLink", "selfLink", go.TEXT),
    Field("UID", "uid", text("types.UID")),
    Field("ResourceVersion", "resourceVersion", go.TEXT),
    Field("Generation", "generation", go.INT64),
    Field("CreationTimestamp", "creationTimestamp", go.Time()),
    Field("DeletionTimestamp", "deletionTimestamp", go.Time()),
    Field("DeletionGracePeriodSeconds", "deletionGracePeriodSeconds", go.INT64_POINTER),
    Field("Labels", "labels", MapOf(go.TEXT)),
    Field("Annotations", "annotations", MapOf(go.TEXT)),
    Field("OwnerReferences", "ownerReferences", OWNERS),
    Field("Finalizers", "finalizers", TEXTS),
    Field("ManagedFields", "managedFields", ListOf(_MANAGER)),
    pointer=False,
)
DEFINITION: Final = StructOf(
    "CustomResourceDefinition",
    Field("APIVersion", "apiVersion", go.TEXT),
    Field("Kind", "kind", go.TEXT),
    Field("ObjectMeta", "metadata", _META),
    Field("Spec", "spec", _SPEC),
    Field("Status", "status", _STATUS),
)


def typed_error(path: str, kind: Kind, value: Any, detail: str) -> FieldError:
    """Return the error of a value of a type, None for a nil slice."""
    syntax = kind.literal if isinstance(kind, StructOf | _SchemaOrArray) else kind.go_syntax
    said = syntax(value, _PACKAGE)
    older = [Older(JSON_VALUES_SINCE, bad_value=GoText(said))]
    if kind is VERSIONS:
        older.append(Older(_SELECTABLE_SINCE, bad_value=GoText(said.replace(_NO_SELECTABLE, ""))))
    shown = None if value is None else kind.shown(value)
    return FieldError(ErrorType.INVALID, path, shown, detail, older=tuple(older))
