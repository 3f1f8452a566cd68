"""What the fast path takes, and what it must leave to the exact path."""

from typing import Any

import pytest

from ovnguard.validators.crd.compiled_crd import compile_crd
from tests.support.fast_differential import accepted, definition, of, same, with_node

TAKEN: list[tuple[dict[str, Any], list[Any]]] = [
    ({"type": "string"}, ["", "a", "\u0065\u0301", "\u00e9", "\U0001f600"]),
    ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "\U0001f600\U0001f600"]),
    ({"type": "string", "pattern": "^[a-z]+$"}, ["abc"]),
    ({"type": "string", "pattern": r"\pL"}, ["\u00e9"]),
    ({"type": "string", "format": "ipv4"}, ["1.2.3.4"]),
    ({"type": "string", "format": "int32"}, ["anything"]),
    ({"type": "string", "enum": ["a", "b"]}, ["a"]),
    ({"type": "string", "nullable": True}, [None, "a"]),
    ({"type": "integer"}, [0, -(2**63), 2**63 - 1]),
    ({"type": "integer", "minimum": 1.5, "maximum": 2.5}, [1, 2]),
    ({"type": "integer", "multipleOf": 3}, [0, -3]),
    ({"type": "integer", "enum": [1, 3]}, [3]),
    ({"type": "number", "minimum": 0, "exclusiveMinimum": True}, [0.5, 1]),
    ({"type": "number", "multipleOf": 0.1}, [0.3]),
    ({"type": "boolean"}, [True, False]),
    ({"type": "array", "items": {"type": "string"}, "minItems": 1}, [["a", "a"]]),
    ({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}, [[], ["a", "b"]]),
    ({"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 1}, [{}, {"a": 1}]),
    ({"x-kubernetes-int-or-string": True}, [1, "1"]),
    ({"x-kubernetes-preserve-unknown-fields": True}, [{"a": [1, None, {"b": 1.5}]}, "x"]),
    ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, [{"a": {"b": [None]}}]),
    ({"type": "object", "properties": {"a": {"type": "string", "default": "x"}}}, [{}, {"a": "y"}]),
    ({"type": "string", "not": {"enum": ["a"]}}, ["b"]),
    ({"type": "integer", "oneOf": [{"minimum": 5}, {"multipleOf": 2}]}, [4, 7]),
    ({"type": "string", "anyOf": [{"format": "ipv4"}, {"maxLength": 1}]}, ["1.2.3.4", "x"]),
]
LEFT: list[tuple[dict[str, Any], list[Any]]] = [
    ({"type": "string"}, [1, True, None, ["a"], {}]),
    ({"type": "string", "minLength": 2, "maxLength": 3}, ["e", "abcd", "\U0001f600"]),
    ({"type": "string", "pattern": "^[a-z]+$"}, ["abc\n", "A", ""]),
    ({"type": "string", "format": "ipv4"}, ["1.2.3", "::1"]),
    ({"type": "string", "enum": ["a", "b"]}, ["c", "A", "\u0061\u0301"]),
    ({"type": "integer"}, [True, False, 1.0, 2**63, -(2**63) - 1, 10**400, "1", None]),
    ({"type": "integer", "minimum": 1.5, "maximum": 2.5}, [0, 3]),
    ({"type": "integer", "multipleOf": 0.5}, [1, 2]),
    ({"type": "integer", "multipleOf": 3}, [1]),
    ({"type": "integer", "enum": [1, 3]}, [2, True, 1.0]),
    ({"type": "number", "minimum": 0, "exclusiveMinimum": True}, [0, 0.0, -1, True, 2**64, "1"]),
    ({"type": "boolean"}, [0, 1, "true", None]),
    ({"type": "array", "items": {"type": "string"}, "minItems": 1}, [[], [1], [None], "a", {}]),
    ({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}, [["a", "b", "a"]]),
    (
        {"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 1},
        [{"a": 1, "b": 2}, {"a": None}],
    ),
    ({"x-kubernetes-int-or-string": True}, [1.0, True, 1.5, None, {}]),
    ({"x-kubernetes-preserve-unknown-fields": True}, [None, 2**64, [[[2**63]]]]),
    ({"type": "object", "properties": {"a": {"type": "string"}}}, [{"b": 1}, {"a": None}, {"A": "x"}, []]),
    ({"type": "string", "not": {"enum": ["a"]}}, ["a"]),
    ({"type": "integer", "oneOf": [{"minimum": 5}, {"multipleOf": 2}]}, [6, 3]),
    ({"type": "string", "anyOf": [{"format": "ipv4"}, {"maxLength": 1}]}, ["xy"]),
]
LIST_MAP = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k", "n"],
    "items": {
        "type": "object",
        "required": ["k", "n"],
        "properties": {"k": {"type": "string"}, "n": {"type": "integer"}},
    },
}


@pytest.mark.parametrize(("node", "values"), TAKEN, ids=lambda one: str(one)[:60])
def test_valid_values_are_taken(node: dict[str, Any], values: list[Any]) -> None:
    crd = compile_crd(with_node(node))
    for value in values:
        taken, exact = same(crd, of(value))
        assert exact.allowed, exact.errors
        assert taken, value


@pytest.mark.parametrize(("node", "values"), LEFT, ids=lambda one: str(one)[:60])
def test_other_values_are_left(node: dict[str, Any], values: list[Any]) -> None:
    crd = compile_crd(with_node(node))
    for value in values:
        taken, _ = same(crd, of(value))
        assert not taken, value


@pytest.mark.parametrize(
    ("node", "valid", "invalid"),
    [
        ({"type": "integer", "format": "int32"}, [2**31 - 1, -(2**31)], [2**31, 2.0**31, 1.5]),
        ({"type": "integer", "minimum": -(2**53), "multipleOf": 3}, [0, -3], [5.0000000001, 2**63]),
        ({"type": "integer", "minimum": 1.5}, [], [2]),
        ({"type": "integer", "maximum": 2**63 - 1}, [], [1]),
        ({"type": "number", "format": "float"}, [1, 1.5, 3.4028235677973366e38], [-3.402823567797337e38]),
        ({"type": "number", "format": "float", "maximum": 1e39}, [], [1, 1.5]),
        ({"type": "number", "format": "double", "maximum": 1e300}, [1e300], [1e301, 1]),
        ({"type": "string", "format": "ipv4"}, ["1.2.3.4"], ["x"]),
    ],
    ids=str,
)
def test_ranges_of_numbers_since_1_36(node: dict[str, Any], valid: list[Any], invalid: list[Any]) -> None:
    crd = compile_crd(with_node(node), kubernetes="1.36")
    for value in valid:
        taken, exact = same(crd, of(value))
        assert (taken, exact.allowed) == (True, True), value
    for value in invalid:
        taken, exact = same(crd, of(value))
        assert (taken, exact.allowed) == (False, False), value


@pytest.mark.parametrize("value", [1, 2**31, 5.0, 1.5, 1e20, "x"])
def test_branches_of_numbers_since_1_36(value: Any) -> None:
    # int-or-string is the one schema whose branches have types.
    branches = [{"type": "integer"}, {"type": "string"}]
    node = {"x-kubernetes-int-or-string": True, "allOf": [{"anyOf": branches}, {"not": {"format": "date"}}]}
    same(compile_crd(with_node(node), kubernetes="1.36"), of(value))


@pytest.mark.parametrize(
    ("items", "taken"),
    [
        ([{"k": "a", "n": 1}, {"k": "a", "n": 2}], True),
        ([{"k": "a", "n": 1}, {"k": "a", "n": 1}], False),
        ([{"k": "a"}], False),
        ([{"k": "a", "n": 1.0}, {"k": "a", "n": 1}], False),
        ([{"k": "a", "n": True}], False),
    ],
)
def test_lists_of_type_map(items: list[Any], taken: bool) -> None:
    assert same(compile_crd(with_node(LIST_MAP)), of(items))[0] is taken


class Text(str):
    """A string that is no plain one, as readers with line numbers make them."""


def test_strings_of_other_types_are_left() -> None:
    crd = compile_crd(with_node({"type": "string"}))
    assert accepted(crd, of(Text("a"))) is None
    stored = crd.verdict(of(Text("a"))).object
    assert stored is not None
    assert type(stored["spec"]["v"]) is str


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), (1,), {1: 2}])
def test_values_other_than_json_are_left_to_the_exact_path(value: Any) -> None:
    crd = compile_crd(with_node({"type": "object", "x-kubernetes-preserve-unknown-fields": True}))
    assert accepted(crd, of({"a": value})) is None


def test_large_and_deep_parts_are_left() -> None:
    crd = compile_crd(with_node({"x-kubernetes-preserve-unknown-fields": True}))
    deep: Any = "x"
    for _ in range(60):
        deep = [deep]
    assert not same(crd, of(deep))[0]
    assert not same(crd, of(["x"] * 5000))[0]
    circle: list[Any] = []
    circle.append(circle)
    assert accepted(crd, of(circle)) is None


def test_status_goes_on_creation_and_stays_on_update() -> None:
    schema = {
        "type": "object",
        "properties": {
            name: {"type": "object", "properties": {"v": {"type": "integer"}}} for name in ("spec", "status")
        },
    }
    crd = compile_crd(definition(schema, status=True))
    new = {**of(1), "status": {"v": 1}}
    taken, exact = same(crd, new)
    assert taken
    assert "status" not in (exact.object or {})
    old = {**of(1), "status": {"v": 2}}
    assert same(crd, new, old)[0]
    assert same(crd, of(2), old)[0]
    taken, exact = same(crd, {**of(5), "status": {"v": 3}}, old, "status")
    assert taken
    assert exact.object is not None
    assert (exact.object["spec"], exact.object["status"]) == ({"v": 1}, {"v": 3})
    assert not same(crd, {**new, "status": {"v": 1, "w": 2}}, old)[0]


def test_there_is_no_status_where_it_is_no_subresource() -> None:
    crd = compile_crd(with_node({"type": "integer"}))
    assert not same(crd, of(1), of(1), "status")[0]


def test_an_object_over_the_caps_is_left() -> None:
    crd = compile_crd(with_node({"type": "array", "items": {"type": "string"}}))
    taken, exact = same(crd, of(["a"] * 1000))
    assert exact.allowed
    assert not taken
    assert crd.verdict(of(["a"] * 1000)).allowed


@pytest.mark.parametrize("kubernetes", ["1.29", "1.33", "1.35"])
def test_formats_are_those_of_the_release(kubernetes: str) -> None:
    crd = compile_crd(with_node({"type": "string", "format": "k8s-short-name"}), kubernetes=kubernetes)
    assert same(crd, of("A"))[0] is (kubernetes != "1.35")
