"""The Go types of a CustomResourceDefinition: what decodes, what is equal, and what errors print.

Source: apiextensions.k8s.io/v1 (``types.go``, ``types_jsonschema.go``, ``marshal.go``) for keys and types; the internal
version of the same package for names and order of the fields in errors.
"""

from typing import Any, Final

from ovnguard.validators.base.field import JSON_VALUES_SINCE, ErrorType, FieldError, Older
from ovnguard.validators.go import basic_types as go
from ovnguard.validators.go.basic_types import Plain, text
from ovnguard.validators.go.composite_types import Field, ListOf, MapOf, StructOf, pointer, qualified
from ovnguard.validators.go.json_decode import Decoder, Kind
from ovnguard.validators.go.text import GoText, Struct, go_syntax
from ovnguard.validators.structural.schema.deep_equal import deep_equal

_SELECTABLE_SINCE: Final = 30
_NO_SELECTABLE: Final = ", SelectableFields:[]apiextensions.SelectableField(nil)"
_PACKAGE: Final = "apiextensions"
TEXTS: Final = ListOf(go.TEXT)


class _Anything(Plain):
    """A JSON value that is kept as it is."""

    name = "v1.JSON"

    def read(self, value: Any, held: Any, at: Decoder) -> Any:
        """See `validators.go.json_decode.Kind`."""
        return value

    def same(self, left: Any, right: Any) -> bool:
        """See `validators.go.json_decode.Kind`. Numbers with and without a fraction differ."""
        return deep_equal(left, right)


class _Element(_Anything):
    """The same as an element of a list, where it is not a pointer."""

    def go_syntax(self, value: Any, package: str) -> str:
        """See `validators.go.json_decode.Kind`."""
        return f"{qualified(self.name, package)}(nil)" if value is None else go_syntax(value)


class _SchemaOr:
    """A schema, or another form that ``_other`` reads. The type decodes itself."""

    unset: bool | None = None
    name = "v1.JSONSchemaProps"
    known_as = name

    def read(self, value: Any, held: Any, at: Decoder) -> Any:
        """See `validators.go.json_decode.Kind`."""
        return at.inside(SCHEMA, value) if type(value) is dict else self._other(value, at)

    def _other(self, value: Any, at: Decoder) -> Any:
        raise NotImplementedError

    def same(self, left: Any, right: Any) -> bool:
        """See `validators.go.json_decode.Kind`."""
        if type(left) is not type(right):
            return False
        if type(left) is dict:
            return SCHEMA.same(left, right)
        return SCHEMAS.same(left, right) if type(left) is list else bool(left == right)

    def go_syntax(self, value: Any, package: str) -> str:
        """See `validators.go.json_decode.Kind`."""
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
        """See `validators.go.json_decode.Kind`."""
        return Struct(Allows=value is not False, Schema=self._schema(value))


class _SchemaOrArray(_SchemaOr):
    """True is an ``items`` that has neither a schema nor a list of them."""

    known_as = "v1.JSONSchemaPropsOrArray"

    def _other(self, value: Any, at: Decoder) -> Any:
        return at.inside(SCHEMAS, value) if type(value) is list else True

    def shown(self, value: Any) -> Any:
        """See `validators.go.json_decode.Kind`."""
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
        """See `validators.go.json_decode.Kind`."""
        return bool(left == right) if type(left) is list else super().same(left, right)

    def shown(self, value: Any) -> Any:
        """See `validators.go.json_decode.Kind`."""
        return Struct(Schema=self._schema(value), Property=value if type(value) is list else None)

    def go_syntax(self, value: Any, package: str) -> str:
        """See `validators.go.json_decode.Kind`: these are the values of a map, no pointers."""
        schema = SCHEMA.go_syntax(value if type(value) is dict else None, package)
        texts = TEXTS.go_syntax(value if type(value) is list else None, package)
        return f"{qualified(self.known_as, package)}{{Schema:{schema}, Property:{texts}}}"


RULE: Final = StructOf(
    "v1.ValidationRule",
    Field("rule", go.TEXT, "Rule"),
    Field("message", go.TEXT, "Message"),
    Field("messageExpression", go.TEXT, "MessageExpression"),
    Field("reason", text("v1.FieldValueErrorReason", pointer=True), "Reason"),
    Field("fieldPath", go.TEXT, "FieldPath"),
    Field("optionalOldSelf", go.FLAG_POINTER, "OptionalOldSelf"),
)
_DOCS: Final = StructOf(
    "v1.ExternalDocumentation", Field("description", go.TEXT, "Description"), Field("url", go.TEXT, "URL")
)
SCHEMA: Final = StructOf("v1.JSONSchemaProps")
SCHEMAS: Final = ListOf(SCHEMA)
_NAMED: Final = MapOf(SCHEMA)
_JSON: Final = _Anything()
ITEMS: Final = _SchemaOrArray()
_OR_BOOL: Final = _SchemaOrBool()
SCHEMA.define(
    Field("id", go.TEXT, "ID"),
    Field("$schema", text("v1.JSONSchemaURL"), "Schema"),
    Field("$ref", go.TEXT_POINTER, "Ref"),
    Field("description", go.TEXT, "Description"),
    Field("type", go.TEXT, "Type"),
    Field("nullable", go.FLAG, "Nullable"),
    Field("format", go.TEXT, "Format"),
    Field("title", go.TEXT, "Title"),
    Field("default", _JSON, "Default"),
    Field("maximum", go.FLOAT64_POINTER, "Maximum"),
    Field("exclusiveMaximum", go.FLAG, "ExclusiveMaximum"),
    Field("minimum", go.FLOAT64_POINTER, "Minimum"),
    Field("exclusiveMinimum", go.FLAG, "ExclusiveMinimum"),
    Field("maxLength", go.INT64_POINTER, "MaxLength"),
    Field("minLength", go.INT64_POINTER, "MinLength"),
    Field("pattern", go.TEXT, "Pattern"),
    Field("maxItems", go.INT64_POINTER, "MaxItems"),
    Field("minItems", go.INT64_POINTER, "MinItems"),
    Field("uniqueItems", go.FLAG, "UniqueItems"),
    Field("multipleOf", go.FLOAT64_POINTER, "MultipleOf"),
    Field("enum", ListOf(_Element()), "Enum"),
    Field("maxProperties", go.INT64_POINTER, "MaxProperties"),
    Field("minProperties", go.INT64_POINTER, "MinProperties"),
    Field("required", TEXTS, "Required"),
    Field("items", ITEMS, "Items"),
    Field("allOf", SCHEMAS, "AllOf"),
    Field("oneOf", SCHEMAS, "OneOf"),
    Field("anyOf", SCHEMAS, "AnyOf"),
    Field("not", SCHEMA, "Not"),
    Field("properties", _NAMED, "Properties"),
    Field("additionalProperties", _OR_BOOL, "AdditionalProperties"),
    Field("patternProperties", _NAMED, "PatternProperties"),
    Field("dependencies", MapOf(_SchemaOrTexts(), "v1.JSONSchemaDependencies"), "Dependencies"),
    Field("additionalItems", _OR_BOOL, "AdditionalItems"),
    Field("definitions", MapOf(SCHEMA, "v1.JSONSchemaDefinitions"), "Definitions"),
    Field("externalDocs", _DOCS, "ExternalDocs"),
    Field("example", _JSON, "Example"),
    Field("x-kubernetes-preserve-unknown-fields", go.FLAG_POINTER, "XPreserveUnknownFields"),
    Field("x-kubernetes-embedded-resource", go.FLAG, "XEmbeddedResource"),
    Field("x-kubernetes-int-or-string", go.FLAG, "XIntOrString"),
    Field("x-kubernetes-list-map-keys", TEXTS, "XListMapKeys"),
    Field("x-kubernetes-list-type", go.TEXT_POINTER, "XListType"),
    Field("x-kubernetes-map-type", go.TEXT_POINTER, "XMapType"),
    Field("x-kubernetes-validations", ListOf(RULE, "v1.ValidationRules"), "XValidations"),
)
_VALIDATION: Final = StructOf("v1.CustomResourceValidation", Field("openAPIV3Schema", SCHEMA, "OpenAPIV3Schema"))
_SUBRESOURCES: Final = StructOf(
    "v1.CustomResourceSubresources",
    Field("status", StructOf("v1.CustomResourceSubresourceStatus"), "Status"),
    Field(
        "scale",
        StructOf(
            "v1.CustomResourceSubresourceScale",
            Field("specReplicasPath", go.TEXT, "SpecReplicasPath"),
            Field("statusReplicasPath", go.TEXT, "StatusReplicasPath"),
            Field("labelSelectorPath", go.TEXT_POINTER, "LabelSelectorPath"),
        ),
        "Scale",
    ),
)
_COLUMN: Final = StructOf(
    "v1.CustomResourceColumnDefinition",
    Field("name", go.TEXT, "Name"),
    Field("type", go.TEXT, "Type"),
    Field("format", go.TEXT, "Format"),
    Field("description", go.TEXT, "Description"),
    Field("priority", go.INT32, "Priority"),
    Field("jsonPath", go.TEXT, "JSONPath"),
)
VERSION: Final = StructOf(
    "v1.CustomResourceDefinitionVersion",
    Field("name", go.TEXT, "Name"),
    Field("served", go.FLAG, "Served"),
    Field("storage", go.FLAG, "Storage"),
    Field("deprecated", go.FLAG, "Deprecated"),
    Field("deprecationWarning", go.TEXT_POINTER, "DeprecationWarning"),
    Field("schema", _VALIDATION, "Schema"),
    Field("subresources", _SUBRESOURCES, "Subresources"),
    Field("additionalPrinterColumns", ListOf(_COLUMN), "AdditionalPrinterColumns"),
    Field(
        "selectableFields",
        ListOf(StructOf("v1.SelectableField", Field("jsonPath", go.TEXT, "JSONPath"))),
        "SelectableFields",
    ),
)
VERSIONS: Final = ListOf(VERSION)
_NAMES: Final = StructOf(
    "v1.CustomResourceDefinitionNames",
    Field("plural", go.TEXT, "Plural"),
    Field("singular", go.TEXT, "Singular"),
    Field("shortNames", TEXTS, "ShortNames"),
    Field("kind", go.TEXT, "Kind"),
    Field("listKind", go.TEXT, "ListKind"),
    Field("categories", TEXTS, "Categories"),
    pointer=False,
)
_SERVICE: Final = StructOf(
    "v1.ServiceReference",
    Field("namespace", go.TEXT, "Namespace"),
    Field("name", go.TEXT, "Name"),
    Field("path", go.TEXT_POINTER, "Path"),
    Field("port", go.INT32_POINTER, "Port"),
)
_CLIENT: Final = StructOf(
    "v1.WebhookClientConfig",
    Field("url", go.TEXT_POINTER, "URL"),
    Field("service", _SERVICE, "Service"),
    Field("caBundle", go.Bytes(), "CABundle"),
)
_WEBHOOK: Final = StructOf(
    "v1.WebhookConversion",
    Field("clientConfig", _CLIENT, "ClientConfig"),
    Field("conversionReviewVersions", TEXTS, "ConversionReviewVersions"),
)
_CONVERSION: Final = StructOf(
    "v1.CustomResourceConversion",
    Field("strategy", text("v1.ConversionStrategyType"), "Strategy"),
    Field("webhook", _WEBHOOK, "Webhook"),
)
_SPEC: Final = StructOf(
    "v1.CustomResourceDefinitionSpec",
    Field("group", go.TEXT, "Group"),
    Field("names", _NAMES, "Names"),
    Field("scope", text("v1.ResourceScope"), "Scope"),
    Field("versions", VERSIONS, "Versions"),
    Field("conversion", _CONVERSION, "Conversion"),
    Field("preserveUnknownFields", go.FLAG, "PreserveUnknownFields"),
    pointer=False,
)
_CONDITION: Final = StructOf(
    "v1.CustomResourceDefinitionCondition",
    Field("type", text("v1.CustomResourceDefinitionConditionType"), "Type"),
    Field("status", text("v1.ConditionStatus"), "Status"),
    Field("lastTransitionTime", go.Time(), "LastTransitionTime"),
    Field("reason", go.TEXT, "Reason"),
    Field("message", go.TEXT, "Message"),
    Field("observedGeneration", go.INT64, "ObservedGeneration"),
)
_STATUS: Final = StructOf(
    "v1.CustomResourceDefinitionStatus",
    Field("conditions", ListOf(_CONDITION), "Conditions"),
    Field("acceptedNames", _NAMES, "AcceptedNames"),
    Field("storedVersions", TEXTS, "StoredVersions"),
    Field("observedGeneration", go.INT64, "ObservedGeneration"),
    pointer=False,
)
OWNER: Final = StructOf(
    "v1.OwnerReference",
    Field("apiVersion", go.TEXT, "APIVersion"),
    Field("kind", go.TEXT, "Kind"),
    Field("name", go.TEXT, "Name"),
    Field("uid", text("types.UID"), "UID"),
    Field("controller", go.FLAG_POINTER, "Controller"),
    Field("blockOwnerDeletion", go.FLAG_POINTER, "BlockOwnerDeletion"),
)
OWNERS: Final = ListOf(OWNER)
_MANAGER: Final = StructOf(
    "v1.ManagedFieldsEntry",
    Field("manager", go.TEXT, "Manager"),
    Field("operation", text("v1.ManagedFieldsOperationType"), "Operation"),
    Field("apiVersion", go.TEXT, "APIVersion"),
    Field("time", go.Time(), "Time"),
    Field("fieldsType", go.TEXT, "FieldsType"),
    Field("fieldsV1", _JSON, "FieldsV1"),
    Field("subresource", go.TEXT, "Subresource"),
)
META: Final = StructOf(
    "v1.ObjectMeta",
    Field("name", go.TEXT, "Name"),
    Field("generateName", go.TEXT, "GenerateName"),
    Field("namespace", go.TEXT, "Namespace"),
    Field("selfLink", go.TEXT, "SelfLink"),
    Field("uid", text("types.UID"), "UID"),
    Field("resourceVersion", go.TEXT, "ResourceVersion"),
    Field("generation", go.INT64, "Generation"),
    Field("creationTimestamp", go.Time(), "CreationTimestamp"),
    Field("deletionTimestamp", go.Time(), "DeletionTimestamp"),
    Field("deletionGracePeriodSeconds", go.INT64_POINTER, "DeletionGracePeriodSeconds"),
    Field("labels", MapOf(go.TEXT), "Labels"),
    Field("annotations", MapOf(go.TEXT), "Annotations"),
    Field("ownerReferences", OWNERS, "OwnerReferences"),
    Field("finalizers", TEXTS, "Finalizers"),
    Field("managedFields", ListOf(_MANAGER), "ManagedFields"),
    pointer=False,
)
DEFINITION: Final = StructOf(
    "v1.CustomResourceDefinition",
    Field("apiVersion", go.TEXT, "APIVersion"),
    Field("kind", go.TEXT, "Kind"),
    Field("metadata", META, "ObjectMeta"),
    Field("spec", _SPEC, "Spec"),
    Field("status", _STATUS, "Status"),
)


def typed_error(path: str, kind: Kind, value: Any, detail: str) -> FieldError:
    """Return the error of a value of a type, None for a nil slice."""
    syntax = kind.literal if isinstance(kind, StructOf | _SchemaOrArray) else kind.go_syntax
    text = syntax(value, _PACKAGE)
    older = [Older(JSON_VALUES_SINCE, bad_value=GoText(text))]
    if kind is VERSIONS:
        older.append(Older(_SELECTABLE_SINCE, bad_value=GoText(text.replace(_NO_SELECTABLE, ""))))
    shown = None if value is None else kind.shown(value)
    return FieldError(ErrorType.INVALID, path, shown, detail, older=tuple(older))
