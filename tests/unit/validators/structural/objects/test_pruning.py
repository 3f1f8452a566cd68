from typing import Any

import pytest

from ovnguard.validators.structural.objects.defaulting import drop_nulls, fill_defaults
from ovnguard.validators.structural.objects.pruning import prune
from ovnguard.validators.structural.schema.schema import parse_schema

KEEP = {"x-kubernetes-preserve-unknown-fields": True}


def root(spec: dict[str, Any]) -> Any:
    return parse_schema({"type": "object", "properties": {"spec": spec}})


@pytest.mark.parametrize(
    ("spec", "value", "kept", "unknown"),
    [
        ({"type": "object"}, {"a": 1, "b": {}}, {}, ["spec.a", "spec.b"]),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, {"a": 5}, {"a": 5}, []),
        (
            {"type": "object", "additionalProperties": {"type": "object"}},
            {"k": {"w": 1}},
            {"k": {}},
            ["spec.k.w"],
        ),
        # Without a schema for the values, objects in them are emptied.
        ({"type": "object", "additionalProperties": True}, {"any": {"deep": 1}}, {"any": {}}, ["spec.any.deep"]),
        ({"type": "object", "additionalProperties": False}, {"any": 1}, {"any": 1}, []),
        ({"type": "object", **KEEP}, {"a": {"b": 1}}, {"a": {"b": 1}}, []),
        (
            {"type": "object", **KEEP, "properties": {"q": {"type": "object"}}},
            {"q": {"u": 1}, "s": {"t": 1}},
            {"q": {}, "s": {"t": 1}},
            ["spec.q.u"],
        ),
        ({"type": "array", "items": {"type": "object"}}, [{"n": 1}, 5], [{}, 5], ["spec[0].n"]),
        ({"type": "array", **KEEP, "items": {"type": "object"}}, [{"n": 1}], [{"n": 1}], []),
        ({"type": "array", **KEEP}, [{"n": 1}], [{"n": 1}], []),
        ({"type": "string"}, [{"n": 1}, [{"m": 1}]], [{}, [{}]], ["spec[0].n", "spec[1][0].m"]),
        (
            {"type": "object", "x-kubernetes-embedded-resource": True},
            {"apiVersion": "v1", "kind": "A", "metadata": {"x": 1}, "y": 1},
            {"apiVersion": "v1", "kind": "A", "metadata": {"x": 1}},
            ["spec.y"],
        ),
        ({"type": "object"}, "text", "text", []),
        ({"anyOf": [{"properties": {"a": {}}}], "type": "object"}, {"a": 1}, {}, ["spec.a"]),
    ],
)
def test_unknown_fields_go_and_are_named(spec: dict[str, Any], value: Any, kept: Any, unknown: list[str]) -> None:
    obj = {"apiVersion": "v1", "kind": "Foo", "metadata": {"anything": 1}, "spec": value, "zz": 1}
    pruned, paths = prune(obj, root(spec))
    assert pruned == {"apiVersion": "v1", "kind": "Foo", "metadata": {"anything": 1}, "spec": kept}
    assert paths == sorted([*unknown, "zz"])


def test_an_object_without_unknown_fields_is_not_copied() -> None:
    obj = {"spec": {"a": {"b": [1]}}}
    schema = {"type": "object", "properties": {"a": {"type": "object", "additionalProperties": {"type": "array"}}}}
    assert prune(obj, root(schema))[0] is obj


DEFAULTED = {"type": "string", "default": "x"}


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (DEFAULTED, {}, {"p": "x"}),
        (DEFAULTED, {"p": None}, {"p": "x"}),
        ({**DEFAULTED, "nullable": True}, {"p": None}, {"p": None}),
        ({"type": "string"}, {"p": None}, {}),
        ({"type": "string", "nullable": True}, {"p": None}, {"p": None}),
        ({"type": "string", "default": None}, {}, {}),
        ({"type": "array", "items": {"type": "string", "default": "it"}}, {"p": [None, "z"]}, {"p": ["it", "z"]}),
        ({"type": "array", "items": {"type": "string"}}, {"p": [None]}, {"p": [None]}),
        ({"type": "object", "default": {}, "properties": {"q": DEFAULTED}}, {}, {"p": {"q": "x"}}),
        ({"type": "object", "properties": {"q": DEFAULTED}}, {}, {}),
        ({"type": "object", "properties": {"q": DEFAULTED}}, {"p": {}}, {"p": {"q": "x"}}),
        (
            {"type": "object", "additionalProperties": DEFAULTED},
            {"p": {"a": None, "b": "c"}},
            {"p": {"a": "x", "b": "c"}},
        ),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"p": {"a": None}}, {"p": {}}),
        ({"type": "object", "allOf": [{"properties": {"q": DEFAULTED}}]}, {"p": {}}, {"p": {}}),
        ({"type": "integer", "default": 5}, {"p": "text"}, {"p": "text"}),
    ],
)
def test_nulls_and_defaults(schema: dict[str, Any], value: Any, expected: Any) -> None:
    tree = parse_schema({"type": "object", "properties": {"p": schema}})
    before = repr(value)
    assert fill_defaults(drop_nulls(value, tree), tree) == expected
    assert repr(value) == before


def test_what_needs_no_default_is_not_copied() -> None:
    tree = parse_schema({"type": "object", "properties": {"p": {"type": "array", "items": DEFAULTED}}})
    value = {"p": ["a", "b"]}
    assert fill_defaults(drop_nulls(value, tree), tree) is value
