"""Ranges of numbers by type and format. Texts confirmed by the API server's own code, releases 1.35 and 1.36."""

from typing import Any

import pytest

from ovnguard.validators.crd.compiled_crd import InvalidCRD, compile_crd
from ovnguard.validators.structural.formats.release_formats import formats_of
from ovnguard.validators.structural.objects.value_check import Checker
from ovnguard.validators.structural.schema.schema import parse_schema
from tests.support.differential.compare import definition

CHECKED = '<nil>: Invalid value: "": Checked value must be of type {} in s'
MINIMUM = '<nil>: Invalid value: "": Minimum boundary value must be of type {} in s'
MAXIMUM = '<nil>: Invalid value: "": Maximum boundary value must be of type {} in s'
MULTIPLE = '<nil>: Invalid value: "": MultipleOf value must be of type {} in s'
INTEGER, INT32, INT64 = "integer (default format)", "integer with format int32", "integer with format int64"
FLOAT = "number with format float"


def errors(schema: dict[str, Any], value: Any, minor: int) -> list[str]:
    tree = parse_schema({"type": "object", "properties": {"s": schema}})
    return [error.text for error in Checker(formats_of(minor)).check({"s": value}, tree).errors.values()]


@pytest.mark.parametrize("value", [2**31 - 1, -(2**31), 2.0**31 - 1, -0.0])
def test_values_within_32_bits(value: float) -> None:
    assert errors({"type": "integer", "format": "int32"}, value, 36) == []


@pytest.mark.parametrize(
    ("schema", "value", "since_36"),
    [
        ({"type": "integer", "format": "int32"}, 2**31, [CHECKED.format(INT32)]),
        ({"type": "integer", "format": "int32"}, -(2**31) - 1, [CHECKED.format(INT32)]),
        ({"type": "integer", "format": "int32"}, 2.0**31, [CHECKED.format(INT32)]),
        ({"type": "integer", "format": "int32", "nullable": True}, 2**31, [CHECKED.format(INT32)]),
        ({"type": "integer"}, 5.0000000001, [CHECKED.format(INTEGER)]),
        ({"type": "integer", "format": "uint32"}, 5.0000000001, [CHECKED.format(INTEGER)]),
        ({"type": "number", "format": "float"}, 3.4028235677973366e38, []),
        ({"type": "number", "format": "float"}, 3.402823567797337e38, [CHECKED.format(FLOAT)]),
        ({"type": "number", "format": "float"}, -3.402823567797337e38, [CHECKED.format(FLOAT)]),
        ({"type": "number", "format": "float"}, 5e-324, []),
        ({"type": "number", "format": "double"}, 1.7976931348623157e308, []),
        ({"type": "integer", "anyOf": [{"format": "int32"}]}, 2**31, []),
        ({"x-kubernetes-int-or-string": True, "format": "int32"}, 2**40, []),
        ({"type": "integer", "maximum": 2**63 - 1024}, 1, []),
        ({"type": "integer", "format": "int64", "minimum": -(2**63)}, 1, [MINIMUM.format(INT64)]),
        ({"type": "integer", "minimum": 1.5}, 2, [MINIMUM.format(INTEGER)]),
        ({"type": "number", "format": "float", "maximum": 1e39}, 5.5, [MAXIMUM.format(FLOAT)]),
    ],
)
def test_ranges(schema: dict[str, Any], value: float, since_36: list[str]) -> None:
    assert errors(schema, value, 35) == []
    assert errors(schema, value, 36) == since_36


@pytest.mark.parametrize(
    ("schema", "value", "until_35", "since_36"),
    [
        # The fewest digits of 2**63 are 9223372036854776000. As an int64, it is the least one.
        (
            {"type": "integer", "maximum": 2**63 - 1},
            1,
            ["s: Invalid value: 1: s in body should be less than or equal to -9223372036854775808"],
            [MAXIMUM.format(INTEGER)],
        ),
        (
            {"type": "integer", "minimum": 1.5},
            0,
            ["s: Invalid value: 0: s in body should be greater than or equal to 1"],
            [MINIMUM.format(INTEGER), "s: Invalid value: 0: s in body should be greater than or equal to 1.5"],
        ),
        (
            {"type": "integer", "multipleOf": 0.5},
            1,
            ["s: Invalid value: 0: factor MultipleOf declared for s must be positive: 0"],
            [MULTIPLE.format(INTEGER)],
        ),
        (
            {"type": "integer", "format": "int32", "maximum": 2**31},
            2**31 + 1,
            ["s: Invalid value: 2147483649: s in body should be less than or equal to 2147483648"],
            [
                CHECKED.format(INT32),
                MAXIMUM.format(INT32),
                "s: Invalid value: 2.147483649e+09: s in body should be less than or equal to 2.147483648e+09",
            ],
        ),
        (
            {"type": "integer", "format": "int32"},
            1.5,
            ['s: Invalid value: "number": s in body must be of type integer: "number"'],
            ['s: Invalid value: "float64": s in body must be of type int32: "float64"', CHECKED.format(INT32)],
        ),
        (
            {"type": "integer", "format": "date"},
            True,
            ['s: Invalid value: "": s in body must be of type date: ""'],
            ['s: Invalid value: "boolean": s in body must be of type integer: "boolean"'],
        ),
        (
            {"type": "array", "format": "date"},
            "2020-01-01",
            [],
            ['s: Invalid value: "string": s in body must be of type array: "string"'],
        ),
    ],
)
def test_texts_by_release(schema: dict[str, Any], value: Any, until_35: list[str], since_36: list[str]) -> None:
    assert errors(schema, value, 35) == until_35
    assert errors(schema, value, 36) == since_36


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ({"type": "integer", "format": "int32", "default": 2**31}, f"Checked value must be of type {INT32} in "),
        (
            {"type": "integer", "default": 1, "minimum": 0.5},
            f"Minimum boundary value must be of type {INTEGER} in ",
        ),
    ],
)
def test_defaults(schema: dict[str, Any], complaint: str) -> None:
    crd = definition({"type": "object", "properties": {"s": schema}}, status=False)
    assert compile_crd(crd, kubernetes="1.35").version == "v1"
    with pytest.raises(InvalidCRD) as refused:
        compile_crd(crd, kubernetes="1.36")
    where = "spec.validation.openAPIV3Schema.properties[s].default"
    assert [error.text for error in refused.value.errors] == [f'{where}: Invalid value: "": {complaint}']
