"""Real packets under dynamic allocation: nodes that do not use a network have no rows of it, and the others talk."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.reconciler.plan.rows.row import network_of
from ovnguard.validators.network.model import Network
from tests.support.lab import wire
from tests.support.lab.node_port import NODE_PORT, PORT, take_in, web
from tests.support.lab.wire import Cluster, LabFactory, Pod
from tests.support.lab.wire_crowd import crowd
from tests.support.plan_samples import SERVICES, nodes, sharing, taking_node_ports
from tests.support.plan_scenarios import LAYER2, LAYER3_BOTH
from tests.testbed.process import wait_until

FULL = taking_node_ports(sharing(nodes(3, v6=True), LAYER3_BOTH))
FIRST, SECOND, THIRD = (member.name for member in FULL)
PAIR = frozenset({FIRST, SECOND})
networks = pytest.mark.parametrize("network", [LAYER2, LAYER3_BOTH], ids=["layer2", "layer3"])


def use(cluster: Cluster, network: Network, *used: str, grace: tuple[str, ...] = ()) -> None:
    """Only these nodes use the network; those in grace did. Other nodes have no subnet of it."""
    active = ActiveNodes(network.name, frozenset(used), frozenset(grace))
    cluster.settings = replace(cluster.settings, dynamic=True, active=(active,))
    cluster.members = tuple(
        member
        if active.has_rows(member.name)
        else member._replace(
            host_subnets={name: found for name, found in member.host_subnets.items() if name != network.name}
        )
        for member in FULL
    )


def rows_of(cluster: Cluster, network: Network, node: str) -> int:
    """How many rows of the network the database of the node's zone has."""
    with contextlib.closing(NorthboundStore(cluster.lab[node].zone.nb)) as store:
        return sum(network_of(row.columns) == network.name for row in store.read())


def talk(*pods: Pod) -> None:
    """Every pod reaches every other one, in both families."""
    for client in pods:
        for server in pods:
            if client is not server:
                for version in (4, 6):
                    client.machine.ping(server.ip(version))


@pytest.fixture
def cluster(ovn_lab: LabFactory, network: Network) -> Iterator[Cluster]:
    with wire.cluster(ovn_lab, FULL, [network], SERVICES) as made:
        use(made, network, *PAIR)
        yield made


@networks
def test_nodes_come_and_go_and_the_others_talk(cluster: Cluster, network: Network) -> None:
    first, second = wire.pods_on(cluster, network.name, (FIRST, SECOND)).values()
    talk(first, second)
    assert rows_of(cluster, network, THIRD) == 0
    # the first pod of a third node
    use(cluster, network, *PAIR, THIRD)
    third = cluster.pod(network.name, THIRD, 3)
    cluster.apply()
    talk(first, second, third)
    # its last pod ends: others forget the node at once, its own rows stay until the period is over
    del cluster.pods[third.machine.name]
    use(cluster, network, *PAIR, grace=(THIRD,))
    cluster.apply()
    assert rows_of(cluster, network, THIRD) > 0
    talk(first, second)
    wait_until(lambda: not first.machine.reaches(third.ip(4)), "that the third node is unreachable", 60.0)
    use(cluster, network, *PAIR)
    cluster.apply()
    assert rows_of(cluster, network, THIRD) == 0
    talk(first, second)


@networks
@pytest.mark.parametrize("version", [4, 6])
def test_a_node_port_is_answered_only_by_nodes_that_use_the_network(
    cluster: Cluster, network: Network, version: int
) -> None:
    """externalTrafficPolicy Cluster: a load balancer in front must ask other nodes, as the design warns."""
    server, _ = wire.pods_on(cluster, network.name, (FIRST, SECOND)).values()
    server.machine.serve("tcp", PORT)
    cluster.settings = replace(cluster.settings, balanced_services={network.name: (web(version, server),)})
    cluster.apply()
    addresses = {member.name: str(wire.spec_of(member).addresses[version == 6]).split("/")[0] for member in FULL}
    field = "nw_dst" if version == 4 else "ipv6_dst"

    def answered(node: str) -> set[str]:
        return set(crowd(cluster.lab.external, addresses[node], NODE_PORT, 4, 3.0).servers)

    take_in(cluster, network, SECOND, version, f"{field}={addresses[SECOND]},tp_dst={NODE_PORT}")
    wait_until(lambda: answered(SECOND) == {server.machine.name}, "answers by a node that uses it", 60.0)
    assert answered(THIRD) == {""}
    use(cluster, network, *PAIR, THIRD)
    cluster.apply()
    take_in(cluster, network, THIRD, version, f"{field}={addresses[THIRD]},tp_dst={NODE_PORT}")
    wait_until(lambda: answered(THIRD) == {server.machine.name}, "answers by a node that uses it now", 60.0)
