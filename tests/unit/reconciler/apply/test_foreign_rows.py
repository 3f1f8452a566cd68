"""Rows of another writer: which they are, whom they stop, and what adopting them deletes."""

from typing import cast

import pytest

from ovnguard.reconciler.apply.foreign_rows import ForeignRowsError, adopted, foreign_rows
from ovnguard.reconciler.plan.rows.row import Row, row_uuid
from ovnguard.reconciler.plan.rows.row_groups import RowGroups


def ours(name: str) -> Row:
    return Row("Logical_Switch", row_uuid("Logical_Switch", name), {"name": name, "external_ids": {}})


def theirs(name: str, table: str = "Logical_Switch", **ids: str) -> Row:
    keys = {f"k8s.ovn.org/{key.replace('_', '-')}": value for key, value in ids.items()}
    return Row(table, f"u-{table}-{name}", {"name": name, "external_ids": keys})


PLAN = RowGroups({"": (ours("copp"),), "a": (ours("a_switch"),), "default": (ours("join"),)})


@pytest.mark.parametrize(
    ("row", "network", "clashes"),
    [
        (theirs("a_switch"), "a", True),
        (theirs("a_switch", network="b"), "a", True),
        (theirs("join"), "default", True),
        (theirs("x", network="b"), "b", False),
        (theirs("x", owner_controller="b-network-controller"), "b", False),
        (theirs("x", owner_controller="default-network-controller", owner_type="NetworkPolicy"), "default", False),
        (theirs("x", owner_type="NetworkPolicy"), "default", False),
        (theirs("x", table="ACL", network="b"), "b", False),
    ],
)
def test_rows_of_our_names_and_of_foreign_owners(row: Row, network: str, clashes: bool):
    (found,) = foreign_rows([row], PLAN)
    assert (found.network, found.row, found.clashes) == (network, row, clashes)


def test_without_rows_of_others_no_planned_row_is_looked_at():
    assert foreign_rows([], cast(RowGroups, None)) == ()


def left(network: str) -> Row:
    """The address set of an EgressIP's pods in ``network``."""
    row = theirs("a123", "Address_Set", owner_type="EgressIP", owner_controller="default-network-controller")
    ids = row.columns["external_ids"]
    assert isinstance(ids, dict)
    return Row(row.table, row.uuid, {**row.columns, "external_ids": {**ids, "network": network}})


@pytest.mark.parametrize(
    ("network", "others", "goes"),
    [
        ("gone", (), True),
        # planned here, or another writer's network that is not planned yet
        ("a", (), False),
        ("b", (theirs("x", network="b"),), False),
        ("default", (), False),
        ("", (), False),
    ],
)
def test_address_sets_that_a_removed_network_left_behind_go(network: str, others: tuple[Row, ...], goes: bool):
    row = left(network)
    found = foreign_rows((row, *others), PLAN)
    # the default network's controller wrote them, but each serves one network
    owner = network if network in {"a", "b"} else "default"
    assert [(each.network, each.clashes) for each in found if each.row is row] == [(owner, goes)]
    deleted = adopted(found, {"default", "a", "b"})
    assert [each.uuid for each in deleted] == ([row.uuid] if goes else [])


def test_rows_outside_the_written_plan_do_not_clash():
    assert foreign_rows([theirs("x"), theirs("a_switch", table="Logical_Router")], PLAN) == ()
    assert foreign_rows([theirs("a_switch"), theirs("x", network="b")], PLAN, {"default"}) == ()
    spoiled = Row("Logical_Switch", "u", {"name": ("a_switch",), "external_ids": "text"})
    assert foreign_rows([spoiled], PLAN) == ()


def test_shared_rows_of_another_writer_clash_until_any_adoption():
    row = theirs("copp", owner_type="x")
    (found,) = foreign_rows([row], PLAN, {"a"})
    assert (found.network, found.clashes) == ("", True)
    with pytest.raises(ForeignRowsError, match="has 1 row of another writer: shared rows: Logical_Switch copp; stop"):
        adopted([found], ())
    assert [each.uuid for each in adopted([found], {"a"})] == [row.uuid]


def test_the_list_is_bounded():
    rows = [theirs(f"s{n}-{m}", network=f"n{n}") for n in range(7) for m in range(5)]
    with pytest.raises(ForeignRowsError) as raised:
        adopted(foreign_rows(rows, PLAN), {"n0"})
    message = str(raised.value)
    assert message.startswith(
        "the database has 30 rows of another writer: network n1: Logical_Switch s1-0, Logical_Switch s1-1, "
        "Logical_Switch s1-2, and 2 more; network n2: "
    )
    assert message.endswith(
        "; and 1 more networks; stop the other writer, then name each network with --adopt NETWORK, or use --mode audit"
    )


def test_adopting_deletes_what_has_a_planned_name():
    clash, other = theirs("a_switch"), theirs("x", network="a")
    assert [each.uuid for each in adopted(foreign_rows([clash, other], PLAN), {"a"})] == [clash.uuid]
