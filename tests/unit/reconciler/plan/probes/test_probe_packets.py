"""Probes of planned rows: which packets, from where, and by which port they must leave."""

from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.plan.probes.probe_packets import Probe, networks_of, probes_of
from ovnguard.reconciler.plan.probes.probe_rows import Endpoint, endpoint
from ovnguard.reconciler.plan.rows.model import EgressService, ServedEndpoint
from tests.support.plan_samples import pod
from tests.support.plan_scenarios import (
    DEFAULT_PODS,
    LAYER2_OLD_PODS,
    LAYER2_PODS,
    LAYER3_PODS,
    SCENARIOS,
    SECONDARY3,
    Scenario,
)

SIDE_POD = pod(SECONDARY3, "here", "node1", "10.20.2.11")


def probes(scenario: Scenario, *guests: Endpoint) -> tuple[Probe, ...]:
    (rows,) = (zone.rows for zone in scenario.plan().zones if zone.node == "node1")
    return probes_of(rows, guests)


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        (
            SCENARIOS["layer3-uplink"],
            {
                "gateway 10.20.2.1": "k8s-cluster_udn_l3.dual_node1",
                "gateway fd20:0:0:2::1": "k8s-cluster_udn_l3.dual_node1",
                "outside 192.0.2.1": "br-blue_cluster_udn_l3.dual_node1",
                "outside 2001:db8::1": "br-blue_cluster_udn_l3.dual_node1",
                "pods of node node2, 10.20.3.2": "cluster_udn_l3.dual_tstor-node2",
                "pods of node node2, fd20:0:0:3::2": "cluster_udn_l3.dual_tstor-node2",
            },
        ),
        (
            SCENARIOS["layer3-uplink-waiting"],
            {
                "gateway 10.20.2.1": "k8s-cluster_udn_l3.dual_node1",
                "gateway fd20:0:0:2::1": "k8s-cluster_udn_l3.dual_node1",
                "pods of node node2, 10.20.3.2": "cluster_udn_l3.dual_tstor-node2",
                "pods of node node2, fd20:0:0:3::2": "cluster_udn_l3.dual_tstor-node2",
            },
        ),
        (
            SCENARIOS["layer3-ipv4-shared"],
            {
                "gateway 10.20.2.1": "k8s-cluster_udn_l3.net_node1",
                "outside 192.0.2.1": "breth0_cluster_udn_l3.net_node1",
                "pods of node node2, 10.20.3.2": "cluster_udn_l3.net_tstor-node2",
                "pods of node node3, 10.20.4.2": "cluster_udn_l3.net_tstor-node3",
            },
        ),
        (
            replace(SCENARIOS["layer3-egress"], pods=LAYER3_PODS[:1]),
            {
                "gateway 10.20.2.1": "ns.l3.dual_ns_here",
                "gateway fd20:0:0:2::1": "ns.l3.dual_ns_here",
                # the pod leaves by its egress nodes, so the node itself is asked about the way that others take
                "outside 192.0.2.1": "breth0_cluster_udn_l3.dual_node1",
                "outside 2001:db8::1": "breth0_cluster_udn_l3.dual_node1",
                "outside 192.0.2.1 through egress 100.65.0.2, 100.88.0.4": (
                    "breth0_cluster_udn_l3.dual_node1 cluster_udn_l3.dual_tstor-node3"
                ),
                "outside 2001:db8::1 through egress fd97::4": "cluster_udn_l3.dual_tstor-node3",
                "pods of node node2, 10.20.3.2": "cluster_udn_l3.dual_tstor-node2",
                "pods of node node3, 10.20.4.2": "cluster_udn_l3.dual_tstor-node3",
                "pods of node node2, fd20:0:0:3::2": "cluster_udn_l3.dual_tstor-node2",
                "pods of node node3, fd20:0:0:4::2": "cluster_udn_l3.dual_tstor-node3",
            },
        ),
        (
            replace(SCENARIOS["default-egress"], pods=DEFAULT_PODS[:1]),
            {
                "gateway 10.128.2.1": "ns_here",
                "outside 192.0.2.1": "breth0_node1",
                "outside 192.0.2.1 through egress 100.64.0.2, 100.88.0.3": "breth0_node1 tstor-node2",
                "pods of node node2, 10.128.4.2": "tstor-node2",
                "pods of node node3, 10.128.6.2": "tstor-node3",
            },
        ),
        (
            SCENARIOS["layer3-routed-plain-local"],
            {
                "gateway 10.20.2.1": "k8s-cluster_udn_l3.net_node1",
                "outside 192.0.2.1": "k8s-cluster_udn_l3.net_node1",
            },
        ),
        (
            replace(SCENARIOS["layer3-secondary"], pods=(SIDE_POD,)),
            {
                "gateway 10.20.2.1": "ns.side_ns_here",
                "pods of node node2, 10.20.3.2": "cluster_udn_side_tstor-node2",
                "pods of node node3, 10.20.4.2": "cluster_udn_side_tstor-node3",
            },
        ),
        (
            SCENARIOS["layer2-pods-secondary"],
            {"pod ns.side_ns_there on another node, 203.203.0.12": "ns.side_ns_there"},
        ),
    ],
    ids=[
        "uplink",
        "waiting uplink",
        "layer3",
        "layer3 egress",
        "default egress",
        "local mode",
        "secondary layer3",
        "secondary layer2",
    ],
)
def test_probes_and_their_exits(scenario: Scenario, expected: dict[str, str]) -> None:
    found = {probe.title.partition(" to ")[2]: " ".join(probe.exits) for probe in probes(scenario)}
    assert found == expected


def test_routes_that_bgp_brought_are_probed() -> None:
    found = [probe for probe in probes(SCENARIOS["layer3-routed-snat-shared"]) if "BGP" in probe.title]
    (probe,) = found
    assert probe.title == "k8s-cluster_udn_l3.dual_node1 to 10.20.3.0/24 learned by BGP, 10.20.3.2"
    assert probe.exits == ("breth0_cluster_udn_l3.dual_node1",)


@pytest.mark.parametrize("name", ["layer2-egress", "layer2-egress-upgrading", "layer2-egress-legacy"])
def test_next_hops_of_layer2_egress_are_known_before_and_after_the_upgrade(name: str) -> None:
    pods = LAYER2_PODS if name == "layer2-egress" else LAYER2_OLD_PODS
    found = {probe.exits for probe in probes(replace(SCENARIOS[name], pods=pods)) if "203.203.0.11" in probe.microflow}
    local, prefix = "breth0_test12_namespace.scoped_node1", "test12_namespace.scoped"
    far = f"stor-{prefix}_ovn_layer2_switch_node2" if pods is LAYER2_OLD_PODS else f"trtor-GR_{prefix}_node2"
    assert (local, far) in found


def test_guests_are_sources_where_nothing_is_planned() -> None:
    guest = Endpoint("cluster_udn_wire_ovn_localnet_switch", "vm", "0a:58:00:00:00:01", (ip_address("192.168.50.9"),))
    other = replace(guest, port="other", addresses=(ip_address("192.168.50.10"),))
    (probe,) = probes(SCENARIOS["localnet"], guest, other)
    assert probe.title == "vm to pod other on this node, 192.168.50.10"


def test_networks_without_a_packet_are_known_by_name() -> None:
    (rows,) = (zone.rows for zone in SCENARIOS["localnet"].plan().zones)
    assert probes_of(rows, ()) == ()
    assert networks_of(rows) == {"cluster_udn_bare", "cluster_udn_wire"}


@pytest.mark.parametrize(
    ("addresses", "expected"),
    [
        (("0a:58:00:00:00:01 10.0.0.1/16 fd00::1/64",), (ip_address("10.0.0.1"), ip_address("fd00::1"))),
        (("0a:58:00:00:00:01 dynamic",), None),
        (("unknown",), None),
        (("router",), None),
        ((), None),
    ],
)
def test_addresses_of_ports(addresses: tuple[str, ...], expected: object) -> None:
    found = endpoint("sw", {"name": "p", "type": "remote", "addresses": addresses})
    assert (found and found.addresses) == expected


def test_pods_that_only_their_node_reaches_are_not_probed():
    first, *others = DEFAULT_PODS
    scenario = replace(SCENARIOS["default-egress"], pods=(replace(first, isolated=True), *others))
    assert any(first.name in probe.microflow for probe in probes(replace(scenario, pods=DEFAULT_PODS)))
    left = probes(scenario)
    assert left
    assert [probe.title for probe in left if first.name in probe.exits or first.name in probe.microflow] == []


@pytest.mark.parametrize(("node", "exit_"), [("node1", "k8s-node1"), ("node2", "tstor-node2")])
def test_a_pod_with_an_egress_service_leaves_by_its_node_even_with_an_egress_ip(node: str, exit_: str) -> None:
    served = ServedEndpoint("node1", DEFAULT_PODS[0].addresses[0])
    settings = replace(
        SCENARIOS["default-egress"].settings, egress_services=(EgressService("red/web", node, (served,)),)
    )
    found = probes(replace(SCENARIOS["default-egress"], settings=settings, pods=DEFAULT_PODS))
    assert [probe.exits for probe in found if "through egress" in probe.title] == [(exit_,)]
