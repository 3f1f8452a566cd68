"""Real packets between networks that a ClusterNetworkConnect connects, and none to a network that it does not."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.plan.rows.model import Connection
from ovnguard.reconciler.plan.rows.service_model import Backend, Service, ServicePort
from tests.support.connected import connection
from tests.support.lab import wire
from tests.support.lab.wire import Cluster, LabFactory, Pod
from tests.support.plan_samples import SERVICES
from tests.support.plan_scenarios import ALONE, CONNECTED_NODES, LAYER2, LAYER3_BOTH
from tests.testbed.process import BedError

NODES = ("node1", "node2")
PORT = 8000
# A dropped connection is given this long; one that is allowed takes some milliseconds.
SECONDS = 1.0
VIPS = {4: "10.96.0.20", 6: "fd00:10:96::20"}
Pods = Mapping[str, Mapping[str, Pod]]


@pytest.fixture
def cluster(ovn_lab: LabFactory) -> Iterator[Cluster]:
    with wire.cluster(ovn_lab, CONNECTED_NODES, [LAYER3_BOTH, LAYER2, ALONE], SERVICES) as made:
        yield made


@pytest.fixture
def pods(cluster: Cluster) -> Pods:
    """One pod of every network on every node, by network and node."""
    found = {network.name: wire.pods_on(cluster, network.name, NODES) for network in (LAYER3_BOTH, LAYER2, ALONE)}
    for each in (pod for members in found.values() for pod in members.values()):
        each.machine.serve("tcp", PORT)
    return found


def connect(cluster: Cluster, pods: Pods, *connections: Connection) -> None:
    """Bring the connections, and a service of the Layer2 network with a server on each node."""
    servers = tuple(
        Backend(ip_address(pod.ip(version)), PORT) for pod in pods[LAYER2.name].values() for version in VIPS
    )
    service = Service("app/web", tuple(map(ip_address, VIPS.values())), (ServicePort("TCP", 80, backends=servers),))
    balanced = {LAYER2.name: (service,)}
    cluster.settings = replace(cluster.settings, balanced_services=balanced, connections=connections)
    cluster.apply()


def talk(client: Pod, target: str, port: int = PORT) -> str:
    """Ask a server, and return the address that it sees."""
    return client.machine.ask("tcp", target, port, 100_000).peer


def is_cut(client: Pod, target: str, port: int = PORT) -> bool:
    try:
        client.machine.ask("tcp", target, port, seconds=SECONDS)
    except BedError:
        return True
    return False


def test_connected_networks_reach_each_other_on_all_nodes_and_no_others(cluster: Cluster, pods: Pods) -> None:
    connect(cluster, pods, connection(LAYER3_BOTH, LAYER2, services=True))
    layer3, layer2, alone = (pods[network.name] for network in (LAYER3_BOTH, LAYER2, ALONE))
    for version in (4, 6):
        for one in layer3.values():
            for other in layer2.values():
                one.machine.ping(other.ip(version))
                # nobody translates addresses on the way
                assert talk(one, other.ip(version)) == one.ip(version)
                assert talk(other, one.ip(version)) == other.ip(version)
            talk(one, VIPS[version], 80)
    for client in alone.values():
        assert all(is_cut(client, pod.ip(4)) for members in (layer3, layer2) for pod in members.values())
        assert is_cut(client, VIPS[4], 80)
    for client in (layer3["node1"], layer2["node2"]):
        assert all(is_cut(client, pod.ip(4)) for pod in alone.values())
    connect(cluster, pods)
    for version in (4, 6):
        assert is_cut(layer3["node1"], layer2["node1"].ip(version))
        assert is_cut(layer2["node1"], layer3["node2"].ip(version))
        assert is_cut(layer3["node1"], VIPS[version], 80)


def test_a_connection_of_services_alone_drops_packets_to_pods(cluster: Cluster, pods: Pods) -> None:
    layer3, layer2 = pods[LAYER3_BOTH.name], pods[LAYER2.name]
    connect(cluster, pods, connection(LAYER3_BOTH, LAYER2, services=True, pods=False))
    for version in (4, 6):
        for node in NODES:
            for client in (layer3[node], layer2[node]):
                talk(client, VIPS[version], 80)
            assert all(is_cut(layer3[node], other.ip(version)) for other in layer2.values())
            assert all(is_cut(layer2[node], other.ip(version)) for other in layer3.values())
        talk(layer3["node1"], layer3["node2"].ip(version))
