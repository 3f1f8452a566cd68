"""Networks that leave nodes by bridges of their own."""

from collections.abc import Sequence
from dataclasses import replace
from ipaddress import ip_address, ip_interface

import pytest

from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.model import UplinkState
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.model import Network
from tests.support.plan_samples import layer3, nodes, sharing, udn

LAYER2 = udn("cluster_udn_blue", uplink="blue", network_id=1)
LAYER3 = layer3("cluster_udn_blue", uplink="blue")
NETWORKS = pytest.mark.parametrize("network", [LAYER2, LAYER3], ids=["layer2", "layer3"])
BRIDGE = "br-blue_cluster_udn_blue_node1"


def state(node: str, number: int) -> UplinkState:
    address = ip_interface(f"172.19.0.{number}/16")
    return UplinkState("blue", node, "br-blue", f"02:42:ac:13:00:0{number}", (address,), (ip_address("172.19.0.1"),))


def plan_of(network: Network, *states: UplinkState, mode: str = "shared", memo: Memo | None = None) -> Plan:
    members = sharing(nodes(2, mode=mode), *([LAYER3] if network is LAYER3 else []))
    return make_plan([network], members, Settings(uplinks=states), ["node1"], memo=memo)


def named(rows: Sequence[Row]) -> dict[str, Row]:
    return {str(row.columns["name"]): row for row in rows if "name" in row.columns}


@NETWORKS
def test_the_gateway_router_is_on_the_bridge_of_the_uplink(network: Network) -> None:
    plan = plan_of(network, state("node1", 2), state("node2", 3))
    rows = plan.zones[0].rows
    by_name = named(rows)
    assert by_name[BRIDGE].columns["options"] == {"network_name": "cluster_udn_blue"}
    assert by_name[BRIDGE].columns["tag_request"] == ()
    outside = by_name["rtoe-GR_cluster_udn_blue_node1"]
    assert outside.columns["mac"] == "02:42:ac:13:00:02"
    assert "172.19.0.2/16" in outside.texts("networks")
    assert by_name["etor-GR_cluster_udn_blue_node1"].columns["addresses"] == ("02:42:ac:13:00:02",)
    assert by_name["GR_cluster_udn_blue_node1"].entry("external_ids", "physical_ip") == "172.19.0.2"
    routes = {row.columns["ip_prefix"]: row.columns["nexthop"] for row in rows if "ip_prefix" in row.columns}
    assert routes["0.0.0.0/0"] == "172.19.0.1"
    matches = [str(row.columns["match"]) for row in rows if row.columns.get("priority") == 1004]
    assert any("ip4.dst == 172.19.0.2 " in match for match in matches)
    assert not any("172.18.0.2" in match for match in matches)
    assert not [note for note in plan.notes if "uplink" in note.text]


@NETWORKS
def test_without_its_state_there_is_no_gateway_router_but_the_rest(network: Network) -> None:
    plan = plan_of(network, state("node2", 3))
    by_name = named(plan.zones[0].rows)
    assert not [name for name in by_name if "GR_cluster_udn_blue_node1" in name or name == BRIDGE]
    assert "k8s-cluster_udn_blue_node1" in by_name
    assert not [row for row in plan.zones[0].rows if row.columns.get("priority") == 1004]
    assert not [row for row in plan.zones[0].rows if row.table == "Static_MAC_Binding"]
    text = 'no gateway router: waiting for UplinkState blue.node1 for uplink "blue" on node "node1"'
    assert f"network cluster_udn_blue, node node1: {text}" in map(str, plan.notes)
    assert (plan.errors, plan.waiting) == ((), {})


def test_rows_of_the_path_out_wait_with_the_gateway_router() -> None:
    rows = plan_of(LAYER2).zones[0].rows
    assert not [row for row in rows if row.table == "NAT"]
    assert "trtor-GR_cluster_udn_blue_node2" in named(rows)
    routes = {row.columns["ip_prefix"] for row in rows if row.table == "Logical_Router_Static_Route"}
    assert routes == {"100.65.0.3"}
    rows = plan_of(LAYER3).zones[0].rows
    assert [row.columns["logical_port"] for row in rows if row.table == "NAT"] == [("rtos-cluster_udn_blue_node1",)]
    own = {row.columns["ip_prefix"] for row in rows if row.columns.get("policy") == ("src-ip",)}
    assert own == {"10.20.0.0/16"}
    assert len(named(rows)["cluster_udn_blue_join"].texts("ports")) == 1


def test_local_gateway_mode_refuses_the_network() -> None:
    plan = plan_of(LAYER2, state("node1", 2), mode="local")
    text = 'uplink "blue" is supported only in shared gateway mode'
    assert [str(error) for error in plan.errors] == [f"network cluster_udn_blue: {text}"]
    assert plan.zones[0].rows == ()


@NETWORKS
def test_a_new_state_is_a_new_gateway_and_other_networks_stay(network: Network) -> None:
    memo = Memo()
    plan_of(network, memo=memo)
    fresh = plan_of(network, state("node1", 2), memo=memo)
    assert BRIDGE in named(fresh.zones[0].rows)
    moved = plan_of(network, replace(state("node1", 2), bridge="br-red"), memo=memo)
    assert "br-red_cluster_udn_blue_node1" in named(moved.zones[0].rows)
    other = udn("cluster_udn_other", network_id=5)
    first = make_plan([other], nodes(1), Settings(), memo=memo)
    second = make_plan([other], nodes(1), Settings(uplinks=(state("node1", 2),)), memo=memo)
    assert [row is again for row, again in zip(first.zones[0].rows, second.zones[0].rows, strict=True)]
