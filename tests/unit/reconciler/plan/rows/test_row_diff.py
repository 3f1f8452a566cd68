"""Operations between two sets of rows."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.reconciler.plan.rows.northbound import new_row, refs
from ovnguard.reconciler.plan.rows.row import Operation, Ref, Row
from ovnguard.reconciler.plan.rows.row_diff import apply, diff


def port(name: str, **columns: Any) -> Row:
    return new_row("Logical_Switch_Port", {"name": name, **columns})


def switch(name: str, *ports: Row) -> Row:
    return new_row("Logical_Switch", {"name": name, "ports": refs(ports)})


def mac(ip: str) -> Row:
    return new_row("Static_MAC_Binding", {"logical_port": "p", "ip": ip, "mac": "0a:58:00:00:00:01"})


def subjects(operations: tuple[Operation, ...]) -> list[str]:
    return [f"{each.op} {each.table} {each.subject}" for each in operations]


def test_children_come_before_parents_and_go_after_them() -> None:
    router = new_row("Logical_Router", {"name": "r"})
    rows = [mac("10.0.0.9"), router, switch("s", port("b"), port("a")), port("b"), port("a")]
    assert subjects(diff([], rows)) == [
        "insert Logical_Router r",
        "insert Logical_Switch_Port a",
        "insert Logical_Switch_Port b",
        "insert Logical_Switch s",
        "insert Static_MAC_Binding p 10.0.0.9",
    ]
    assert subjects(diff(rows, [])) == [
        "delete Static_MAC_Binding p 10.0.0.9",
        "delete Logical_Switch s",
        "delete Logical_Switch_Port a",
        "delete Logical_Switch_Port b",
        "delete Logical_Router r",
    ]
    assert diff(rows, reversed(rows)) == ()


def test_update_holds_only_what_differs() -> None:
    operations = diff([port("a", type="router")], [port("a", options={"k": "v"})])
    assert operations == (
        Operation("update", "Logical_Switch_Port", port("a").uuid, {"type": "", "options": {"k": "v"}}),
    )


def test_columns_that_are_not_planned_do_not_count() -> None:
    wanted = port("a")
    seen = Row(wanted.table, wanted.uuid, {**wanted.columns, "up": (True,), "dynamic_addresses": ("x",)})
    assert diff([seen], [wanted]) == ()


def test_column_that_was_not_read_is_written() -> None:
    wanted = port("a", type="router")
    seen = Row(wanted.table, wanted.uuid, {"name": "a"})
    (operation,) = diff([seen], [wanted])
    assert "name" not in operation.row
    assert operation.row["type"] == "router"


def test_references_to_rows_of_others_stay() -> None:
    pod = Ref("11111111-2222-5333-8444-555555555555")
    wanted = switch("s", port("a"))
    seen = Row(wanted.table, wanted.uuid, {**wanted.columns, "ports": tuple(sorted((*refs([port("a")]), pod)))})
    assert diff([seen, port("a")], [wanted, port("a")]) == ()
    (insert, update) = diff([seen, port("a")], [switch("s", port("a"), port("b")), port("a"), port("b")])
    assert insert.op == "insert"
    assert update.row == {"ports": tuple(sorted((*refs([port("a"), port("b")]), pod)))}
    (update, delete) = diff([seen, port("a")], [switch("s")])
    assert update.row == {"ports": (pod,)}
    assert delete.op == "delete"


def test_apply_refuses_operations_for_other_rows() -> None:
    operations = diff([], [port("a")])
    with pytest.raises(ValueError, match=r"insert of Logical_Switch_Port .* does not fit the rows"):
        apply(operations, [port("a")])
    with pytest.raises(ValueError, match=r"delete of Logical_Switch_Port .* does not fit the rows"):
        apply(diff([port("a")], []), [])


rows = st.lists(
    st.builds(
        lambda name, kind, addresses: port(name, type=kind, addresses=tuple(sorted(addresses))),
        name=st.sampled_from("abcdef"),
        kind=st.sampled_from(["", "router"]),
        addresses=st.sets(st.sampled_from(["router", "unknown"])),
    ),
    unique_by=lambda row: row.uuid,
)


@given(before=rows, after=rows)
def test_diff_leads_from_one_to_the_other(before: list[Row], after: list[Row]) -> None:
    operations = diff(before, after)
    assert sorted(apply(operations, before), key=lambda row: row.uuid) == sorted(after, key=lambda row: row.uuid)
    assert diff(before, before) == ()
    assert diff(list(reversed(before)), list(reversed(after))) == operations
