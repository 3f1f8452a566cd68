"""Structs as Go's encoding/json fills them."""

from typing import Any

import pytest

from ovnguard.validators.go.basic_types import ANYTHING, FLAG, INT, INT32, TEXT
from ovnguard.validators.go.composite_types import Field, ListOf, MapOf, StructOf
from ovnguard.validators.go.json_decode import Decoded, fold, go_type, unmarshal
from ovnguard.validators.go.json_syntax import read_json

INNER = StructOf("p.Inner", Field("text", TEXT), Field("small", INT32), pointer=False)
POINTER = StructOf("p.Inner", *INNER.fields)
OUTER = StructOf(
    "p.Outer",
    Field("key", TEXT, path="Embedded.key"),
    Field("number", INT),
    Field("switch", FLAG),
    Field("inner", INNER),
    Field("pointer", POINTER),
    Field("list", ListOf(TEXT)),
    Field("inners", ListOf(INNER)),
    Field("switches", MapOf(FLAG)),
    Field("free", MapOf(ANYTHING)),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", {}),
        ('{"KEY":"a"}', {"key": "a"}),
        ('{"\u212aey":"a","\u017fwitch":true}', {"key": "a", "switch": True}),
        ('{"k\u0117y":"a","Key ":"b"}', {}),
        ('{"key":"a","KEY":"b"}', {"key": "b"}),
        ('{"key":"a","key":null,"number":null}', {"key": "a"}),
        ('{"number":-0}', {"number": 0}),
        ('{"inner":{"text":"a"},"inner":{"small":1},"inner":null}', {"inner": {"text": "a", "small": 1}}),
        ('{"pointer":{"text":"a"},"pointer":null}', {}),
        ('{"pointer":{"text":"a"},"pointer":{"small":1}}', {"pointer": {"text": "a", "small": 1}}),
        ('{"list":["a","b"],"list":[null]}', {"list": ["a"]}),
        ('{"list":["a"],"list":[null,null]}', {"list": ["a", ""]}),
        ('{"list":["a"],"list":null}', {}),
        ('{"inners":[null,{"small":1}]}', {"inners": [{}, {"small": 1}]}),
        ('{"switches":{"a":true,"b":true},"switches":{"a":null}}', {"switches": {"a": False, "b": True}}),
        ('{"switches":{"a":true},"switches":null}', {}),
        ('{"unknown":1e400}', {}),
    ],
)
def test_values(text: str, expected: dict[str, Any]) -> None:
    assert unmarshal(OUTER, read_json(text)) == Decoded(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", "array into Go value of type p.Outer"),
        ('{"key":1}', "number into Go struct field Outer.Embedded.key of type string"),
        ('{"number":1.5}', "number 1.5 into Go struct field Outer.number of type int"),
        ('{"number":1e2}', "number 1e2 into Go struct field Outer.number of type int"),
        ('{"number":9223372036854775808}', "number 9223372036854775808 into Go struct field Outer.number of type int"),
        ('{"number":"1"}', "string into Go struct field Outer.number of type int"),
        ('{"switch":1}', "number into Go struct field Outer.switch of type bool"),
        ('{"inner":true}', "bool into Go struct field Outer.inner of type p.Inner"),
        ('{"inner":{"small":2147483648}}', "number 2147483648 into Go struct field Inner.inner.small of type int32"),
        ('{"pointer":{"text":{}}}', "object into Go struct field Inner.pointer.text of type string"),
        ('{"list":"a"}', "string into Go struct field Outer.list of type []string"),
        ('{"list":["a",1]}', "number into Go struct field Outer.list of type string"),
        ('{"switches":[]}', "array into Go struct field Outer.switches of type map[string]bool"),
        ('{"free":{"a":[1,-1e400]}}', "number -1e400 into Go struct field Outer.free of type float64"),
    ],
)
def test_the_first_wrong_value(text: str, expected: str) -> None:
    assert unmarshal(OUTER, read_json(text)).error == f"json: cannot unmarshal {expected}"


def test_values_after_a_wrong_one_are_read() -> None:
    values, error = unmarshal(OUTER, read_json('{"number":7,"number":"x","key":true,"switch":true}'))
    assert values == {"number": 7, "switch": True}
    assert error == "json: cannot unmarshal string into Go struct field Outer.number of type int"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"KEY":"a","key":"b"}', {"key": "b"}),
        ('{"key":"b","KEY":"a"}', {"key": "b"}),
        ('{"key":"a","\u212aey":"b"}', {"key": "b"}),
        ('{"number":1e3}', {"number": 1000}),
        ('{"number":9007199254740993}', {"number": 9007199254740992}),
        ('{"inner":{"TEXT":"a","text":"b","text":"c"}}', {"inner": {"text": "c"}}),
    ],
)
def test_a_value_that_was_marshalled_before_has_sorted_keys_and_floating_numbers(
    text: str, expected: dict[str, Any]
) -> None:
    assert unmarshal(OUTER, read_json(text), marshalled=True) == Decoded(expected)


def test_what_an_interface_does_not_hold() -> None:
    assert unmarshal(ANYTHING, read_json('{"a":[1e400,1e500]}')).error == (
        "json: cannot unmarshal number 1e400 into Go value of type float64"
    )
    assert unmarshal(ANYTHING, read_json("[" * 5000 + "1" + "]" * 5000)).error == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("null", "<nil>"),
        ("1", "float64"),
        ("true", "bool"),
        ('"a"', "string"),
        ("[]", "[]interface {}"),
        ("{}", "map[string]interface {}"),
    ],
)
def test_names_of_types(text: str, expected: str) -> None:
    assert go_type(read_json(text)) == expected


def test_only_the_runes_that_fold_to_ascii_do() -> None:
    assert fold("K\u212ak\u017fSs\u0130\u0131\u00c4") == "kkksss\u0130\u0131\u00c4"
