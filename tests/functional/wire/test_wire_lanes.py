"""The lanes of a no-overlay default network, dual stack, with routes that FRR learns from the planned files.

FRR runs on the hosts of the nodes; what it brings into their kernels is what the plan imports into OVN.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.lab.wire import LabFactory, Pod
from tests.support.lab.wire_bgp import Speakers, learn_from_kernels, speakers, tell_outside, ways_to
from tests.support.lab.wire_hosted import HostedCluster, hosted_cluster
from tests.support.lab.wire_lanes import NODES, Lane, assert_east_west, assert_north_south, lanes
from tests.support.plan_samples import SERVICES
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts
from validators.network.model import DEFAULT_NETWORK, Routing


@pytest.fixture
def cluster(ovn_lab: LabFactory, parts: Parts, lane: Lane, tmp_path: Path) -> Iterator[HostedCluster]:
    need(parts, "frr")
    with hosted_cluster(ovn_lab, parts, lane.members, lane.networks, SERVICES) as made:
        yield made


@pytest.fixture
def running(cluster: HostedCluster, parts: Parts, tmp_path: Path) -> Iterator[Speakers]:
    """FRR on all nodes, with the planned files."""
    with speakers(parts, tmp_path) as made:
        confs = {zone.node: zone.frr for zone in cluster.plan().zones}
        made.start(confs, {node: cluster.lab[node].namespace for node in NODES})
        yield made


@pytest.fixture
def pods(cluster: HostedCluster, running: Speakers) -> Mapping[str, Pod]:
    """A pod on every node, when the nodes have learned the ways."""
    made = {node: cluster.pod(DEFAULT_NETWORK, node, at) for at, node in enumerate(NODES, 1)}
    cluster.apply()
    learn_from_kernels(cluster, ways_to(cluster, DEFAULT_NETWORK))
    return made


@pytest.mark.parametrize("lane", lanes(DEFAULT_NETWORK, Routing.MANAGED), ids=str)
def test_lane(cluster: HostedCluster, pods: Mapping[str, Pod], lane: Lane) -> None:
    # the mesh ends at the nodes: somebody else tells the outside
    tell_outside(cluster, DEFAULT_NETWORK)
    assert_east_west(cluster, pods)
    assert_north_south(cluster, pods, snat=lane.snat)
