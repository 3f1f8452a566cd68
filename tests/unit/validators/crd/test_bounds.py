"""Definitions and objects of hostile size: the work grows with the size, and ends at the deadline."""

import time

import pytest

from ovnguard.validators.base import deadline
from ovnguard.validators.base.deadline import DeadlineExceeded
from ovnguard.validators.crd.compiled_crd import CompiledCRD, InvalidCRD, compile_crd
from tests.support.soak import limit

pytestmark = limit(180)


def compiled(**properties) -> CompiledCRD:
    spec = {"type": "object", "properties": properties}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    return compile_crd(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "things.example.com"},
            "spec": {
                "group": "example.com",
                "scope": "Namespaced",
                "names": {"plural": "things", "kind": "Thing"},
                "versions": [version],
            },
        }
    )


def thing(**spec):
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "x", "namespace": "n"}, "spec": spec}


def texts(crd, **spec):
    return [error.text for error in crd.verdict(thing(**spec)).errors]


@pytest.mark.parametrize("kind", ["string", "integer"])
def test_a_hundred_thousand_enumerated_values(kind):
    values = [f"v{number}" if kind == "string" else number for number in range(100_000)]
    start = time.process_time()
    crd = compiled(one={"type": kind, "enum": values}, many={"type": "array", "items": {"type": kind, "enum": values}})
    assert texts(crd, one=values[-1], many=values[-20_000:]) == []
    wrong = "no" if kind == "string" else -1
    refused = crd.verdict(thing(one=wrong, many=[wrong] * 20_000)).errors
    assert time.process_time() - start < 4
    shown = ", ".join(f'"{value}"' for value in values)
    quoted = '"no"' if kind == "string" else "-1"
    assert refused[0].text == f"spec.one: Unsupported value: {quoted}: supported values: {shown}"
    assert [error.field for error in refused[1:]] == [f"spec.many[{index}]" for index in range(20_000)]


def test_an_enumerated_value_of_sixty_levels():
    value: object = "x"
    for _ in range(60):
        value = {"a": value, "b": 1}
    start = time.process_time()
    crd = compiled(one={"type": "object", "x-kubernetes-preserve-unknown-fields": True, "enum": [value]})
    assert texts(crd, one=value) == []
    assert len(texts(crd, one={"a": value, "b": 1})) == 1
    assert time.process_time() - start < 2


def test_twenty_thousand_items_with_a_hundred_defaults():
    defaults = {f"p{number}": {"type": "string", "default": f"d{number}", "maxLength": 9} for number in range(100)}
    item = {"type": "object", "properties": {**defaults, "own": {"type": "integer", "default": 0, "maximum": 9}}}
    crd = compiled(items={"type": "array", "items": item})
    items: list[dict] = [{} for _ in range(20_000)]
    items[7], items[9] = {"own": 10}, {"p3": "d3", "own": 1}
    start = time.process_time()
    verdict = crd.verdict(thing(items=items))
    assert time.process_time() - start < 1
    assert [error.text for error in verdict.errors] == [
        "spec.items[7].own: Invalid value: 10: spec.items[7].own in body should be less than or equal to 9"
    ]
    assert verdict.object is not None
    filled = verdict.object["spec"]["items"]
    assert filled[0] == {**{f"p{number}": f"d{number}" for number in range(100)}, "own": 0}
    assert list(filled[9].items())[:3] == [("p3", "d3"), ("own", 1), ("p0", "d0")]


def test_an_invalid_default_is_an_error_of_every_item():
    # the API server does not check defaults below additionalProperties
    item = {"type": "object", "properties": {"a": {"type": "string", "default": "long", "maxLength": 1}}}
    crd = compiled(groups={"type": "object", "additionalProperties": {"type": "array", "items": item}})
    errors = texts(crd, groups={"g": [{}, {}, {}, {"a": "x"}]})
    assert errors == [f"spec.groups.g[{index}].a: Too long: may not be more than 1 byte" for index in range(3)]


def test_an_update_forgives_no_default_of_a_changed_item():
    item = {
        "type": "object",
        "required": ["k"],
        "properties": {"k": {"type": "string"}, "a": {"type": "string", "default": "long", "maxLength": 1}},
    }
    keyed = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": item}
    crd = compiled(groups={"type": "object", "additionalProperties": keyed})
    old, new = ({"g": [{"k": str(number)} for number in range(count)]} for count in (3, 5))
    verdict = crd.verdict(thing(groups=new), thing(groups=old))
    assert [error.field for error in verdict.errors] == ["spec.groups.g[3].a", "spec.groups.g[4].a"]


def test_defaults_inside_defaults_are_checked_once():
    node: dict = {"type": "string", "default": "x"}
    for _ in range(11):
        node = {"type": "object", "default": {}, "properties": {"l": node, "r": node}}
    start = time.process_time()
    assert compiled(tree=node).verdict(thing()).allowed
    assert time.process_time() - start < 4


def test_repeated_list_map_keys():
    items = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
    keys = ["a"] * 3
    listed = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": items}
    with pytest.raises(InvalidCRD) as caught:
        compiled(many=listed)
    where = "spec.validation.openAPIV3Schema.properties[spec].properties[many].x-kubernetes-list-map-keys"
    message = f'{where}: Invalid value: ["a","a","a"]: must not contain duplicate entries'
    assert [error.text for error in caught.value.errors] == [message, message]


LISTS = {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        pytest.param({"type": "array", "items": {"type": "object", "properties": {}}}, [{}] * 300, id="objects"),
        pytest.param(LISTS, [[]] * 300, id="lists"),
        pytest.param({"type": "string", "pattern": "a"}, "b", id="pattern"),
        pytest.param({"type": "integer", "anyOf": [{"minimum": 9}, {"minimum": 8}]}, 1, id="branches"),
    ],
)
def test_each_step_ends_at_the_deadline(schema, value):
    crd = compiled(one=schema)
    crd.verdict(thing(one=value))
    with deadline.deadline(-1), pytest.raises(DeadlineExceeded):
        crd.verdict(thing(one=value))
