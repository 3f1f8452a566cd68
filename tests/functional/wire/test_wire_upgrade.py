"""Real packets between nodes with a transit router and nodes that have none yet, of one primary Layer2 network."""

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.plan.rows.model import FIRST_MARK, EgressAssignment, EgressHop, EgressPod
from tests.support.lab import wire
from tests.support.lab.node_port import JOIN, NODE, NODE_PORT, PORT, node_port
from tests.support.lab.wire import Cluster, LabFactory, Pod
from tests.support.lab.wire_crowd import crowd
from tests.support.plan_samples import SERVICES, taking_node_ports
from tests.support.plan_scenarios import LAYER2, generations

NODES = ("node1", "node2", "node3")
# of each pair of nodes either has been upgraded, and one pair is of one kind
upgrades = pytest.mark.parametrize("upgraded", ["noo", "non", "nno", "onn"])


@pytest.fixture
def cluster(ovn_lab: LabFactory, upgraded: str) -> Iterator[Cluster]:
    with wire.cluster(ovn_lab, taking_node_ports(generations(upgraded)), [LAYER2], SERVICES) as made:
        made.lab.external.serve("tcp", PORT)
        yield made


@pytest.fixture
def pods(cluster: Cluster) -> dict[str, Pod]:
    found = dict(wire.pods_on(cluster, LAYER2.name, NODES))
    for pod in found.values():
        pod.machine.serve("tcp", PORT)
    return found


@upgrades
def test_pods_reach_each_other_outside_and_all_gateway_routers(cluster: Cluster, pods: dict[str, Pod]) -> None:
    for node, pod in pods.items():
        for version in (4, 6):
            for other in pods.values():
                if other is not pod:
                    assert crowd(pod.machine, other.ip(version), PORT, 2).peers == {pod.ip(version): 2}
            own = next(str(ip) for ip in cluster.node(node).internal_ips if ip.version == version)
            assert crowd(pod.machine, wire.outside(version), PORT, 2).peers == {own: 2}
        for join in ("100.65.0.2", "100.65.0.3", "100.65.0.4", "fd99::2", "fd99::3", "fd99::4"):
            assert pod.machine.reaches(join, 30), f"{node} to {join}"


@upgrades
def test_answers_of_services_find_their_node(cluster: Cluster, pods: dict[str, Pod]) -> None:
    for version in (4, 6):
        node_port(cluster, LAYER2, version, *pods.values())
        found = crowd(cluster.lab.external, NODE[version], NODE_PORT, 80)
        assert set(found.servers) == {pod.machine.name for pod in pods.values()}
        assert set(found.peers) == {JOIN[LAYER2.name][version]}


EGRESS = {"node1": {4: "172.18.0.201", 6: "fc00::201"}, "node3": {4: "172.18.0.203", 6: "fc00::203"}}


@pytest.mark.parametrize("upgraded", ["ooo", "noo", "onn"])
def test_an_egress_ip_leaves_by_nodes_of_both_topologies(cluster: Cluster, pods: dict[str, Pod]) -> None:
    hops = tuple(EgressHop(node, ip_address(text)) for node, each in EGRESS.items() for text in each.values())
    served = tuple(EgressPod(pod.port.title, node, pod.port.addresses) for node, pod in pods.items())
    cluster.settings = replace(SERVICES, egress=(EgressAssignment("out", LAYER2.name, FIRST_MARK, hops, served),))
    cluster.apply()
    for pod in pods.values():
        for version in (4, 6):
            # that nobody takes one of two equal ways happens less than once in 10^11 runs
            peers = crowd(pod.machine, wire.outside(version), PORT, 40).peers
            assert set(peers) == {each[version] for each in EGRESS.values()}
