from typing import Any

import pytest

from ovnguard.validators.structural.objects.listtype import check_lists
from ovnguard.validators.structural.schema.schema import parse_schema

SET = {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}
ITEM = {"type": "object", "properties": {"k": {"type": "string"}, "p": {"type": "integer"}}}
MAP = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": ITEM}
MAP2 = {**MAP, "x-kubernetes-list-map-keys": ["k", "p"]}


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (SET, ["a", "b"], []),
        (SET, ["a", "b", "a", "a"], ['l[2]: Duplicate value: "a"']),
        (SET, [1, 1.0, True], []),
        (SET, [{"x": 1}, {"x": 1}], ['l[1]: Duplicate value: {"x":1}']),
        (SET, [None, None], ["l[1]: Duplicate value: null"]),
        (MAP, [{"k": "a"}, {"k": "b"}], []),
        (MAP, [{"k": "a", "p": 1}, {"k": "a", "p": 2}], ['l[1]: Duplicate value: {"k":"a"}']),
        (MAP, [{}, {"p": 1}], ["l[1]: Duplicate value: {}"]),
        (MAP, [None, {}], ["l[1]: Duplicate value: {}"]),
        (
            MAP,
            [{"k": "a"}, "x", {"k": "a"}],
            ['l[1]: Invalid value: "x": must be an object for an array of list-type map'],
        ),
        (MAP2, [{"k": "a", "p": 80}, {"k": "a", "p": 80}], ['l[1]: Duplicate value: {"k":"a","p":80}']),
        (MAP2, [{"k": "a"}, {"k": "a"}], ['l[1]: Duplicate value: {"k":"a"}']),
        (MAP2, [{"k": "a", "p": 80}, {"k": "a", "p": 81}], []),
        ({"type": "object", "additionalProperties": SET}, {"x.y": ["a", "a"]}, ['l[x.y][1]: Duplicate value: "a"']),
        ({"type": "array", "items": SET}, [["a", "a"]], ['l[0][1]: Duplicate value: "a"']),
        ({"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "string"}}, ["a", "a"], []),
    ],
)
def test_duplicates_in_sets_and_maps_are_refused(schema: dict[str, Any], value: Any, expected: list[str]) -> None:
    tree = parse_schema({"type": "object", "properties": {"l": schema}})
    assert [error.text for error in check_lists({"l": value}, tree)] == expected
