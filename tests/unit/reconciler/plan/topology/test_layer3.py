"""What keeps a Layer3 network from being planned, on all nodes or on one, and what becomes of the others."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from ipaddress import ip_interface, ip_network
from typing import Any

import pytest

from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.address_sets import NODE_IPS
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPNetwork, Network, Role
from tests.support.plan_samples import LAYER3_DUAL, layer3, node, nodes, sharing
from tests.support.plan_scenarios import (
    DUAL_OVERLAY_DEFAULT,
    LAYER3,
    LAYER3_BOTH,
    LEARNED,
    OVERLAY_DEFAULT,
    ROUTED,
    without_overlay,
)

NAME = LAYER3_BOTH.name


def with_shares(number: int, *shares: str, **changes: Any) -> Node:
    found: tuple[IPNetwork, ...] = tuple(ip_network(each) for each in shares)
    return node(number, v6=True)._replace(host_subnets={NAME: found}, **changes)


def remarks(plan: Plan) -> tuple[list[str], list[str]]:
    return [str(note) for note in plan.notes], [str(error) for error in plan.errors]


@pytest.mark.parametrize(
    ("network", "error"),
    [
        (layer3("a_b", subnets=()), "a Layer3 network needs subnets"),
        (
            layer3("a_b", join_subnets=(ip_network("100.70.0.0/32"),)),
            "generated ip 100.70.0.1 from the idx 1 is out of range in the network 100.70.0.0/32",
        ),
    ],
)
def test_impossible_networks_have_an_error_and_no_rows(network: Network, error: str) -> None:
    plan = make_plan([network], nodes(1), Settings())
    assert remarks(plan) == ([], [f"network a_b: {error}"])
    assert plan.zones[0].rows == ()


def test_a_cluster_without_transit_subnets_has_no_tunnels() -> None:
    only6 = replace(Settings(), transit_subnets=Settings().transit_subnets[1:])
    text = "network cluster_udn_l3-net: the cluster has no IPv4 transit subnet"
    assert remarks(make_plan([LAYER3], nodes(1), only6))[1] == [text]
    assert remarks(make_plan([without_overlay(LAYER3, snat=True)], sharing(nodes(1), LAYER3), only6))[1] == []
    bare = replace(Settings(), masquerade_subnets=())
    text = "network cluster_udn_l3-net: the cluster has no IPv4 join and masquerade subnets"
    assert remarks(make_plan([LAYER3], nodes(1), bare))[1] == [text]
    assert remarks(make_plan([LAYER3._replace(role=Role.SECONDARY)], sharing(nodes(1), LAYER3), bare))[1] == []


GOOD = with_shares(1, "10.20.2.0/24", "fd20:0:0:2::/64")


@pytest.mark.parametrize(
    ("second", "text"),
    [
        (
            with_shares(2, "10.20.2.0/24", "fd20:0:0:3::/64"),
            "k8s.ovn.org/node-subnets: 10.20.2.0/24 is already held by node node1",
        ),
        (
            with_shares(2, "10.21.3.0/24", "fd20:0:0:3::/64"),
            "k8s.ovn.org/node-subnets: 10.21.3.0/24 is not a node's share of the network's subnets",
        ),
        (
            with_shares(2, "10.20.3.0/25", "fd20:0:0:3::/64"),
            "k8s.ovn.org/node-subnets: 10.20.3.0/25 is not a node's share of the network's subnets",
        ),
        (
            with_shares(2, "10.20.3.0/24", "fd20:0:0:3::/64", transit_addresses=(ip_interface("100.88.0.2/16"),)),
            "k8s.ovn.org/node-transit-switch-port-ifaddr: 100.88.0.2 is already held by node node1",
        ),
        (with_shares(2, "10.20.3.0/24"), "k8s.ovn.org/node-subnets contains no IPv6 subnet of the network"),
    ],
)
def test_a_node_with_wrong_subnets_is_left_out_and_the_others_go_on(second: Node, text: str) -> None:
    plan = make_plan([LAYER3_BOTH], [GOOD, second], Settings(services=()))
    assert remarks(plan)[1] == [f"network {NAME}, node node2: {text}"]
    assert plan.waiting == {"node2": frozenset({NAME})}
    assert [bool(zone.rows) for zone in plan.zones] == [True, False]
    alone = make_plan([LAYER3_BOTH], [GOOD], Settings())
    named = {NODE_IPS.at(version) for version in (4, 6)}
    assert {step.subject for step in diff(plan.zones[0].rows, alone.zones[0].rows)} <= named


def test_recorded_transit_addresses_and_macs_are_kept() -> None:
    other = with_shares(2, "10.20.3.0/24", "fd20:0:0:3::/64", transit_addresses=(ip_interface("100.88.0.77/16"),))
    own = GOOD._replace(management_macs={NAME: "02:00:00:00:00:01", "other": "02:00:00:00:00:02"})
    rows = make_plan([LAYER3_BOTH], [own, other], Settings()).zones[0].rows
    (remote,) = [row for row in rows if row.columns.get("name") == f"{Names(NAME).prefix}tstor-node2"]
    assert remote.texts("addresses") == ["0a:58:64:58:00:4d 100.88.0.77/16 fd97::3/64"]
    hops = {str(row.columns["nexthop"]) for row in rows if row.entry("external_ids", "ic-node") == "node2"}
    assert hops == {"100.88.0.77", "fd97::3"}
    (port,) = [row for row in rows if row.columns.get("name") == f"k8s-{Names(NAME).prefix}node1"]
    assert port.texts("addresses") == ["02:00:00:00:00:01 10.20.2.2 fd20:0:0:2::2"]
    assert {row.columns["match"] for row in rows if row.table == "NAT"} == {"", "eth.dst == 02:00:00:00:00:01"}


def test_a_node_beyond_its_subnets_is_left_out() -> None:
    small = LAYER3_BOTH._replace(join_subnets=(ip_network("100.70.0.0/30"), ip_network("fd99::/64")))
    members = (GOOD, with_shares(2, "10.20.3.0/24", "fd20:0:0:3::/64")._replace(node_id=9))
    text = "generated ip 100.70.0.9 from the idx 9 is out of range in the network 100.70.0.0/30"
    assert remarks(make_plan([small], members, Settings()))[1] == [f"network {NAME}, node node2: {text}"]
    narrow = replace(Settings(), transit_subnets=(ip_network("100.88.0.0/30"), ip_network("fd97::/64")))
    text = "generated ip 100.88.0.9 from the idx 9 is out of range in the network 100.88.0.0/30"
    assert remarks(make_plan([LAYER3_BOTH], members, narrow))[1] == [f"network {NAME}, node node2: {text}"]


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"host_subnets": {}}, "k8s.ovn.org/node-subnets"),
        ({"chassis_id": ""}, "k8s.ovn.org/node-chassis-id"),
        ({"gateway": None}, "k8s.ovn.org/l3-gateway-config"),
    ],
)
def test_what_is_not_recorded_is_waited_for(changes: dict[str, Any], missing: str) -> None:
    members = (GOOD, with_shares(2, "10.20.3.0/24", "fd20:0:0:3::/64")._replace(**changes))
    plan = make_plan([LAYER3_BOTH], members, Settings())
    assert remarks(plan) == ([f"network {NAME}, node node2: waiting for {missing}"], [])
    assert plan.waiting == {"node2": frozenset({NAME})}
    assert plan.zones[1].rows == ()
    side = LAYER3_BOTH._replace(role=Role.SECONDARY)
    needs_it = "gateway" not in changes
    assert bool(make_plan([side], members, Settings()).waiting) is needs_it


def test_default_waits_node_by_node_and_others_are_counted() -> None:
    bare = tuple(each._replace(host_subnets={}) for each in nodes(3))
    text = "waiting for k8s.ovn.org/node-subnets"
    assert remarks(make_plan([OVERLAY_DEFAULT, LAYER3], bare, Settings()))[0] == [
        *(f"network default, node node{number}: {text}" for number in (1, 2, 3)),
        f"network {LAYER3.name}, node node1: {text} (and 2 more)",
    ]


def subjects(before: Iterable[Row], after: Iterable[Row]) -> list[str]:
    return [f"{each.op} {each.subject}" for each in diff(before, after)]


def test_a_node_less_is_a_small_difference() -> None:
    three, two = (make_plan([LAYER3], sharing(nodes(count), LAYER3), Settings()).zones[0].rows for count in (3, 2))
    router, switch = "cluster_udn_l3.net_ovn_cluster_router", "cluster_udn_l3.net_transit_switch"
    assert subjects(three, two) == [
        f"update {NODE_IPS.at(4)}",
        f"update {router}",
        f"update {switch}",
        "delete cluster_udn_l3.net_tstor-node3",
        f"delete {router} route 10.20.4.0/24 dst-ip",
        f"delete {router} route 100.65.0.4/32 dst-ip",
    ]


def test_a_subnet_more_leaves_the_nodes_as_they_are() -> None:
    small = layer3("a_b", LAYER3_DUAL[0])
    before = make_plan([small], sharing(nodes(2), small), Settings()).zones[0].rows
    wider = small._replace(subnets=(*small.subnets, LAYER3_DUAL[0]._replace(cidr=ip_network("10.30.0.0/16"))))
    after = make_plan([wider], sharing(nodes(2), small), Settings()).zones[0].rows
    assert {step.split()[0] for step in subjects(before, after)} == {"insert", "update"}
    changed = [step for step in subjects(before, after) if step.startswith("update")]
    assert changed == ["update GR_a_b_node1", "update a_b_ovn_cluster_router"]


def test_switching_source_nat_touches_source_nat_alone() -> None:
    members = sharing(nodes(2, v6=True), ROUTED)
    on, off = (
        make_plan([without_overlay(LAYER3_BOTH, snat=snat)], members, LEARNED).zones[0].rows for snat in (True, False)
    )
    steps = diff(on, off)
    assert {step.table for step in steps} == {"NAT", "Address_Set", "Logical_Router"}
    assert [step.subject for step in steps if step.op == "update"] == [f"GR_{NAME.replace('-', '.')}_node1"]


def _values(row: Row, column: str) -> Collection[str]:
    found = row.columns[column]
    assert isinstance(found, Mapping)
    return found.values()


def test_learned_routes_of_pods_are_for_routed_networks_alone() -> None:
    def learned(network: Network) -> set[object]:
        rows = make_plan([network], sharing(nodes(2, v6=True), network), LEARNED).zones[0].rows
        routes = [row for row in rows if row.table == "Logical_Router_Static_Route"]
        imported = [row.columns for row in routes if "RouteImport" in _values(row, "external_ids")]
        return {(each["ip_prefix"], each["nexthop"]) for each in imported}

    assert learned(ROUTED) == {("10.20.3.0/24", "172.18.0.3"), ("10.20.3.0/24", "172.18.0.4")}
    assert learned(LAYER3_BOTH) == set()
    assert learned(DUAL_OVERLAY_DEFAULT) == set()
