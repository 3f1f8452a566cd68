"""Real packets through planned EgressIPs: a pod on one node leaves by two others, with addresses of theirs."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.plan.rows.model import FIRST_MARK, EgressAssignment, EgressHop, EgressPod
from ovnguard.validators.network.model import Network
from tests.support.lab import wire
from tests.support.lab.wire import Cluster, LabFactory, Pod
from tests.support.lab.wire_crowd import crowd
from tests.support.plan_samples import SERVICES, nodes, sharing
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT, LAYER2, LAYER3_BOTH

MEMBERS = sharing(nodes(3, v6=True), LAYER3_BOTH)
ADDRESSES: Mapping[str, Mapping[int, str]] = {
    "node2": {4: "172.18.0.202", 6: "fc00::202"},
    "node3": {4: "172.18.0.203", 6: "fc00::203"},
}
PORT = 8000
# that nobody takes one of two equal ways happens less than once in 10^17 runs
CONNECTIONS = 60
networks = pytest.mark.parametrize(
    "network", [LAYER2, LAYER3_BOTH, DUAL_OVERLAY_DEFAULT], ids=["layer2", "layer3", "default"]
)


@pytest.fixture
def cluster(ovn_lab: LabFactory, network: Network) -> Iterator[Cluster]:
    with wire.cluster(ovn_lab, MEMBERS, [network], SERVICES) as made:
        made.lab.external.serve("tcp", PORT)
        yield made


@pytest.fixture
def pods(cluster: Cluster, network: Network) -> list[Pod]:
    """Two pods on node1 and one on node2, an egress node; the last of node1 is of a namespace that has no EgressIP."""
    made = [cluster.pod(network.name, node, number) for number, node in enumerate(("node1", "node2", "node1"), 1)]
    cluster.settings = replace(SERVICES, egress=(egress_of(network, made[:2], ADDRESSES),))
    cluster.apply()
    return made


def egress_of(network: Network, served: list[Pod], addresses: Mapping[str, Mapping[int, str]]) -> EgressAssignment:
    """The EgressIP that gives these pods these nodes' addresses."""
    hops = tuple(EgressHop(node, ip_address(text)) for node, texts in addresses.items() for text in texts.values())
    found = tuple(EgressPod(pod.port.title, pod.port.node, pod.port.addresses) for pod in served)
    return EgressAssignment("out", network.name, FIRST_MARK, hops, found)


def own_address(cluster: Cluster, node: str, version: int) -> str:
    return next(str(ip) for ip in cluster.node(node).internal_ips if ip.version == version)


@networks
@pytest.mark.parametrize("version", [4, 6])
def test_connections_share_all_egress_nodes(cluster: Cluster, pods: list[Pod], version: int) -> None:
    by_node = {node: texts[version] for node, texts in ADDRESSES.items()}
    # from a node that is none of them, and from one that is: it does not keep all to itself
    for pod in pods[:2]:
        with cluster.lab.capture(f"tcp port {PORT} and not udp") as seen:
            peers = crowd(pod.machine, wire.outside(version), PORT, CONNECTIONS).peers
            assert set(peers) == set(by_node.values())
            for node, address in by_node.items():
                asked = seen.wait(rf" {address}\.\d+ > {wire.outside(version)}\.{PORT}: Flags \[S\]")
                # it is the egress node's machine that sends them
                assert {line.split()[1] for line in asked} == {cluster.lab.specs[node].mac}


@networks
def test_pods_without_egress_address_leave_by_their_node(cluster: Cluster, pods: list[Pod]) -> None:
    for version in (4, 6):
        peers = crowd(pods[2].machine, wire.outside(version), PORT, 10).peers
        assert peers == {own_address(cluster, "node1", version): 10}


@networks
def test_traffic_inside_does_not_leave(cluster: Cluster, pods: list[Pod]) -> None:
    served, peer, *_ = pods
    peer.machine.serve("tcp", PORT)
    for version in (4, 6):
        assert crowd(served.machine, peer.ip(version), PORT, 5).peers == {served.ip(version): 5}


@networks
def test_the_rest_takes_over_from_a_dead_egress_node(cluster: Cluster, pods: list[Pod], network: Network) -> None:
    cluster.lab.kill("node2")
    rest = {"node3": ADDRESSES["node3"]}
    cluster.settings = replace(SERVICES, egress=(egress_of(network, pods[:1], rest),))
    cluster.apply()
    for version in (4, 6):
        peers = crowd(pods[0].machine, wire.outside(version), PORT, 20).peers
        assert peers == {rest["node3"][version]: 20}
