"""Texts confirmed by the API server's own code, release 1.35."""

from typing import Any

import pytest

from ovnguard.validators.structural.formats.release_formats import formats_of
from ovnguard.validators.structural.objects.value_check import Checker
from ovnguard.validators.structural.schema.schema import parse_schema


def errors(schema: dict[str, Any], value: Any, minor: int = 35) -> list[str]:
    tree = parse_schema({"type": "object", "properties": {"s": schema}})
    return [error.text for error in Checker(formats_of(minor)).check({"s": value}, tree).errors.values()]


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "integer"}, "x", ['s: Invalid value: "string": s in body must be of type integer: "string"']),
        ({"type": "integer"}, 1.5, ['s: Invalid value: "number": s in body must be of type integer: "number"']),
        ({"type": "integer"}, 1.0, []),
        ({"type": "integer"}, True, ['s: Invalid value: "boolean": s in body must be of type integer: "boolean"']),
        ({"type": "integer"}, 1e19, ['s: Invalid value: "number": s in body must be of type integer: "number"']),
        ({"type": "number"}, 5, []),
        ({"type": "string"}, None, ['s: Invalid value: "null": s in body must be of type string: "null"']),
        ({"type": "string", "nullable": True}, None, []),
        ({"type": "object"}, [], ['s: Invalid value: "array": s in body must be of type object: "array"']),
        (
            {"x-kubernetes-int-or-string": True},
            1.5,
            ['s: Invalid value: "number": s in body must be of type integer,string: "number"'],
        ),
        ({"x-kubernetes-int-or-string": True}, "a", []),
        ({"type": "string", "maxLength": 2}, "abc", ["s: Too long: may not be more than 2 bytes"]),
        ({"type": "string", "maxLength": 2}, "äö", []),
        (
            {"type": "string", "minLength": 2, "pattern": "^x"},
            "a",
            ['s: Invalid value: "a": s in body should be at least 2 chars long'],
        ),
        (
            {"type": "string", "pattern": "^[a-z]+$"},
            "a\n",
            [r's: Invalid value: "a\n": s in body should match ' + "'^[a-z]+$'"],
        ),
        (
            {"type": "string", "enum": ["x", "y"]},
            "a",
            ['s: Unsupported value: "a": supported values: "x", "y"'],
        ),
        ({"type": "integer", "enum": [1, 2]}, 3, ['s: Unsupported value: 3: supported values: "1", "2"']),
        (
            {"type": "string", "nullable": True, "enum": ["a", None]},
            None,
            ['s: Unsupported value: null: supported values: "a", "null"'],
        ),
        ({"enum": ["a"]}, 97, []),
        ({"enum": [1]}, 1.9, []),
        ({"enum": [1.0]}, 1, []),
        ({"enum": [True]}, 1, ['s: Unsupported value: 1: supported values: "true"']),
        (
            {"type": "array", "items": {"type": "string"}, "minItems": 2},
            ["a"],
            ["s: Invalid value: 1: s in body should have at least 2 items"],
        ),
        (
            {"type": "array", "items": {"type": "string"}, "maxItems": 1},
            ["a", 1],
            [
                's[1]: Invalid value: "integer": s[1] in body must be of type string: "integer"',
                "s: Too many: 2: must have at most 1 item",
            ],
        ),
        (
            {"type": "object", "minProperties": 2},
            {"a": 1},
            ["s: Invalid value: 1: s in body should have at least 2 properties"],
        ),
        ({"type": "object", "maxProperties": 1}, {"a": 1, "b": 2}, ["s: Too many: 2: must have at most 1 item"]),
        ({"type": "object", "required": ["a"]}, {}, ["s.a: Required value"]),
        (
            {"type": "object", "additionalProperties": False},
            {"a": 1},
            ['s: Invalid value: "a": s.a in body is a forbidden property'],
        ),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"a.b": 1},
            ['s.a.b: Invalid value: "integer": s.a.b in body must be of type string: "integer"'],
        ),
    ],
)
def test_keywords(schema: dict[str, Any], value: Any, expected: list[str]) -> None:
    assert errors(schema, value) == expected


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"minimum": 1.5}, 1, []),
        ({"maximum": 2.5}, 3, ["s: Invalid value: 3: s in body should be less than or equal to 2"]),
        ({"minimum": 3}, 2.5, ["s: Invalid value: 2.5: s in body should be greater than or equal to 3"]),
        (
            {"minimum": 3, "exclusiveMinimum": True},
            3,
            ["s: Invalid value: 3: s in body should be greater than 3"],
        ),
        (
            {"maximum": 3, "exclusiveMaximum": True},
            3.0,
            ["s: Invalid value: 3: s in body should be less than 3"],
        ),
        ({"multipleOf": 3}, 7, ["s: Invalid value: 7: s in body should be a multiple of 3"]),
        ({"multipleOf": 0.5}, 1, ["s: Invalid value: 0: factor MultipleOf declared for s must be positive: 0"]),
        ({"multipleOf": 0.1}, 0.3, []),
        ({"multipleOf": 0.1}, 0.25, ["s: Invalid value: 0.25: s in body should be a multiple of 0.1"]),
    ],
)
def test_numbers(schema: dict[str, Any], value: Any, expected: list[str]) -> None:
    assert errors({"type": "number", **schema}, value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1.2.3.4", []),
        ("x", ['s: Invalid value: "x": s in body must be of type ipv4: "x"']),
        (5, ['s: Invalid value: "int64": s in body must be of type ipv4: "int64"']),
        (True, ['s: Invalid value: "": s in body must be of type ipv4: ""']),
        # A format silences the type check of lists.
        ([], []),
    ],
)
def test_a_format_takes_the_place_of_the_type(value: Any, expected: list[str]) -> None:
    assert errors({"type": "string", "format": "ipv4"}, value) == expected


def test_formats_that_a_release_does_not_know_are_ignored() -> None:
    schema = {"type": "string", "format": "k8s-short-name"}
    assert errors(schema, "A", minor=33) == []
    assert errors(schema, "A") == ['s: Invalid value: "A": s in body must be of type k8s-short-name: "A"']
    assert errors({"type": "string", "format": "int32"}, "A") == []


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (
            {"anyOf": [{"minLength": 3}, {"pattern": "^x"}]},
            "a",
            [
                '<nil>: Invalid value: "": "s" must validate at least one schema (anyOf)',
                's: Invalid value: "a": s in body should be at least 3 chars long',
            ],
        ),
        (
            {"oneOf": [{"minLength": 3}, {"minLength": 2}]},
            "abc",
            ['<nil>: Invalid value: "": "s" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
        ),
        (
            {"oneOf": [{"minLength": 3}]},
            "a",
            [
                '<nil>: Invalid value: "": "s" must validate one and only one schema (oneOf). Found none valid',
                's: Invalid value: "a": s in body should be at least 3 chars long',
            ],
        ),
        (
            {"allOf": [{"minLength": 3}, {"minLength": 2}]},
            "a",
            [
                's: Invalid value: "a": s in body should be at least 3 chars long',
                's: Invalid value: "a": s in body should be at least 2 chars long',
                '<nil>: Invalid value: "": "s" must validate all the schemas (allOf). None validated',
            ],
        ),
        (
            {"allOf": [{"minLength": 1}, {"minLength": 2}]},
            "a",
            [
                's: Invalid value: "a": s in body should be at least 2 chars long',
                '<nil>: Invalid value: "": "s" must validate all the schemas (allOf)',
            ],
        ),
        (
            {"not": {"pattern": "a"}},
            "a",
            ['<nil>: Invalid value: "": "s" must not validate the schema (not)'],
        ),
    ],
)
def test_branches(schema: dict[str, Any], value: Any, expected: list[str]) -> None:
    assert errors({"type": "string", **schema}, value) == expected


def test_the_branch_with_the_most_matches_explains_the_failure() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b", "c"], "properties": {"d": {"minimum": 1}}}],
    }
    assert errors(schema, {"d": 5}) == [
        '<nil>: Invalid value: "": "s" must validate at least one schema (anyOf)',
        "s.b: Required value",
        "s.c: Required value",
    ]


def test_the_same_text_counts_once() -> None:
    schema = {"type": "string", "minLength": 3, "allOf": [{"minLength": 3}]}
    assert errors(schema, "a") == [
        's: Invalid value: "a": s in body should be at least 3 chars long',
        '<nil>: Invalid value: "": "s" must validate all the schemas (allOf). None validated',
    ]


def test_the_status_alone_is_judged_below_its_prefix() -> None:
    tree = parse_schema({"type": "object", "required": ["p"], "properties": {"q": {"type": "integer"}}})
    found = Checker(formats_of(35), "status").check({"q": "x"}, tree).errors.values()
    assert [error.text for error in found] == [
        'status.q: Invalid value: "string": q in body must be of type integer: "string"',
        "status.p: Required value",
    ]


def test_rules_name_their_place_in_the_schema() -> None:
    tree = parse_schema(
        {
            "type": "object",
            "properties": {"l": {"type": "array", "items": {"type": "string", "maxLength": 1}}},
            "required": ["m"],
        }
    )
    found = Checker(formats_of(35)).check({"l": ["ab"]}, tree).errors.values()
    assert [(error.field, error.rule) for error in found] == [("l[0]", "l[*].maxLength"), ("m", "required")]


@pytest.mark.parametrize(
    ("factor", "value", "until_36", "since_37"),
    [
        (0.1, -0.3, True, True),
        (1.5, -4.5000000001, False, True),
        (1.5, 4.4999999999, False, True),
        (2.0, 2000000.003, True, False),
        (2.0, -0.1, False, False),
    ],
)
def test_a_multiple_is_nearly_whole(factor: float, value: float, until_36: bool, since_37: bool) -> None:
    """From 1.37 on, a quotient is compared with the nearest whole number, before with the next one toward zero."""
    found = [not errors({"multipleOf": factor}, value, minor) for minor in (35, 36, 37)]
    assert found == [until_36, until_36, since_37]
