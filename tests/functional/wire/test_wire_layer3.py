"""Real packets through planned rows: Layer3 networks and the default network over Geneve, on three nodes."""

import re
from collections.abc import Iterator

import pytest

from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.validators.network.model import Network
from tests.support.lab import wire
from tests.support.lab.wire import Cluster, LabFactory, Pod
from tests.support.plan_samples import SERVICES, nodes, sharing
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT, LAYER3_BOTH

MEMBERS = sharing(nodes(3, v6=True), LAYER3_BOTH)
NODES = tuple(member.name for member in MEMBERS)
# datapath of the transit switch: the first key of the shared range and the network's id
KEYS = {LAYER3_BOTH.name: 16711683 + 3, DUAL_OVERLAY_DEFAULT.name: 16711683}
families = pytest.mark.parametrize("version", [4, 6])
both = pytest.mark.parametrize("network", [LAYER3_BOTH, DUAL_OVERLAY_DEFAULT], ids=["layer3", "default"])


@pytest.fixture
def cluster(ovn_lab: LabFactory, network: Network) -> Iterator[Cluster]:
    with wire.cluster(ovn_lab, MEMBERS, [network], SERVICES) as made:
        yield made


@pytest.fixture
def pods(cluster: Cluster, network: Network) -> list[Pod]:
    return list(wire.pods_on(cluster, network.name, NODES).values())


@both
@families
def test_pods_of_all_nodes_talk_through_tunnels(
    cluster: Cluster, pods: list[Pod], network: Network, version: int
) -> None:
    for server in pods:
        for kind in ("tcp", "udp"):
            server.machine.serve(kind, 8000)
    for client, server in ((one, other) for one in pods for other in pods if one is not other):
        source, target = client.ip(version), server.ip(version)
        with cluster.lab.capture("udp port 6081") as seen:
            client.machine.ping(target)
            for kind, size in wire.KINDS:
                answer = client.machine.ask(kind, target, 8000, size)
                assert (answer.name, answer.peer) == (server.machine.name, source)
            ends = [str(cluster.node(pod.port.node).internal_ips[0]) for pod in (client, server)]
            tunnel = re.escape(ends[0]) + r"\.\d+ > " + re.escape(ends[1]) + r"\.6081: Geneve"
            assert seen.wait(rf"{tunnel}.* vni {hex(KEYS[network.name])},.* {source}\S* > {target}\S*: .*Flags \[S\]")


@both
@families
def test_outside_sees_the_address_of_the_node(cluster: Cluster, pods: list[Pod], version: int) -> None:
    outside = cluster.lab.external
    for kind in ("tcp", "udp"):
        outside.serve(kind, 8000)
    for pod in pods:
        node = next(str(ip) for ip in cluster.node(pod.port.node).internal_ips if ip.version == version)
        pod.machine.ping(wire.outside(version))
        for kind, size in wire.KINDS:
            assert pod.machine.ask(kind, wire.outside(version), 8000, size).peer == node


@pytest.mark.parametrize("network", [LAYER3_BOTH], ids=["layer3"])
def test_gateway_routers_of_other_nodes_answer_to_their_join_addresses(pods: list[Pod]) -> None:
    first, *_ = pods
    for address in ("100.65.0.2", "100.65.0.3", "100.65.0.4", "fd99::2", "fd99::3", "fd99::4"):
        first.machine.ping(address)


def test_networks_share_a_node_and_do_not_meet(ovn_lab: LabFactory) -> None:
    networks = [DUAL_OVERLAY_DEFAULT, LAYER3_BOTH]
    with wire.cluster(ovn_lab, MEMBERS, networks, SERVICES) as made:
        default, own = (made.pod(network.name, "node1") for network in networks)
        made.apply()
        made.lab.external.serve("tcp", 8000)
        for version in (4, 6):
            for pod in (default, own):
                node = next(str(ip) for ip in made.node("node1").internal_ips if ip.version == version)
                assert pod.machine.ask("tcp", wire.outside(version), 8000).peer == node
            # what the other network does not have is outside for it, where nobody answers
            assert not own.machine.reaches(default.ip(version))
            assert not default.machine.reaches(own.ip(version))
        switches = [Names(network.name).node_switch("node1") for network in networks]
        listed = made.lab["node1"].zone.nbctl("ls-list")
        assert all(f"({switch})" in listed for switch in switches)
