"""Real packets between pods of primary networks and the node that they run on, by the node's port on the network."""

import re
from collections.abc import Iterator

import pytest

from ovnguard.validators.network.model import Network
from tests.support.lab import wire
from tests.support.lab.wire import Cluster, LabFactory, Pod
from tests.support.plan_samples import SERVICES, nodes, sharing
from tests.support.plan_scenarios import LAYER2, LAYER3_BOTH
from tests.testbed.process import wait_until

MEMBERS = sharing(nodes(2, v6=True), LAYER3_BOTH)
NODES = tuple(member.name for member in MEMBERS)
# masquerade addresses of the management ports: base + 10 + 2 * network id
MASQUERADES = {
    LAYER2.name: {4: "169.254.0.12", 6: "fd69::c"},
    LAYER3_BOTH.name: {4: "169.254.0.16", 6: "fd69::10"},
}
families = pytest.mark.parametrize("version", [4, 6])
both = pytest.mark.parametrize("network", [LAYER2, LAYER3_BOTH], ids=["layer2", "layer3"])


@pytest.fixture
def cluster(ovn_lab: LabFactory, network: Network) -> Iterator[Cluster]:
    with wire.cluster(ovn_lab, MEMBERS, [network], SERVICES) as made:
        yield made


@pytest.fixture
def pods(cluster: Cluster, network: Network) -> list[Pod]:
    found = list(wire.pods_on(cluster, network.name, NODES).values())
    for node in NODES:
        cluster.management(network.name, node)
    cluster.lab.wait()
    return found


@both
@families
def test_node_sees_the_masquerade_address_of_the_network(
    cluster: Cluster, pods: list[Pod], network: Network, version: int
) -> None:
    for pod in pods:
        member = cluster.node(pod.port.node)
        node = next(str(ip) for ip in member.internal_ips if ip.version == version)
        device = f"ovn-k8s-mp{network.network_id}"
        with cluster.lab[member.name].capture(f"{'icmp' if version == 4 else 'icmp6'}", device) as seen:
            wait_until(lambda pod=pod, node=node: pod.machine.reaches(node, 1), f"the node of {pod.machine.name}", 60)
            source = re.escape(MASQUERADES[network.name][version])
            assert seen.wait(rf" {source} > {node}: ICMP6?,? echo request")
            assert seen.lines(rf" {re.escape(pod.ip(version))} > {node}") == []
