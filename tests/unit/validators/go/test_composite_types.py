"""Decoding into Go structs; texts confirmed by encoding/json."""

from typing import Any

import pytest

from ovnguard.validators.go.basic_types import FLAG, INT32, INT64_POINTER, TEXT, TEXT_POINTER, Bytes, Time
from ovnguard.validators.go.composite_types import Field, ListOf, MapOf, StructOf
from ovnguard.validators.go.json_decode import Kind, Undecodable, decode
from ovnguard.validators.structural.schema.definition_types import SCHEMA

POINT = StructOf("v1.Point", Field("x", INT32, "X"), Field("label", TEXT_POINTER, "Label"), Field("on", FLAG, "On"))
SHAPE = StructOf(
    "v1.Shape",
    Field("name", TEXT, "Name"),
    Field("points", ListOf(POINT), "Points"),
    Field("tags", MapOf(TEXT), "Tags"),
    Field("limit", INT64_POINTER, "Limit"),
    Field("raw", Bytes(), "Raw"),
    Field("at", Time(), "At"),
)


def test_values_equal_to_an_unset_field_are_dropped() -> None:
    written = {"name": "", "Name": "x", "limit": 0, "tags": {}, "points": [None, {"x": 0, "label": "", "on": False}]}
    assert decode(SHAPE, written) == {"limit": 0, "tags": {}, "points": [{}, {"label": ""}]}


def test_null_is_an_unset_field_and_a_zero_element() -> None:
    assert decode(SHAPE, {"name": None, "tags": {"a": None}}) == {"tags": {"a": ""}}


@pytest.mark.parametrize(
    ("value", "path", "text"),
    [
        ([], "", "json: cannot unmarshal array into Go value of type v1.Shape"),
        ({"name": 1}, "name", "json: cannot unmarshal number into Go struct field Shape.name of type string"),
        (
            {"points": [{}, {"x": 2**31}]},
            "points[1].x",
            "json: cannot unmarshal number 2147483648 into Go struct field Point.points.x of type int32",
        ),
        ({"limit": 1.0}, "limit", "json: cannot unmarshal number 1.0 into Go struct field Shape.limit of type int64"),
        ({"tags": {"a": []}}, "tags[a]", "json: cannot unmarshal array into Go struct field Shape.tags of type string"),
        (
            {"points": {}},
            "points",
            "json: cannot unmarshal object into Go struct field Shape.points of type []v1.Point",
        ),
        (
            {"z": 1, "tags": 1, "name": 1},
            "name",
            "json: cannot unmarshal number into Go struct field Shape.name of type string",
        ),
        ({"at": "x", "name": 1}, "at", 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'),
        ({"at": ""}, "at", 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'),
        ({"at": 1}, "at", "json: cannot unmarshal number into Go struct field Shape.at of type string"),
        ({"raw": [1, 256]}, "raw[1]", "json: cannot unmarshal number 256 into Go struct field Shape.raw of type uint8"),
    ],
)
def test_error(value: Any, path: str, text: str) -> None:
    with pytest.raises(Undecodable) as caught:
        decode(SHAPE, value)
    assert (caught.value.path, str(caught.value)) == (path, text)


@pytest.mark.parametrize(
    ("text", "place"),
    [("??", 0), ("YQ", 0), ("YQ=", 3), ("YQ==x", 4), ("=", 0), ("YWJjZ", 4), ("YQ=x", 2), ("YQ\n=\nx", 4)],
)
def test_bad_base64(text: str, place: int) -> None:
    with pytest.raises(Undecodable, match=f"illegal base64 data at input byte {place}$"):
        decode(SHAPE, {"raw": text})


@pytest.mark.parametrize("text", ["", "YQ==", "Y\nQ=\r\n=", "YWJj", "YWI=\n"])
def test_good_base64(text: str) -> None:
    assert decode(SHAPE, {"raw": text}) == {"raw": text}


@pytest.mark.parametrize(
    ("kind", "left", "right", "same"),
    [
        (SHAPE, {"points": []}, {}, True),
        (SHAPE, {"tags": {}}, {}, True),
        (SHAPE, {"points": [{}]}, {}, False),
        (SHAPE, None, {}, False),
        (SCHEMA, {"default": 1}, {"default": 1.0}, False),
        (SCHEMA, {"default": {"a": [1]}}, {"default": {"a": [1]}}, True),
        (SCHEMA, {"items": True}, {"items": []}, False),
        (SCHEMA, {"items": {"enum": []}}, {"items": {}}, True),
        (SHAPE, {"limit": 0}, {}, False),
        (SHAPE, {"points": [{"label": "a"}]}, {"points": [{"label": "b"}]}, False),
    ],
)
def test_equality(kind: Kind, left: Any, right: Any, same: bool) -> None:
    assert kind.same(left, right) is same


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            {},
            'api.Shape{Name:"", Points:[]api.Point(nil), Tags:map[string]string(nil), Limit:(*int64)(nil)}',
        ),
        (
            {"name": 'q"', "points": [{"x": 2}, {"label": "a", "on": True}], "tags": {"b": "", "a": "x"}, "limit": 0},
            r'api.Shape{Name:"q\"", Points:[]api.Point{api.Point{X:2, Label:(*string)(nil), On:false},'
            " api.Point{X:0, Label:(*string)(0xc000000000), On:true}},"
            r' Tags:map[string]string{"a":"x", "b":""}, Limit:(*int64)(0xc000000000)}',
        ),
    ],
)
def test_go_syntax_of_a_struct(value: Any, text: str) -> None:
    shown = StructOf("v1.Shape", *(one for one in SHAPE.fields if one.key not in {"raw", "at"}))
    assert shown.literal(value, "api") == text
    assert shown.go_syntax(value, "api") == "(*api.Shape)(0xc000000000)"
    assert shown.go_syntax(None, "api") == "(*api.Shape)(nil)"


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("enum", None, "[]v1.JSON(nil)"),
        ("enum", [None, 1.5, {"a": []}], '[]v1.JSON{v1.JSON(nil), 1.5, map[string]interface {}{"a":[]interface {}{}}}'),
        ("default", None, "(*v1.JSON)(nil)"),
        ("items", {"type": "string"}, "(*v1.JSONSchemaPropsOrArray)(0xc000000000)"),
        ("additionalProperties", None, "(*v1.JSONSchemaPropsOrBool)(nil)"),
        (
            "dependencies",
            {"a": ["b"]},
            'v1.JSONSchemaDependencies{"a":v1.JSONSchemaPropsOrStringArray{Schema:(*v1.JSONSchemaProps)(nil),'
            ' Property:[]string{"b"}}}',
        ),
    ],
)
def test_go_syntax_of_keywords(key: str, value: Any, text: str) -> None:
    assert SCHEMA.by_key[key].kind.go_syntax(value, "v1") == text
