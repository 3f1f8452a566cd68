"""Errors of definitions; texts confirmed by the API server's own code, release 1.35."""

import copy
from typing import Any

import pytest

from ovnguard.validators.crd.compiled_crd import InvalidCRD, compile_crd
from tests.support.small_definitions import compiled, definition

TOP = "spec.validation.openAPIV3Schema"


def refused(crd: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidCRD) as caught:
        compile_crd(crd)
    return [error.text for error in caught.value.errors]


def test_attributes() -> None:
    crd = compiled({"type": "object"}, subresources={"status": {}})
    assert (crd.group, crd.version, crd.kind, crd.plural, crd.scope, crd.has_status) == (
        "example.com",
        "v1",
        "Foo",
        "foos",
        "Namespaced",
        True,
    )


def test_the_definition_is_not_changed() -> None:
    crd = definition({"type": "object", "properties": {"spec": {"type": "object", "default": {}}}})
    before = copy.deepcopy(crd)
    compile_crd(crd)
    assert crd == before


def test_a_version_that_is_not_served_is_refused() -> None:
    with pytest.raises(InvalidCRD, match="v2 is not served") as caught:
        compile_crd(definition({"type": "object"}), version="v2")
    assert [error.field for error in caught.value.errors] == ["spec.versions"]


@pytest.mark.parametrize(
    ("served", "chosen"),
    [
        ({"v1": True, "v1beta1": True}, "v1"),
        ({"v1": False, "v1beta1": True}, "v1beta1"),
        ({"v1": False, "v1beta1": True, "v2": True}, "v2"),
        ({"v1": False, "v1beta1": False}, "v1"),
    ],
)
def test_the_storage_version_need_not_be_served(served: dict[str, bool], chosen: str) -> None:
    crd = definition({"type": "object"})
    [version] = crd["spec"]["versions"]
    crd["spec"]["versions"] = [
        {**version, "name": name, "served": is_served, "storage": name == "v1"} for name, is_served in served.items()
    ]
    assert compile_crd(crd).version == chosen


def test_a_kubernetes_version_before_the_first_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Kubernetes 1\.28 is older than 1\.29"):
        compile_crd(definition({"type": "object"}), kubernetes="1.28")


STRUCTURAL = "must be undefined to be structural"


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({}, [".type: Required value: must not be empty for specified object fields"]),
        ({"type": "array"}, [".items: Required value: must be specified"]),
        (
            {"type": "array", "items": {}},
            [".items.type: Required value: must not be empty for specified array items"],
        ),
        (
            {"type": "foo"},
            [
                '.type: Unsupported value: "foo": supported values:'
                ' "array", "boolean", "integer", "number", "object", "string"'
            ],
        ),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}},
            [".additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
        ),
        (
            {"type": "string", "uniqueItems": True},
            [
                ".uniqueItems: Forbidden: uniqueItems cannot be set to true"
                " since the runtime complexity becomes quadratic"
            ],
        ),
        ({"type": "object", "$ref": "#/a"}, [".$ref: Forbidden: $ref is not supported"]),
        (
            {"type": "string", "pattern": "["},
            [
                '.pattern: Invalid value: "[": must be a valid regular expression,'
                " but isn't: error parsing regexp: missing closing ]: `[`"
            ],
        ),
        (
            {"type": "string", "anyOf": [{"type": "string", "default": "a", "nullable": True}]},
            [
                f".anyOf[0].default: Forbidden: {STRUCTURAL}",
                ".anyOf[0].nullable: Forbidden: must be false to be structural",
                ".anyOf[0].type: Forbidden: must be empty to be structural",
            ],
        ),
        (
            {"type": "object", "x-kubernetes-preserve-unknown-fields": False},
            [".x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"],
        ),
        (
            {"type": "string", "x-kubernetes-embedded-resource": True},
            [
                ".properties: Required value: must not be empty if x-kubernetes-embedded-resource is true"
                " without x-kubernetes-preserve-unknown-fields",
                '.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
            ],
        ),
        (
            {"type": "string", "x-kubernetes-list-type": "foo"},
            [
                '.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
                '.x-kubernetes-list-type: Unsupported value: "foo": supported values: "atomic", "set", "map"',
            ],
        ),
        (
            {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "map"},
            [
                ".x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
                '.items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
            ],
        ),
        (
            {
                "type": "array",
                "items": {"type": "object", "properties": {"k": {"type": "string", "nullable": True}}},
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["k", "z"],
            },
            [
                '.x-kubernetes-list-map-keys: Invalid value: ["k","z"]: entries must all be names of item properties',
                ".items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys,"
                " so it must have a default or be a required property",
                ".items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys,"
                " so it cannot be nullable",
            ],
        ),
        (
            {"type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "set"},
            [
                ".items.x-kubernetes-map-type: Invalid value: null:"
                " must be atomic as item of a list with x-kubernetes-list-type=set"
            ],
        ),
        (
            {"type": "string", "default": 5},
            ['.default: Invalid value: "integer":  in body must be of type string: "integer"'],
        ),
        (
            {"type": "object", "default": {"zz": 1}},
            ['.default: Invalid value: {"zz":1}: must not have unknown fields'],
        ),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "default": {"a": 5}},
            ['.default.a: Invalid value: "integer": a in body must be of type string: "integer"'],
        ),
        (
            {"type": "string", "x-kubernetes-validations": [{"rule": " "}]},
            [".x-kubernetes-validations[0].rule: Required value: rule is not specified"],
        ),
        (
            {
                "type": "string",
                "x-kubernetes-validations": [
                    {"rule": "true", "message": " ", "reason": "Foo"},
                    {"rule": "a\nb"},
                    {"rule": "true", "fieldPath": ".zz"},
                ],
            },
            [
                '.x-kubernetes-validations[0].message: Invalid value: " ": must be non-empty if specified',
                '.x-kubernetes-validations[0].reason: Unsupported value: "Foo": supported values:'
                ' "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
                ".x-kubernetes-validations[1].message: Required value:"
                " message must be specified if rule contains line breaks",
                '.x-kubernetes-validations[2].fieldPath: Invalid value: ".zz": must be a valid path',
            ],
        ),
        (
            {
                "type": "array",
                "maxItems": 9,
                "items": {"type": "integer", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]},
            },
            [
                '.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf":'
                f" oldSelf cannot be used on the uncorrelatable portion of the schema within {TOP}.properties[spec]"
            ],
        ),
        (
            {"type": "string", "x-kubernetes-validations": [{"rule": "true", "optionalOldSelf": False}]},
            [
                ".x-kubernetes-validations[0].optionalOldSelf: Invalid value: false:"
                " may not be set if oldSelf is not used in rule"
            ],
        ),
    ],
)
def test_errors_of_a_node(node: dict[str, Any], expected: list[str]) -> None:
    crd = definition({"type": "object", "properties": {"spec": node}})
    assert refused(crd) == [f"{TOP}.properties[spec]{text}" for text in expected]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, [".type: Required value: must not be empty at the root"]),
        ({"type": "string"}, ['.type: Invalid value: "string": must be object at the root']),
        ({"type": "object", "nullable": True}, [".nullable: Forbidden: nullable cannot be true at the root"]),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            [".additionalProperties: Forbidden: must not be used at the root"],
        ),
        (
            {
                "type": "object",
                "properties": {"metadata": {"type": "object", "properties": {"labels": {"type": "object"}}}},
            },
            [
                ".properties[metadata]: Forbidden: must not specify anything other than name and generateName,"
                " but metadata is implicitly specified"
            ],
        ),
        (
            {"type": "object", "properties": {"kind": {"type": "integer"}}},
            ['.properties[kind].type: Invalid value: "integer": must be string'],
        ),
        (
            {"type": "object", "properties": {"metadata": {"type": "object", "default": {}}}},
            [".properties[metadata].default: Forbidden: must not be set in top-level metadata"],
        ),
        (
            {"type": "object", "not": {"properties": {"a": {}}}},
            [f".properties[a]: Required value: because it is defined in {TOP}.not.properties[a]"],
        ),
    ],
)
def test_errors_of_the_root(schema: dict[str, Any], expected: list[str]) -> None:
    assert refused(definition(schema)) == [TOP + text for text in expected]


def test_with_a_status_only_some_fields_may_be_at_the_root() -> None:
    crd = definition({"type": "object", "maxProperties": 9}, subresources={"status": {}})
    [text] = refused(crd)
    assert text.startswith(f'{TOP}: Invalid value: {{"ID":"","Schema":"","Ref":null,"Description":"","Type":"object"')
    assert text.endswith(
        "XPreserveUnknownFields XValidations] fields are allowed at the root of the schema"
        " if the status subresource is enabled"
    )


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("metadata", "name"), "x", ['metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group']),
        (
            ("spec", "scope"),
            "Foo",
            ['spec.scope: Unsupported value: "Foo": supported values: "Cluster", "Namespaced"'],
        ),
        (("spec", "scope"), "", ["spec.scope: Required value"]),
        (
            ("spec", "names", "listKind"),
            "Foo",
            ['spec.names.listKind: Invalid value: "Foo": kind and listKind may not be the same'],
        ),
        (
            ("spec", "conversion"),
            {"strategy": "Webhook", "webhook": {"clientConfig": {}, "conversionReviewVersions": ["v1", "v1"]}},
            [
                "spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required",
                'spec.conversion.conversionReviewVersions[1]: Invalid value: "v1": duplicate version',
            ],
        ),
        (
            ("spec", "preserveUnknownFields"),
            True,
            [
                "spec.preserveUnknownFields: Invalid value: true: cannot set to true,"
                " set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
            ],
        ),
        (
            ("spec", "versions"),
            5,
            [
                "spec.versions: Invalid value: json: cannot unmarshal number into Go struct field"
                " CustomResourceDefinitionSpec.spec.versions of type []v1.CustomResourceDefinitionVersion"
            ],
        ),
        (
            ("metadata", "labels"),
            5,
            [
                "metadata.labels: Invalid value: json: cannot unmarshal number into Go struct field"
                " ObjectMeta.metadata.labels of type map[string]string"
            ],
        ),
    ],
)
def test_errors_of_the_definition(path: tuple[str, ...], value: Any, expected: list[str]) -> None:
    crd = definition({"type": "object"})
    at = crd
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    assert refused(crd) == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (
            {"deprecationWarning": "x"},
            ['spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions'],
        ),
        (
            {"subresources": {"scale": {"specReplicasPath": "x", "statusReplicasPath": ".spec.x"}}},
            [
                'spec.subresources.scale.specReplicasPath: Invalid value: "x":'
                " must be a simple json path starting with .",
                'spec.subresources.scale.statusReplicasPath: Invalid value: ".spec.x":'
                " should be a json path under .status",
            ],
        ),
        (
            {"additionalPrinterColumns": [{"name": "", "type": "foo", "jsonPath": ""}]},
            [
                "spec.additionalPrinterColumns[0].name: Required value",
                'spec.additionalPrinterColumns[0].type: Invalid value: "foo":'
                " must be one of boolean,date,integer,number,string",
                "spec.additionalPrinterColumns[0].JSONPath: Required value",
            ],
        ),
        (
            {"selectableFields": [{"jsonPath": ".spec"}, {"jsonPath": ".x"}]},
            [
                'spec.selectableFields[0].jsonPath: Invalid value: ".spec": must point to a field of type string,'
                " boolean or integer. Enum string fields and strings with formats are allowed.",
                'spec.selectableFields[1].jsonPath: Invalid value: ".x":'
                " is an invalid path: does not refer to a valid field",
            ],
        ),
    ],
)
def test_errors_of_a_version(version: dict[str, Any], expected: list[str]) -> None:
    assert refused(definition({"type": "object", "properties": {"spec": {"type": "object"}}}, **version)) == expected


def test_versions_that_differ_are_named_by_index() -> None:
    crd = definition({"type": "object"})
    other = {"name": "v2", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "string"}}}
    crd["spec"]["versions"].append(other)
    texts = refused(crd)
    assert 'spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root' in texts
    assert any(text.endswith("must have exactly one version marked as storage version") for text in texts)


@pytest.mark.parametrize(
    ("keyword", "value", "place", "what"),
    [
        ("properties", {"a": 5}, ".properties[a]", "number into {}.properties of type v1.JSONSchemaProps"),
        ("items", [{}, "x"], ".items[1]", "string into {}.items of type v1.JSONSchemaProps"),
        ("items", {"title": 1}, ".items.title", "number into {}.items.title of type string"),
        (
            "patternProperties",
            {"a": 5},
            ".patternProperties[a]",
            "number into {}.patternProperties of type v1.JSONSchemaProps",
        ),
        ("definitions", [1], ".definitions", "array into {}.definitions of type v1.JSONSchemaDefinitions"),
        ("type", 5, ".type", "number into {}.type of type string"),
        ("required", [1], ".required[0]", "number into {}.required of type string"),
        ("maxProperties", 1.5, ".maxProperties", "number 1.5 into {}.maxProperties of type int64"),
        ("maxProperties", 2**63, ".maxProperties", "number 9223372036854775808 into {}.maxProperties of type int64"),
        ("nullable", "yes", ".nullable", "string into {}.nullable of type bool"),
        (
            "x-kubernetes-validations",
            [5],
            ".x-kubernetes-validations[0]",
            "number into {}.x-kubernetes-validations of type v1.ValidationRule",
        ),
        ("externalDocs", {"url": 1}, ".externalDocs.url", "number into {docs}.externalDocs.url of type string"),
        ("dependencies", {"a": [1]}, ".dependencies[a][0]", "number into {}.dependencies of type string"),
    ],
)
def test_a_schema_that_does_not_decode(keyword: str, value: Any, place: str, what: str) -> None:
    where = "Go struct field {}.spec.versions.schema.openAPIV3Schema"
    inner = what.format(where.format("JSONSchemaProps"), docs=where.format("ExternalDocumentation"))
    assert refused(definition({"type": "object", keyword: value})) == [
        f"spec.versions[0].schema.openAPIV3Schema{place}: Invalid value: json: cannot unmarshal {inner}"
    ]


def test_a_type_that_decodes_itself_says_so() -> None:
    assert refused(definition({"type": "object", "additionalItems": []})) == [
        "spec.versions[0].schema.openAPIV3Schema.additionalItems: Invalid value: boolean or JSON schema expected"
    ]


def test_the_depth_of_a_schema_is_bounded() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(5000):
        deep = {"type": "object", "properties": {"a": deep}}
    [text] = refused(definition(deep))
    assert text.endswith("nested deeper than 200 levels")


@pytest.mark.parametrize(
    ("crd", "text"),
    [
        ([1], "<nil>: Invalid value: must be an object, got array"),
        ({"kind": "Foo"}, 'kind: Invalid value: "Foo": must be a CustomResourceDefinition of apiextensions.k8s.io/v1'),
        (
            {**definition({}), "spec": []},
            "spec: Invalid value: json: cannot unmarshal array into Go struct field CustomResourceDefinition.spec"
            " of type v1.CustomResourceDefinitionSpec",
        ),
    ],
)
def test_an_invalid_definition_is_refused(crd: Any, text: str) -> None:
    assert refused(crd) == [text]


NO_DECLARATION = "failed to convert to declType for CEL validation rules"
TRUE = {"x-kubernetes-validations": [{"rule": "true"}]}
RULE = {"type": "string", "maxLength": 5, "x-kubernetes-validations": [{"rule": "self.matches('a') || self == 'b'"}]}


@pytest.mark.parametrize(
    ("node", "place"),
    [
        ({"type": "string", **TRUE, "additionalProperties": RULE}, "additionalProperties"),
        ({"type": "object", **TRUE, "items": RULE}, "items"),
    ],
)
def test_a_rule_below_a_node_that_has_no_such_children(node: dict[str, Any], place: str) -> None:
    assert refused(definition({"type": "object", "properties": {"a": node}})) == [
        f"{TOP}.properties[a].{place}.x-kubernetes-validations: Internal error: {NO_DECLARATION}"
    ]


@pytest.mark.parametrize(
    ("name", "below"),
    [("b", "properties[b]"), ("a-b", "properties[a-b]"), ("b", "properties[b].items"), ("é", "")],
)
def test_a_rule_below_the_properties_of_such_a_child(name: str, below: str) -> None:
    """The API server ends the request with a nil pointer, unless expressions cannot name the property."""
    inner = {"type": "array", "maxItems": 2, "items": RULE} if below.endswith(".items") else RULE
    items = {"type": "object", "properties": {name: inner}}
    node = {"type": "array", "maxItems": 2, "items": items, "x-kubernetes-int-or-string": True}
    crd = definition({"type": "object", "properties": {"a": node}, **TRUE})
    if not below:
        assert compile_crd(crd).kind == "Foo"
        return
    assert refused(crd) == [
        f"{TOP}.properties[a].items.{below}.x-kubernetes-validations: Internal error: {NO_DECLARATION}"
    ]


def test_without_rules_above_such_a_rule_is_accepted() -> None:
    node = {"type": "string", "additionalProperties": RULE}
    assert compile_crd(definition({"type": "object", "properties": {"a": node}})).kind == "Foo"


def test_values_of_a_list_have_the_declaration_of_its_items() -> None:
    """The items have no maxLength, so the rule costs as much as one of theirs, times the elements of the list."""
    node = {"type": "array", "items": {"type": "string"}, "additionalProperties": RULE}
    crd = definition({"type": "object", "properties": {"a": node}, **TRUE})
    where = f"{TOP}.properties[a].additionalProperties.x-kubernetes-validations[0].rule"
    assert [error[: error.index(":")] for error in refused(crd)] == [where, where, TOP]
