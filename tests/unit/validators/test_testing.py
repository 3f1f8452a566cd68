from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from ovnguard import crd_schemas
from ovnguard.validators.base.field import ErrorType
from ovnguard.validators.crd.compiled_crd import CompiledCRD, compile_crd
from ovnguard.validators.structural.schema.schema import parse_schema
from ovnguard.validators.testing import custom_resources, objects
from ovnguard.validators.testing.valid import is_allowed
from tests.support.small_definitions import definition
from tests.support.soak import examples

QUICK = settings(max_examples=examples(10), suppress_health_check=[HealthCheck.too_slow])
# An example is enough; the smallest one is not asked for.
ONE = settings(max_examples=2000, database=None, phases=[Phase.generate])

NODES: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "string", "minLength": 3, "maxLength": 5},
    {"type": "string", "pattern": "^[a-z]+[0-9]?$", "maxLength": 10},
    {"type": "string", "pattern": r"^a\z"},
    *({"type": "string", "format": name} for name in ("date-time", "ipv4", "cidr", "uuid", "mac", "byte", "uri")),
    {"type": "string", "format": "unknown-to-the-server"},
    {"type": "string", "enum": ["A", "B"]},
    {"type": "string", "nullable": True, "maxLength": 2},
    {"type": "integer", "minimum": 1, "maximum": 3},
    {"type": "integer", "minimum": 1.5, "exclusiveMinimum": True, "maximum": 3, "exclusiveMaximum": True},
    {"type": "integer", "multipleOf": 7},
    {"type": "integer", "format": "int32"},
    {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 1},
    {"type": "boolean"},
    {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": "^[0-9]+%$"},
    {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 3}, "x-kubernetes-list-type": "set"},
    {
        "type": "array",
        "minItems": 2,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}},
    },
    {"type": "array", "maxItems": 1, "items": {"type": "object"}},
    {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 2},
    {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
    {"type": "object", "minProperties": 2, "properties": {name: {"type": "string"} for name in "abc"}},
    {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
        "oneOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"b": {"maxLength": 2}}}],
    },
    {"type": "string", "allOf": [{"maxLength": 3}, {"minLength": 2}], "not": {"enum": ["aa"]}},
]


@pytest.mark.parametrize("node", NODES, ids=str)
def test_valid_values_satisfy_their_node(node: dict[str, Any]) -> None:
    schema = parse_schema(node)

    @QUICK
    @given(objects(node, valid=True))
    def check(value: Any) -> None:
        assert is_allowed(value, schema)

    check()


@pytest.mark.parametrize(
    ("node", "error"),
    [
        ({"type": "string", "maxLength": 3}, ErrorType.TOO_LONG),
        ({"type": "string", "enum": ["A"]}, ErrorType.NOT_SUPPORTED),
        ({"type": "string", "pattern": "^a$"}, ErrorType.INVALID),
        ({"type": "integer"}, ErrorType.TYPE_INVALID),
        ({"type": "integer", "minimum": 5}, ErrorType.INVALID),
        ({"type": "array", "maxItems": 2, "items": {"type": "string"}}, ErrorType.TOO_MANY),
        (
            {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set", "minItems": 1},
            ErrorType.DUPLICATE,
        ),
        ({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}, ErrorType.REQUIRED),
    ],
    ids=str,
)
def test_nearly_valid_values_meet_each_kind_of_error(node: dict[str, Any], error: ErrorType) -> None:
    schema = {"type": "object", "required": ["v"], "properties": {"v": node}}
    crd = compile_crd(definition({"type": "object", "properties": {"spec": schema}}))

    def refused(value: Any) -> bool:
        verdict = crd.verdict({**HEAD, "spec": value})
        return any(found.type is error and found.field.startswith("spec.v") for found in verdict.errors)

    find(objects(schema, valid=False), refused, settings=ONE)


def test_both_kinds_come_from_one_strategy() -> None:
    node = {"type": "integer", "minimum": 0, "maximum": 9}
    schema = parse_schema(node)
    for wanted in (True, False):
        find(objects(node), lambda value, wanted=wanted: is_allowed(value, schema) is wanted, settings=ONE)


HEAD = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x", "namespace": "default"}}


def bundled() -> list[Any]:
    return [
        pytest.param(crd, id=f"{name}-{key[2]}")
        for name in crd_schemas.SETS
        for key, crd in crd_schemas.crds(name).items()
        if name == crd_schemas.SETS[0] or key in crd_schemas.crds("released")
    ]


def _errors(crd: CompiledCRD, value: dict[str, Any]) -> list[str]:
    """What is wrong with an object, the rules of its author and of the scale subresource set aside."""
    errors = crd.verdict(value).errors
    return [error.text for error in errors if "x-kubernetes-validations" not in error.rule and error.rule != "scale"]


@pytest.mark.parametrize("crd", bundled())
def test_objects_of_the_bundled_crds_have_no_structural_error(crd: dict[str, Any]) -> None:
    compiled = compile_crd(crd)

    @settings(QUICK, max_examples=examples(3))
    @given(custom_resources(crd, valid=True))
    def check(value: dict[str, Any]) -> None:
        assert _errors(compiled, value) == []

    check()


@given(st.data())
def test_whole_objects(data: st.DataObject) -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "object"}}, "required": ["spec"]}
    value = data.draw(custom_resources(definition(schema)))
    assert {key: value[key] for key in HEAD} == {**HEAD, "metadata": {"name": "generated", "namespace": "default"}}


@given(st.data())
def test_names_that_a_definition_limits(data: st.DataObject) -> None:
    name = {"type": "string", "pattern": "^(default|c_d)$"}
    schema = {"type": "object", "properties": {"metadata": {"type": "object", "properties": {"name": name}}}}
    value = data.draw(custom_resources(definition(schema)))
    assert value["metadata"] == {"name": "default", "namespace": "default"}


def test_apiversion_kind_and_metadata_are_not_the_schemas_business() -> None:
    members = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}
    schema = {"type": "object", "required": ["kind", "spec"], "properties": {**members, "spec": {"type": "boolean"}}}

    @QUICK
    @given(objects(schema, valid=True))
    def check(value: Any) -> None:
        assert value.keys() == {"spec"}

    check()


def test_a_version_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="the CRD has no version 'v9'"):
        custom_resources(definition({"type": "object"}), "v9")
