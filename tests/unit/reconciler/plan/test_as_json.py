"""OVSDB notation and texts."""

import pytest

from reconciler.plan.as_json import (
    NotationError,
    column_from_json,
    operation_to_json,
    operations_as_text,
    row_from_json,
    row_to_json,
    rows_as_text,
)
from reconciler.plan.diff import diff
from reconciler.plan.plan import make_plan
from reconciler.plan.rows import Operation, Ref
from reconciler.plan.settings import Settings
from tests.unit.reconciler.plan.samples import nodes, udn


def test_rows_survive_the_way_to_json_and_back() -> None:
    for row in make_plan([udn()], nodes(2), Settings()).zones[0].rows:
        assert row_from_json(row_to_json(row)) == row


def test_notation() -> None:
    operation = Operation(
        "update",
        "Logical_Router",
        "u",
        {"ports": (Ref("a"), Ref("b")), "options": {"k": "v", "a": "b"}, "name": "r", "peer": (), "n": 3, "b": True},
    )
    assert operation_to_json(operation) == {
        "op": "update",
        "table": "Logical_Router",
        "uuid": "u",
        "row": {
            "b": True,
            "n": 3,
            "name": "r",
            "options": ["map", [["a", "b"], ["k", "v"]]],
            "peer": ["set", []],
            "ports": ["set", [["uuid", "a"], ["uuid", "b"]]],
        },
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "not a value of OVSDB: None"),
        ({"uuid": "a"}, "not a value of OVSDB: {'uuid': 'a'}"),
        (["set", [["set", []]]], "not a value of OVSDB: ['set', []]"),
        (["map", [["k", 1]]], "not a pair of strings: ['k', 1]"),
        (1.5, "not a value of OVSDB: 1.5"),
    ],
)
def test_what_is_no_notation(value: object, text: str) -> None:
    with pytest.raises(NotationError) as raised:
        column_from_json(value)
    assert str(raised.value) == text


@pytest.mark.parametrize("value", [{}, {"table": "T", "uuid": 1, "row": {}}, {"table": "T", "uuid": "u", "row": []}])
def test_what_is_no_row(value: dict[str, object]) -> None:
    with pytest.raises(NotationError, match='a row must have "table", "uuid" and "row"'):
        row_from_json(value)


def test_sets_are_sorted_however_they_are_written() -> None:
    assert column_from_json(["set", ["b", "a"]]) == ("a", "b")
    assert column_from_json(["set", [["uuid", "b"], ["uuid", "a"]]]) == (Ref("a"), Ref("b"))


def test_texts() -> None:
    three, two = (make_plan([udn("a_b")], nodes(count), Settings()).zones[0].rows for count in (3, 2))
    assert rows_as_text(three).splitlines()[5] == "  Logical_Router_Port             6"
    assert rows_as_text(()) == "  no rows\n"
    assert operations_as_text(()) == "  no changes\n"
    lines = operations_as_text(diff(three, two)).splitlines()
    assert lines[0] == "  ~ Logical_Router a_b_transit_router"
    assert lines[1].startswith("      ports = [")
    assert lines[-1] == "  - Logical_Router_Port trtor-GR_a_b_node3"
    operation = Operation("update", "T", "u", {"b": True, "m": {"k": "v", "a": "b"}, "r": (Ref("12345678-9"), "x")})
    assert operations_as_text([operation]) == (
        "  ~ T u\n      b = True\n      m = {a=b, k=v}\n      r = [12345678, x]\n"
    )
