"""Real packets to and from a pod with another primary network, on the default network: only its node reaches it."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from ovnguard.reconciler.plan.rows.model import OpenPort
from tests.support.lab import wire
from tests.support.lab.wire import Cluster, LabFactory, Pod
from tests.support.lab.wire_node import answer_to_host
from tests.support.plan_samples import SERVICES, nodes, sharing
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT
from tests.testbed.process import BedError

NET = DUAL_OVERLAY_DEFAULT
MEMBERS = sharing(nodes(2, v6=True), NET)
OPEN, SHUT = 8000, 8001
# A dropped connection is given this long; one that is allowed takes some milliseconds.
SECONDS = 2.0
families = pytest.mark.parametrize("version", [4, 6])


@dataclass(frozen=True)
class Pods:
    """Pods of the default network on both nodes, an isolated one on the first, and one there that opens a port."""

    near: Pod
    far: Pod
    isolated: Pod
    opened: Pod


@pytest.fixture
def cluster(ovn_lab: LabFactory) -> Iterator[Cluster]:
    with wire.cluster(ovn_lab, MEMBERS, [NET], SERVICES) as made:
        yield made


@pytest.fixture
def pods(cluster: Cluster) -> Pods:
    opens = (OpenPort("tcp", OPEN), OpenPort("icmp", None))
    found = Pods(
        cluster.pod(NET.name, "node1", 1),
        cluster.pod(NET.name, "node2", 2),
        cluster.pod(NET.name, "node1", 3, isolated=True),
        cluster.pod(NET.name, "node1", 4, isolated=True, open_ports=opens),
    )
    cluster.apply()
    cluster.management(NET.name, "node1")
    cluster.lab.wait()
    for each in (found.near, found.isolated, found.opened):
        for port in (OPEN, SHUT):
            each.machine.serve("tcp", port)
    return found


def connects(client: Pod, server: Pod, port: int, version: int) -> bool:
    try:
        client.machine.ask("tcp", server.ip(version), port, seconds=SECONDS)
    except BedError:
        return False
    return True


@families
def test_only_the_node_reaches_an_isolated_pod(cluster: Cluster, pods: Pods, version: int) -> None:
    # the same network works for other pods
    assert connects(pods.far, pods.near, OPEN, version)
    for client in (pods.near, pods.far, pods.opened):
        assert not connects(client, pods.isolated, OPEN, version)
        assert not client.machine.reaches(pods.isolated.ip(version))
    for server in (pods.near, pods.far):
        assert not connects(pods.isolated, server, OPEN, version)
        assert not pods.isolated.machine.reaches(server.ip(version))
    for port in (OPEN, SHUT):
        host = cluster.lab["node1"]
        assert answer_to_host(host, pods.isolated.ip(version), port) == pods.isolated.machine.name


@families
def test_an_open_port_is_open_to_all_pods(pods: Pods, version: int) -> None:
    for client in (pods.near, pods.far):
        assert connects(client, pods.opened, OPEN, version)
        client.machine.ping(pods.opened.ip(version))
        assert not connects(client, pods.opened, SHUT, version)
