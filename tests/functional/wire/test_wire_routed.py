"""Real packets of networks without overlay: pods are routed, not tunneled, and outboundSNAT says what outside sees.

Static routes stand in for learned ones: what BGP would bring to a node's kernel is told to the plan as imported.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ovnguard.reconciler.plan.rows.settings import ImportedRoute, Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network
from tests.support.lab import wire
from tests.support.lab.wire import Cluster, LabFactory, Pod
from tests.support.lab.wire_crowd import assert_peer, crowd
from tests.support.lab.wire_node import host_server
from tests.support.plan_samples import DUAL_DEFAULT, SERVICES, nodes, sharing
from tests.support.plan_scenarios import LAYER3_BOTH, without_overlay

MEMBERS = sharing(nodes(3, v6=True), LAYER3_BOTH)
NODES = tuple(member.name for member in MEMBERS)
PORT = 8000
networks = pytest.mark.parametrize("network", [LAYER3_BOTH, DUAL_DEFAULT], ids=["layer3", "default"])
snats = pytest.mark.parametrize("snat", [True, False], ids=["snat", "plain"])


def node_ip(member: Node, version: int) -> str:
    return next(str(ip) for ip in member.internal_ips if ip.version == version)


def learned(network: Network) -> Settings:
    """Every node has learned the way to all other nodes' pods."""
    routes = [
        ImportedRoute(network.name, member.name, subnet, hop)
        for member in MEMBERS
        for other in MEMBERS
        if other is not member
        for subnet in other.host_subnets[network.name]
        for hop in other.internal_ips
        if hop.version == subnet.version
    ]
    return replace(SERVICES, imported_routes=tuple(routes))


@pytest.fixture
def cluster(ovn_lab: LabFactory, network: Network, snat: bool) -> Iterator[Cluster]:
    routed = without_overlay(network, snat=snat)
    with wire.cluster(ovn_lab, MEMBERS, [routed], learned(network)) as made:
        outside = made.lab.external
        outside.serve("tcp", PORT)
        # what nodes advertise to the outside
        for member in MEMBERS:
            for subnet in member.host_subnets[network.name]:
                outside.namespace.ip("route", "add", str(subnet), "via", node_ip(member, subnet.version))
        yield made


@pytest.fixture
def pods(cluster: Cluster, network: Network) -> list[Pod]:
    return list(wire.pods_on(cluster, network.name, NODES).values())


@networks
@snats
def test_pods_of_all_nodes_are_routed(cluster: Cluster, pods: list[Pod]) -> None:
    for pod in pods:
        for kind in ("tcp", "udp"):
            pod.machine.serve(kind, PORT)
    with cluster.lab.capture() as seen, cluster.lab.capture("udp port 6081") as tunneled:
        for client, server in ((one, other) for one in pods for other in pods if one is not other):
            for version in (4, 6):
                source, target = client.ip(version), server.ip(version)
                client.machine.ping(target)
                for kind, size in (("tcp", 100_000), ("udp", 1000)):
                    answer = client.machine.ask(kind, target, PORT, size)
                    assert (answer.name, answer.peer) == (server.machine.name, source)
                # from one node to the other as it is
                link = " > ".join(cluster.lab.specs[pod.port.node].mac for pod in (client, server))
                ends = rf"{re.escape(source)}(\.\d+)? > {re.escape(target)}(\.\d+)?: "
                for what in (r"ICMP6?,? echo request", r"Flags \[S\]", "UDP"):
                    assert seen.wait(rf" {link}, .* {ends}.*{what}")
        assert tunneled.lines() == []


@networks
@snats
def test_outside_sees_what_outbound_snat_says(cluster: Cluster, pods: list[Pod], snat: bool) -> None:
    assert_seen(cluster, pods, snat=snat)


@networks
@pytest.mark.parametrize("snat", [True], ids=["snat"])
def test_outbound_snat_changes_on_the_second_day(cluster: Cluster, pods: list[Pod], network: Network) -> None:
    for snat in (False, True):
        cluster.networks = (without_overlay(network, snat=snat),)
        cluster.apply()
        assert_seen(cluster, pods, snat=snat)


def assert_seen(cluster: Cluster, pods: list[Pod], *, snat: bool) -> None:
    """What the outside and another node's host see of pods.

    Nodes do not know the way to pods of a network, so outboundSNAT makes no difference for them.
    """
    with host_server(cluster.lab["node2"], PORT):
        for version in (4, 6):
            for pod in pods:
                node = node_ip(cluster.node(pod.port.node), version)
                assert_peer(pod.machine, wire.outside(version), PORT, node if snat else pod.ip(version))
                if pod.port.node != "node2":
                    found = crowd(pod.machine, node_ip(cluster.node("node2"), version), PORT, 3)
                    assert (found.servers, found.peers) == ({"node2": 3}, {node: 3})
