"""Real packets of networks without overlay where the nodes' own side is planned, too, in both gateway modes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from ipaddress import ip_network

import pytest

from ovnguard.reconciler.plan.rows.settings import ImportedRoute, Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network
from tests.support.lab import wire
from tests.support.lab.wire import LabFactory, Pod
from tests.support.lab.wire_crowd import assert_peer, crowd
from tests.support.lab.wire_hosted import HostedCluster, bridged, hosted_cluster
from tests.support.lab.wire_node import host_server
from tests.support.plan_samples import DUAL_DEFAULT, SERVICES, nodes, sharing
from tests.support.plan_scenarios import LAYER3_BOTH, without_overlay
from tests.testbed.parts import Parts

DEFAULT = DUAL_DEFAULT._replace(service_subnets=(ip_network("10.96.0.0/16"), ip_network("fd00:10:96::/112")))
NETWORKS = (DEFAULT, LAYER3_BOTH)
NODES = ("node1", "node2")
PORT, API = 8000, 6443
modes = pytest.mark.parametrize("mode", ["shared", "local"])
snats = pytest.mark.parametrize("snat", [True, False], ids=["snat", "plain"])


def node_ip(member: Node, version: int) -> str:
    return next(str(ip) for ip in member.internal_ips if ip.version == version)


def routed(*, snat: bool) -> tuple[Network, ...]:
    return tuple(without_overlay(network, snat=snat) for network in NETWORKS)


def learned(members: Sequence[Node]) -> Settings:
    routes = [
        ImportedRoute(network.name, member.name, subnet, hop)
        for network in NETWORKS
        for member, other in zip(members, reversed(members), strict=True)
        for subnet in other.host_subnets[network.name]
        for hop in other.internal_ips
        if hop.version == subnet.version
    ]
    return replace(SERVICES, imported_routes=tuple(routes))


@pytest.fixture
def cluster(ovn_lab: LabFactory, parts: Parts, mode: str, snat: bool) -> Iterator[HostedCluster]:
    members = bridged(sharing(nodes(2, v6=True, mode=mode), LAYER3_BOTH))
    settings = learned(members)
    with hosted_cluster(ovn_lab, parts, members, routed(snat=snat), settings) as made:
        made.lab.external.serve("tcp", PORT)
        for member in members:
            for network in NETWORKS:
                for subnet in member.host_subnets[network.name]:
                    made.lab.external.namespace.ip("route", "add", str(subnet), "via", node_ip(member, subnet.version))
        yield made


@pytest.fixture
def pods(cluster: HostedCluster) -> dict[tuple[str, str], Pod]:
    """A pod of every network on every node; kernels have the routes that BGP would bring them."""
    made = {(net.name, node): cluster.pod(net.name, node, at) for net in NETWORKS for at, node in enumerate(NODES, 1)}
    cluster.apply()
    for route in cluster.settings.imported_routes:
        # a network's own table is that of its VRF: 1000 and its id
        table = "main" if route.network == "default" else str(1000 + (LAYER3_BOTH.network_id or 0))
        words = [str(route.prefix), "via", str(route.nexthop), "dev", "br-ex", "table", table, "proto", "bgp"]
        cluster.lab[route.node].namespace.ip("route", "add", *words)
    return made


def assert_seen(cluster: HostedCluster, pods: dict[tuple[str, str], Pod], *, snat: bool) -> None:
    for (network, node), pod in pods.items():
        for version in (4, 6):
            expected = node_ip(cluster.node(node), version) if snat else pod.ip(version)
            assert_peer(pod.machine, wire.outside(version), PORT, expected, f"{network} on {node}")


@modes
@snats
def test_pods_are_routed_and_keep_their_addresses(cluster: HostedCluster, pods: dict[tuple[str, str], Pod]) -> None:
    with cluster.lab.capture("udp port 6081") as tunneled:
        for network in NETWORKS:
            one, other = (pods[network.name, node] for node in NODES)
            for client, server in ((one, other), (other, one)):
                server.machine.serve("tcp", PORT)
                for version in (4, 6):
                    peers = crowd(client.machine, server.ip(version), PORT, 3).peers
                    assert peers == {client.ip(version): 3}, f"{network.name} IPv{version}"
        assert tunneled.lines() == []


@modes
@pytest.mark.parametrize("snat", [True], ids=["snat"])
def test_outbound_snat_changes_on_the_second_day(cluster: HostedCluster, pods: dict[tuple[str, str], Pod]) -> None:
    assert_seen(cluster, pods, snat=True)
    for snat in (False, True):
        cluster.networks = routed(snat=snat)
        cluster.apply()
        assert_seen(cluster, pods, snat=snat)


@modes
@snats
def test_pods_reach_the_hosts_of_all_nodes(cluster: HostedCluster, pods: dict[tuple[str, str], Pod]) -> None:
    with host_server(cluster.lab["node1"], API), host_server(cluster.lab["node2"], API):
        for (network, node), pod in pods.items():
            for host in NODES:
                for version in (4, 6):
                    target = node_ip(cluster.node(host), version)
                    servers = crowd(pod.machine, target, API, 2).servers
                    assert servers == {host: 2}, f"{network} on {node} to {host} by IPv{version}"
