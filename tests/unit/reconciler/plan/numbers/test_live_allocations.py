"""What live rows hold of networks, read from the rows that a plan made."""

from collections.abc import Mapping

import pytest

from ovnguard.reconciler.plan.numbers.live_allocations import LiveAllocation, live_allocations
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.model import Role
from tests.support.plan_samples import nodes, sharing, udn
from tests.support.plan_scenarios import LAYER3, LOCALNET, ROUTED


def test_the_rows_of_a_plan_give_its_numbers() -> None:
    networks = [udn("a-b_c"), udn("s_s", role=Role.SECONDARY, transit_subnets=())]
    plan = make_plan(networks, nodes(2), Settings())
    held = live_allocations(plan.zones[0].rows)
    assert held.keys() == plan.ids.keys() == {"a-b_c", "s_s"}
    assert {name: (each.network_id, each.switch_key, each.router_key) for name, each in held.items()} == {
        name: (each.network_id, each.switch_key, each.router_key) for name, each in plan.ids.items()
    }
    assert live_allocations(row for zone in plan.zones for row in zone.rows) == held


def spoiled(row: Row, column: str, key: str, text: str) -> Row:
    value = row.columns[column]
    assert isinstance(value, Mapping)
    return Row(row.table, row.uuid, {**row.columns, column: {**value, key: text}})


@pytest.mark.parametrize("text", ["", "seven", "-1", "9" * 5000, "\u0661"])
def test_spoiled_keys_count_as_not_held(text: str) -> None:
    rows = make_plan([udn("a_b")], nodes(1), Settings()).zones[0].rows
    columns = {"Logical_Switch": "other_config", "Logical_Router": "options"}
    changed = (spoiled(row, columns[row.table], "requested-tnl-key", text) for row in rows if row.table in columns)
    found = live_allocations(changed)["a_b"]
    assert (found.switch_key, found.router_key, found.network_id, found.keys) == (None, None, None, ())


def test_keys_beyond_the_ids_give_no_id() -> None:
    assert LiveAllocation(16711683).network_id is None
    assert LiveAllocation(16711684).network_id == 1
    assert LiveAllocation(16715778).network_id == 4095
    assert LiveAllocation(16715779).network_id is None


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("100.90.0.0/16,fd97::/64", ["100.90.0.0/16", "fd97::/64"]),
        ("100.90.0.0/16", ["100.90.0.0/16"]),
        ("100.90.0.1/16", []),
        ("x", []),
        ("", []),
    ],
)
def test_transit_subnets_are_held(text: str, held: list[str]) -> None:
    rows = make_plan([udn("a_b")], nodes(1), Settings()).zones[0].rows
    assert [str(subnet) for subnet in live_allocations(rows)["a_b"].transit_subnets] == ["100.88.0.0/16"]
    changed = (
        spoiled(row, "external_ids", "ovnguard.io/transit-subnets", text) if row.table == "Logical_Router" else row
        for row in rows
    )
    assert [str(subnet) for subnet in live_allocations(changed)["a_b"].transit_subnets] == held


def test_networks_without_keys_in_rows_hold_their_id() -> None:
    shares = sharing(nodes(2), ROUTED)
    plan = make_plan([ROUTED, LOCALNET], shares, Settings())
    held = live_allocations(plan.zones[0].rows)
    assert {name: each.network_id for name, each in held.items()} == {ROUTED.name: 3, LOCALNET.name: 9}
    assert held[ROUTED.name].keys == ()
    forgetful = [network._replace(network_id=None) for network in (LOCALNET, ROUTED)]
    again = make_plan(forgetful, shares, Settings(), held=held)
    assert {name: each.network_id for name, each in again.ids.items()} == {ROUTED.name: 3, LOCALNET.name: 9}


def test_the_transit_switch_of_layer3_gives_the_id() -> None:
    plan = make_plan([LAYER3], sharing(nodes(2), LAYER3), Settings())
    assert live_allocations(plan.zones[0].rows)[LAYER3.name] == LiveAllocation(switch_key=16711686, number=3)
    assert LiveAllocation(number=5000).network_id is None
