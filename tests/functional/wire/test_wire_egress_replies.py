"""Real packets to a pod with an EgressIP: what came in by its own node goes out there, and not by the egress node."""

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.plan.rows.model import FIRST_MARK, EgressAssignment, EgressHop, EgressPod
from ovnguard.validators.network.model import Network
from tests.support.lab import wire
from tests.support.lab.node_port import MEMBERS, NODE, NODE_PORT, PORT, node_port
from tests.support.lab.wire import Cluster, LabFactory, Pod
from tests.support.lab.wire_crowd import crowd
from tests.support.plan_samples import SERVICES
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT, LAYER2, LAYER3_BOTH

EGRESS = {4: "172.18.0.201", 6: "fc00::201"}


@pytest.fixture
def cluster(ovn_lab: LabFactory, network: Network) -> Iterator[Cluster]:
    with wire.cluster(ovn_lab, MEMBERS, [network], SERVICES) as made:
        made.lab.external.serve("tcp", PORT)
        yield made


@pytest.fixture
def pod(cluster: Cluster, network: Network) -> Pod:
    """A pod on node2 whose egress addresses are on node1."""
    made = cluster.pod(network.name, "node2")
    hops = tuple(EgressHop("node1", ip_address(text)) for text in EGRESS.values())
    served = (EgressPod(made.port.title, "node2", made.port.addresses),)
    cluster.settings = replace(SERVICES, egress=(EgressAssignment("out", network.name, FIRST_MARK, hops, served),))
    cluster.apply()
    made.machine.serve("tcp", PORT)
    return made


@pytest.mark.parametrize("network", [LAYER2, LAYER3_BOTH, DUAL_OVERLAY_DEFAULT], ids=["layer2", "layer3", "default"])
@pytest.mark.parametrize("version", [4, 6])
def test_replies_leave_by_the_node_that_the_connection_came_in_by(
    cluster: Cluster, network: Network, pod: Pod, version: int
) -> None:
    client = wire.outside(version)
    # the node port keeps the client's address, so the replies have the whole way out before them
    node_port(cluster, network, version, pod, external_local=True)
    with cluster.lab.capture() as seen:
        answer = cluster.lab.external.ask("tcp", NODE[version], NODE_PORT, 100_000)
        assert (answer.name, answer.peer) == (pod.machine.name, client)
        replies = seen.wait(rf"IPv{version}.* {NODE[version]}\.{NODE_PORT} > {client}\.\d+: Flags \[S\.\]")
        assert {line.split()[1] for line in replies} == {cluster.lab.specs["node2"].mac}
        assert seen.lines(rf"Geneve.* > {client}\.\d+: ") == []
    # connections of the pod's own have the egress address
    assert crowd(pod.machine, client, PORT, 5).peers == {EGRESS[version]: 5}
