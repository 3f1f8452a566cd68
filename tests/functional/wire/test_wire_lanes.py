"""The lanes of a no-overlay default network, dual stack, with routes that FRR learns from the planned files.

FRR runs on the hosts of the nodes; what it brings into their kernels is what the plan imports into OVN.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import DEFAULT_NETWORK, Routing
from tests.support.lab.wire import LabFactory, Pod
from tests.support.lab.wire_bgp import Speakers, learn_from_kernels, speakers, tell_outside, ways_to
from tests.support.lab.wire_hosted import HostedCluster, hosted_cluster
from tests.support.lab.wire_lanes import EDGE_ROUTER, NODES, Lane, assert_east_west, assert_north_south, lanes
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until


@pytest.fixture
def cluster(ovn_lab: LabFactory, parts: Parts, lane: Lane, tmp_path: Path) -> Iterator[HostedCluster]:
    need(parts, "frr")
    with hosted_cluster(ovn_lab, parts, lane.members, lane.networks, lane.settings) as made:
        yield made


@pytest.fixture
def running(cluster: HostedCluster, parts: Parts, lane: Lane, tmp_path: Path) -> Iterator[Speakers]:
    """FRR on all nodes, and outside where nodes have no sessions with each other."""
    with speakers(parts, tmp_path) as made:
        confs = {zone.node: zone.frr for zone in cluster.plan().zones}
        made.start(confs, {node: cluster.lab[node].namespace for node in NODES})
        if lane.routing is Routing.UNMANAGED:
            made.start({"router": router_conf(cluster.members)}, {"router": cluster.lab.external.namespace})
        yield made


@pytest.fixture
def pods(cluster: HostedCluster, running: Speakers) -> Mapping[str, Pod]:
    """A pod on every node, when the nodes have learned the ways."""
    made = {node: cluster.pod(DEFAULT_NETWORK, node, at) for at, node in enumerate(NODES, 1)}
    cluster.apply()
    learn_from_kernels(cluster, ways_to(cluster, DEFAULT_NETWORK))
    return made


@pytest.mark.parametrize("lane", lanes(DEFAULT_NETWORK, *Routing), ids=str)
def test_lane(cluster: HostedCluster, pods: Mapping[str, Pod], running: Speakers, lane: Lane) -> None:
    if lane.routing is Routing.MANAGED:
        # the mesh ends at the nodes: somebody else tells the outside
        tell_outside(cluster, DEFAULT_NETWORK)
    else:
        shares = {str(share) for member in cluster.members for share in member.host_subnets[DEFAULT_NETWORK]}
        router = running.frr["router"]
        wait_until(lambda: {*router.bgp_routes("-4"), *router.bgp_routes("-6")} == shares, "routes outside", 60)
    assert_east_west(cluster, pods)
    assert_north_south(cluster, pods, snat=lane.snat)


def router_conf(members: Sequence[Node]) -> str:
    """A router that reflects what nodes announce, and uses it."""
    addresses = [address for member in members for address in member.internal_ips]
    lines = [
        "frr defaults traditional",
        "router bgp 64512",
        f" bgp router-id {EDGE_ROUTER[0]}",
        " no bgp default ipv4-unicast",
    ]
    lines += [f" neighbor {address} remote-as 64512" for address in addresses]
    for version in (4, 6):
        lines.append(f" address-family ipv{version} unicast")
        for address in addresses:
            if address.version == version:
                lines += [f"  neighbor {address} {what}" for what in ("activate", "route-reflector-client")]
        lines.append(" exit-address-family")
    return "\n".join([*lines, "exit", ""])
