"""The graph of a network holds what the planned rows hold."""

import re

import pytest

from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.render.graph import (
    FABRIC,
    MANY_NETWORKS,
    MOST_NODES,
    TUNNELS,
    End,
    Kind,
    Link,
    NetworkGraph,
    graphs_of,
)
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.row import ZonePlan
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.model import Network, Transport
from tests.support.plan_samples import V4, V6, default_network, layer3, nodes, pod, sharing, udn
from tests.support.plan_scenarios import ALONE, LAYER2, LAYER3_BOTH, SCENARIOS, generations


def drawn(*networks: Network, count: int = 3, v6: bool = False) -> tuple[NetworkGraph, ...]:
    members = sharing(nodes(count, v6=v6), *networks)
    return graphs_of(make_plan(networks, members, Settings()).zones)


def chain(graph: NetworkGraph, node: str) -> set[tuple[str, str]]:
    """Linked boxes of a zone, the shared ones included."""
    (zone,) = [each for each in graph.zones if each.node == node]
    return {(link.left.box, link.right.box) for link in (*zone.links, *zone.outward)}


def test_a_primary_layer2_network() -> None:
    (graph,) = drawn(udn("a_b", V4, V6), v6=True)
    assert chain(graph, "node2") == {
        ("a_b_ovn_layer2_switch", "a_b_transit_router"),
        ("a_b_transit_router", "GR_a_b_node2"),
        ("GR_a_b_node2", "ext_a_b_node2"),
        ("ext_a_b_node2", "physical network physnet"),
        (TUNNELS, "a_b_ovn_layer2_switch"),
        (TUNNELS, "a_b_transit_router"),
    }
    box = graph.zones[1].boxes["a_b_transit_router"]
    assert box.kind is Kind.ROUTER
    assert re.fullmatch(r"tunnel key \d+", box.lines[1])
    assert [*box.ports] == [
        "trtor-GR_a_b_node2",
        "trtos-a_b_ovn_layer2_switch",
        "trtor-GR_a_b_node1",
        "trtor-GR_a_b_node3",
    ]
    assert box.ports["trtor-GR_a_b_node1"].lines[-2:] == ("100.88.0.4/31", "fd97::4/127")


def test_a_layer3_network_goes_over_its_transit_switch() -> None:
    (graph,) = drawn(layer3("l3"))
    assert chain(graph, "node1") == {
        ("l3_node1", "l3_ovn_cluster_router"),
        ("l3_transit_switch", "l3_ovn_cluster_router"),
        ("l3_ovn_cluster_router", "l3_join"),
        ("l3_join", "GR_l3_node1"),
        ("GR_l3_node1", "ext_l3_node1"),
        ("ext_l3_node1", "physical network physnet"),
        (TUNNELS, "l3_transit_switch"),
    }


def test_without_overlay_the_fabric_routes() -> None:
    (graph,) = drawn(default_network())
    assert chain(graph, "node1") >= {("ext_node1", FABRIC), ("GR_node1", "ext_node1")}
    assert graph.shared[FABRIC].lines == ("routed fabric (BGP)",)
    (tunnelled,) = drawn(default_network(transport=Transport.GENEVE, no_overlay=None))
    assert {*tunnelled.shared} == {TUNNELS, "physical network physnet"}


def test_old_and_new_nodes_of_a_layer2_network() -> None:
    members = generations("no")
    (graph,) = graphs_of(make_plan([LAYER2], members, Settings()).zones)
    names = Names(LAYER2.name)
    assert (names.layer2_switch, names.transit_router) in chain(graph, "node1")
    assert (names.layer2_switch, names.gateway_router("node2")) in chain(graph, "node2")
    assert names.transit_router not in next(zone for zone in graph.zones if zone.node == "node2").boxes


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_every_switch_router_and_connected_port_of_a_plan_is_in_a_graph(name: str) -> None:
    zones = SCENARIOS[name].plan().zones
    found = {(graph.network, zone.node): zone for graph in graphs_of(zones) for zone in graph.zones}
    for zone in zones:
        for row in zone.rows:
            # a connect router is in no network
            if row.table in ("Logical_Switch", "Logical_Router") and row.network:
                box = found[row.network, zone.node].boxes[str(row.columns["name"])]
                assert box.kind.value == row.table.removeprefix("Logical_").lower()
            if row.table == "Logical_Switch_Port" and row.columns["type"] == "router":
                ends = {
                    (link.left.port, link.right.port)
                    for link in found[row.network, zone.node].links
                    if str(row.columns["name"]) in (link.left.port, link.right.port)
                }
                assert ends, row.columns["name"]


def test_the_connect_router_is_outside_of_the_network() -> None:
    graphs = {graph.network: graph for graph in graphs_of(SCENARIOS["connected"].plan().zones)}
    for network, router, port in (
        (LAYER2.name, "test12_namespace.scoped_transit_router", "rtocr-test12_namespace-scoped_join"),
        (LAYER3_BOTH.name, "cluster_udn_l3.dual_ovn_cluster_router", "rtocr-cluster_udn_l3-dual_node1_join"),
    ):
        assert Link(End(router, port), End("connect_router_join")) in graphs[network].zones[0].outward
        assert graphs[network].shared["connect_router_join"].lines == ("connect_router_join",)
    assert "connect_router_join" not in graphs[ALONE.name].shared


def test_ports_of_pods_are_listed_up_to_a_number() -> None:
    network = udn("a_b")
    places = [(f"p{number:02}", f"203.203.0.{number}", number) for number in range(10, 30)]
    pods = {"a_b": tuple(pod(network, name, "node1", address, key=key) for name, address, key in places)}
    (graph,) = graphs_of(make_plan([network], nodes(1), Settings(), pods=pods).zones)
    ports = graph.zones[0].boxes["a_b_ovn_layer2_switch"].ports
    assert ports["more of pods"].lines == ("and 13 more ports of pods",)
    assert ports["ns.b_ns_p10"].lines[-1] == "203.203.0.10"


def test_nodes_beyond_five_are_only_named() -> None:
    (graph,) = drawn(udn("a_b"), count=30)
    assert len(graph.zones) == MOST_NODES
    assert len(graph.more_nodes) == 25
    assert any(text.endswith("; and 26 more ports to other nodes") for text in graph.words)
    assert graph.words[-1] == f"Not listed: {', '.join(graph.more_nodes)}"


def test_of_many_networks_fewer_nodes_are_listed() -> None:
    zones = make_plan([udn(f"a_b{number}") for number in range(MANY_NETWORKS)], nodes(4), Settings()).zones
    graphs = graphs_of(zones)
    assert {(len(graph.zones), graph.more_nodes) for graph in graphs} == {(3, ("node4",))}


def test_words_say_what_the_graph_shows() -> None:
    (graph,) = drawn(udn("a_b"), count=1)
    assert (
        "node1: link between port trtor-GR_a_b_node1 of a_b_transit_router and port rtotr-GR_a_b_node1 of GR_a_b_node1"
    ) in graph.words


@pytest.mark.parametrize("zones", [(), (ZonePlan("n", (), ""),)], ids=["no zone", "no row"])
def test_nothing_has_no_graph(zones: tuple[ZonePlan, ...]) -> None:
    assert graphs_of(zones) == ()
