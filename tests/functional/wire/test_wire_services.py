"""Real packets to services: what came in by one node's load balancer finds its way back to that node."""

import re
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address
from typing import Any

import pytest

from ovnguard.reconciler.plan.rows.service_model import Backend, Service, ServicePort
from ovnguard.validators.network.model import Network
from tests.support.lab import wire
from tests.support.lab.node_port import DNS, JOIN, MEMBERS, NODE, NODE_PORT, PORT, node_port, take_in, web
from tests.support.lab.wire import Cluster, LabFactory, Pod
from tests.support.lab.wire_crowd import assert_peer, crowd
from tests.support.plan_samples import SERVICES
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT, LAYER2, LAYER3_BOTH
from tests.testbed.process import wait_until

DNS_ADDRESSES = {4: "10.96.0.10", 6: "fd00:10:96::a"}
families = pytest.mark.parametrize("version", [4, 6])
networks = pytest.mark.parametrize(
    "network", [LAYER2, LAYER3_BOTH, DUAL_OVERLAY_DEFAULT], ids=["layer2", "layer3", "default"]
)


@pytest.fixture
def cluster(ovn_lab: LabFactory, network: Network) -> Iterator[Cluster]:
    with wire.cluster(ovn_lab, MEMBERS, [network], SERVICES) as made:
        yield made


@pytest.fixture
def pods(cluster: Cluster, network: Network) -> list[Pod]:
    return list(wire.pods_on(cluster, network.name, ("node1", "node2")).values())


@networks
@families
def test_answers_go_back_through_the_join_address_of_the_other_node(
    cluster: Cluster, pods: list[Pod], network: Network, version: int
) -> None:
    server = pods[0]
    server.machine.serve("tcp", PORT)
    node_port(cluster, network, version, server)
    join, client = JOIN[network.name][version], wire.outside(version)
    with cluster.lab.capture() as seen:
        answer = cluster.lab.external.ask("tcp", NODE[version], NODE_PORT, 500_000)
        assert (answer.name, answer.peer) == (server.machine.name, join)
        # in by node2, through the tunnel to node1 and back in the same way, out by node2
        there, back = (rf"172\.18\.0\.{one}\.\d+ > 172\.18\.0\.{other}\.6081: Geneve.*" for one, other in ("32", "23"))
        pod = re.escape(server.ip(version))
        assert seen.wait(rf"{there} {join}\.\d+ > {pod}\.{PORT}: Flags \[S\]")
        assert seen.wait(rf"{back} {pod}\.{PORT} > {join}\.\d+: Flags \[S\.\]")
        mac = cluster.lab.specs["node2"].mac
        outside = seen.wait(rf"IPv{version}.* {NODE[version]}\.{NODE_PORT} > {client}\.\d+: Flags \[S\.\]")
        assert {line.split()[1] for line in outside} == {mac}
        # the client's address is not seen beyond the gateway router, the pod's not outside
        assert seen.lines(rf"Geneve.*{client}") == []
        assert seen.lines(rf" {pod}\.\d+ > {client}") == []


@networks
def test_connections_of_a_service_share_its_servers_on_all_nodes(
    cluster: Cluster, pods: list[Pod], network: Network
) -> None:
    for pod in pods:
        pod.machine.serve("tcp", PORT)
    for version in (4, 6):
        node_port(cluster, network, version, *pods)
        found = crowd(cluster.lab.external, NODE[version], NODE_PORT, 40)
        assert set(found.servers) == {pod.machine.name for pod in pods}
        # one of the servers is on the node itself, and its answers go by the join address as well
        assert set(found.peers) == {JOIN[network.name][version]}


@networks
@families
def test_local_traffic_policy_keeps_the_client_s_address_and_the_connection_on_the_node(
    cluster: Cluster, pods: list[Pod], network: Network, version: int
) -> None:
    for pod in pods:
        pod.machine.serve("tcp", PORT)
    node_port(cluster, network, version, *pods, external_local=True)
    assert_peer(cluster.lab.external, NODE[version], NODE_PORT, wire.outside(version))
    found = crowd(cluster.lab.external, NODE[version], NODE_PORT, 20)
    assert set(found.servers) == {pods[1].machine.name}
    assert set(found.peers) == {wire.outside(version)}
    # without a server on node2, nobody answers there
    node_port(cluster, network, version, pods[0], external_local=True)
    wait_until(
        lambda: set(crowd(cluster.lab.external, NODE[version], NODE_PORT, 2, 3.0).servers) == {""}, "no one", 60.0
    )


CLUSTER_IP = {4: "10.96.0.80", 6: "fd00:10:96::50"}


@networks
@families
def test_pods_of_a_network_reach_the_servers_of_its_service_on_all_nodes(
    cluster: Cluster, pods: list[Pod], network: Network, version: int
) -> None:
    client = cluster.pod(network.name, "node1", 9)
    for pod in pods:
        pod.machine.serve("tcp", PORT)
    first, second = (pod.machine.name for pod in pods)
    addresses = (CLUSTER_IP[version],)
    service = web(version, *pods, addresses=addresses)

    def served(expected: list[set[str]], **policy: Any) -> None:
        """All of many connections reach one of the expected sets of servers, all its members."""
        cluster.settings = replace(SERVICES, balanced_services={network.name: (replace(service, **policy),)})
        cluster.apply()
        # Open vSwitch may forward by what it cached for a moment after its flows have changed
        wait_until(lambda: set(crowd(client.machine, *addresses, PORT, 8, 3.0).servers) in expected, "servers", 60.0)
        found = crowd(client.machine, *addresses, PORT, 30)
        assert set(found.servers) in expected
        assert set(found.peers) == {client.ip(version)}

    served([{first, second}])
    served([{first}], internal_local=True)
    served([{first}, {second}], affinity=10_800)
    # no server is left: connections are refused at once
    cluster.settings = replace(SERVICES, balanced_services={network.name: (web(version, addresses=addresses),)})
    cluster.apply()
    refused = {"ConnectionRefusedError"}
    wait_until(lambda: set(crowd(client.machine, *addresses, PORT, 2).peers) == refused, "refusals", 60.0)


@pytest.fixture
def dns(ovn_lab: LabFactory) -> Iterator[tuple[Cluster, list[Pod]]]:
    """The default network with kube-dns, a pod of each node behind it, and a pod on node1; all rows are planned."""
    with wire.cluster(ovn_lab, MEMBERS, [DUAL_OVERLAY_DEFAULT], SERVICES) as made:
        pods = [made.pod("default", node, number) for number, node in enumerate(("node1", "node2", "node1"), 1)]
        backends = tuple(Backend(ip_address(pod.ip(version)), PORT) for version in (4, 6) for pod in pods[:2])
        ports = tuple(ServicePort(protocol, DNS, backends=backends) for protocol in ("TCP", "UDP"))
        _, kube_dns = SERVICES.services
        balanced = Service(kube_dns.name, kube_dns.addresses, ports)
        made.settings = replace(SERVICES, balanced_services={"default": (balanced,)})
        made.apply()
        for pod in pods[:2]:
            for kind in ("tcp", "udp"):
                pod.machine.serve(kind, PORT)
        yield made, pods


@families
def test_pods_reach_the_servers_of_a_default_service(dns: tuple[Cluster, list[Pod]], version: int) -> None:
    _, pods = dns
    first, second, client = pods
    found = crowd(client.machine, DNS_ADDRESSES[version], DNS, 40)
    assert set(found.servers) == {first.machine.name, second.machine.name}
    assert set(found.peers) == {client.ip(version)}
    assert client.machine.ask("udp", DNS_ADDRESSES[version], DNS).name in set(found.servers)
    # a server asks itself, too, and sees the hairpin address when it is the one that answers
    own = crowd(first.machine, DNS_ADDRESSES[version], DNS, 40)
    hairpin = {4: "169.254.0.5", 6: "fd69::5"}[version]
    assert {(each.name, each.peer) for each in own.answers} == {
        (first.machine.name, hairpin),
        (second.machine.name, first.ip(version)),
    }


@families
def test_default_service_is_reached_from_outside_by_a_gateway_router(
    dns: tuple[Cluster, list[Pod]], version: int
) -> None:
    cluster, pods = dns
    field = "nw_dst" if version == 4 else "ipv6_dst"
    take_in(cluster, DUAL_OVERLAY_DEFAULT, "node2", version, f"{field}={DNS_ADDRESSES[version]}")
    cluster.lab.external.namespace.ip("route", "add", DNS_ADDRESSES[version], "via", NODE[version])
    found = crowd(cluster.lab.external, DNS_ADDRESSES[version], DNS, 40)
    assert set(found.servers) == {pod.machine.name for pod in pods[:2]}
    assert set(found.peers) == {JOIN["default"][version]}
