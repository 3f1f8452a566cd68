"""Real packets of advertised networks: the router outside would connect them, and pods keep their addresses there."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from ipaddress import ip_network

import pytest

from ovnguard.reconciler.plan.rows.settings import ImportedRoute, Settings
from ovnguard.validators.network.model import Network, Subnet, Topology
from ovnguard.validators.network.ovnkube_settings.routed_isolation import Isolation
from tests.support.lab import wire
from tests.support.lab.wire import Cluster, LabFactory, Pod
from tests.support.lab.wire_crowd import assert_peer, crowd
from tests.support.lab.wire_node import host_server
from tests.support.plan_samples import LAYER3_DUAL, SERVICES, layer3, nodes, sharing
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT, LAYER2, LAYER3_BOTH, without_overlay
from tests.testbed.process import BedError

RED = without_overlay(layer3("cluster_udn_red", *LAYER3_DUAL), snat=False)
BLUE = RED._replace(
    name="cluster_udn_blue",
    subnets=(Subnet(ip_network("10.21.0.0/16"), 24), Subnet(ip_network("fd21::/48"), 64)),
    network_id=4,
)
NETS = (RED, BLUE)
MEMBERS = sharing(nodes(2, v6=True), *NETS)
PORT = 8000
# A dropped connection is given this long; one that is allowed takes some milliseconds.
SECONDS = 2.0
families = pytest.mark.parametrize("version", [4, 6])
isolations = pytest.mark.parametrize("isolation", [Isolation.STRICT, Isolation.LOOSE])


def subnets(network: Network) -> Iterator[tuple[str, str]]:
    """The nodes' subnets, and the nodes' addresses of the same family."""
    for member in MEMBERS:
        for subnet in member.host_subnets[network.name]:
            yield str(subnet), next(str(ip) for ip in member.internal_ips if ip.version == subnet.version)


def routed(isolation: Isolation) -> Settings:
    """Both networks are advertised, and each knows the ways to its own pods on the other node."""
    routes = [
        ImportedRoute(network.name, member.name, subnet, hop)
        for network in NETS
        for member, other in (MEMBERS, MEMBERS[::-1])
        for subnet in other.host_subnets[network.name]
        for hop in other.internal_ips
        if hop.version == subnet.version
    ]
    advertised = {network.name: tuple(each.cidr for each in network.subnets) for network in NETS}
    return replace(SERVICES, imported_routes=tuple(routes), advertises=True, advertised=advertised, isolation=isolation)


@dataclass(frozen=True)
class Pods:
    """A pod of one network on the first node, and one of each network on the second."""

    red: Pod
    same: Pod
    other: Pod


@pytest.fixture
def cluster(ovn_lab: LabFactory, isolation: Isolation) -> Iterator[Cluster]:
    with wire.cluster(ovn_lab, MEMBERS, NETS, routed(isolation)) as made:
        for network in NETS:
            for subnet, hop in subnets(network):
                made.lab.external.namespace.ip("route", "add", subnet, "via", hop)
        yield made


@pytest.fixture
def pods(cluster: Cluster) -> Pods:
    found = Pods(
        cluster.pod(RED.name, "node1", 1), cluster.pod(RED.name, "node2", 2), cluster.pod(BLUE.name, "node2", 3)
    )
    cluster.apply()
    for pod in (found.red, found.same, found.other):
        pod.machine.serve("tcp", PORT)
    return found


def connects(client: Pod, server: Pod, version: int) -> bool:
    try:
        client.machine.ask("tcp", server.ip(version), PORT, seconds=SECONDS)
    except BedError:
        return False
    return True


@families
@isolations
def test_advertised_networks_are_apart_if_strict(
    cluster: Cluster, pods: Pods, version: int, isolation: Isolation
) -> None:
    apart = isolation is Isolation.STRICT
    for client in (pods.red, pods.same):
        # outside and pods of the same network are reached in any case
        client.machine.ping(wire.outside(version))
        client.machine.ping((pods.same if client is pods.red else pods.red).ip(version))
        assert connects(client, pods.red if client is pods.same else pods.same, version)
        assert client.machine.reaches(pods.other.ip(version)) is not apart
        assert connects(client, pods.other, version) is not apart
        assert connects(pods.other, client, version) is not apart


@pytest.mark.parametrize("isolation", [Isolation.STRICT])
def test_another_isolation_counts_on_the_second_day(cluster: Cluster, pods: Pods, isolation: Isolation) -> None:
    assert not connects(pods.red, pods.other, 4)
    for then, together in ((Isolation.LOOSE, True), (isolation, False)):
        cluster.settings = routed(then)
        cluster.apply()
        assert connects(pods.red, pods.other, 4) is together


@pytest.mark.parametrize("network", [LAYER3_BOTH, LAYER2, DUAL_OVERLAY_DEFAULT], ids=lambda each: each.name)
def test_pods_with_tunnels_keep_their_addresses_outside(ovn_lab: LabFactory, network: Network) -> None:
    members = sharing(MEMBERS, network)
    (own, _) = members
    whole = tuple(each.cidr for each in network.subnets)
    ways = whole if network.topology is Topology.LAYER2 else own.host_subnets[network.name]
    settings = replace(SERVICES, advertises=True, advertised={network.name: whole})
    with wire.cluster(ovn_lab, members, [network], settings) as made:
        made.lab.external.serve("tcp", PORT)
        for subnet in ways:
            hop = next(ip for ip in own.internal_ips if ip.version == subnet.version)
            made.lab.external.namespace.ip("route", "add", str(subnet), "via", str(hop))
        pod = made.pod(network.name, own.name)
        made.apply()
        with host_server(made.lab["node2"], PORT):
            for version in (4, 6):
                assert_peer(pod.machine, wire.outside(version), PORT, pod.ip(version))
                here, there = (next(str(ip) for ip in each.internal_ips if ip.version == version) for each in members)
                # nodes do not know the way to pods of a network
                found = crowd(pod.machine, there, PORT, 3)
                assert (found.servers, found.peers) == ({"node2": 3}, {here: 3})
