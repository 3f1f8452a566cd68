"""Identities of rows, and what a planned row may hold."""

from uuid import UUID

import pytest

from ovnguard.reconciler.plan.rows.northbound import PLANNED, new_row, refs, tables
from ovnguard.reconciler.plan.rows.row import OWNER, OWNER_KEY, Column, Ref, Row, identity_of, row_uuid


@pytest.mark.parametrize(
    ("table", "columns", "identity"),
    [
        ("Logical_Switch", {"name": "a"}, ("a",)),
        ("Logical_Switch", {"name": ""}, None),
        ("Logical_Switch", {}, None),
        ("Logical_Switch", {"name": ("a",)}, None),
        ("Static_MAC_Binding", {"logical_port": "p", "ip": "10.0.0.1"}, ("p", "10.0.0.1")),
        ("Static_MAC_Binding", {"logical_port": "p"}, None),
        ("NAT", {"external_ids": {"ovnguard.io/id": "x"}}, ("x",)),
        ("NAT", {"external_ids": {}}, None),
        ("NAT", {"external_ids": ()}, None),
        ("NAT", {}, None),
    ],
)
def test_identity(table: str, columns: dict[str, Column], identity: tuple[str, ...] | None) -> None:
    assert identity_of(table, columns) == identity


def test_row_is_ours_by_its_uuid() -> None:
    row = new_row("NAT", {"external_ip": "192.0.2.1"}, "router snat")
    assert row.is_ours
    assert row.identity == ("router snat",)
    assert UUID(row.uuid).version == 5
    assert not Row("NAT", row_uuid("NAT", "another"), row.columns).is_ours
    assert not Row("NAT", row.uuid, {}).is_ours


def test_identity_parts_do_not_run_together() -> None:
    assert row_uuid("T", "a", "bc") != row_uuid("T", "ab", "c")


def test_new_row_has_every_planned_column_and_our_owner_key() -> None:
    row = new_row("Logical_Router", {"name": "r", "external_ids": {"k": "v"}})
    assert row.columns.keys() == PLANNED["Logical_Router"].keys()
    assert row.columns["external_ids"] == {"k": "v", OWNER_KEY: OWNER}
    assert row.columns["ports"] == ()


def test_new_row_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="Logical_Router has no planned column 'colour'"):
        new_row("Logical_Router", {"name": "r", "colour": "red"})
    with pytest.raises(ValueError, match="a row of NAT without identity"):
        new_row("NAT", {})


def test_refs_are_sorted() -> None:
    rows = [new_row("Load_Balancer_Group", {"name": name}) for name in "abc"]
    assert refs(rows) == tuple(sorted(Ref(row.uuid) for row in rows))


def test_static_mac_bindings_come_last_and_children_before_parents() -> None:
    order = tables()
    assert order[-1] == "Static_MAC_Binding"
    for child, parent in [
        ("Meter_Band", "Meter"),
        ("Gateway_Chassis", "Logical_Router_Port"),
        ("Logical_Router_Port", "Logical_Router"),
        ("NAT", "Logical_Router"),
        ("Copp", "Logical_Router"),
        ("Logical_Switch_Port", "Logical_Switch"),
        ("ACL", "Logical_Switch"),
        ("Logical_Switch_Port", "Port_Group"),
        ("Logical_Router", "Static_MAC_Binding"),
    ]:
        assert order.index(child) < order.index(parent)
