"""The lanes of a no-overlay user-defined network, dual stack.

This needs no VRF device: FRR cannot learn routes for a network's own table where the kernel has none, so that the test
places them, and FRR only reads the planned files.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from tests.support.lab.wire import LabFactory, Pod
from tests.support.lab.wire_bgp import place_routes, tell_outside, ways_to
from tests.support.lab.wire_hosted import HostedCluster, hosted_cluster
from tests.support.lab.wire_lanes import NODES, SETTINGS, Lane, assert_east_west, assert_north_south, lanes
from tests.support.plan_scenarios import LAYER3_BOTH
from tests.testbed.parts import Parts
from validators.network.model import Routing

NETWORK = LAYER3_BOTH.name


@pytest.fixture
def cluster(ovn_lab: LabFactory, parts: Parts, lane: Lane) -> Iterator[HostedCluster]:
    with hosted_cluster(ovn_lab, parts, lane.members, lane.networks, SETTINGS) as made:
        made.settings = replace(SETTINGS, imported_routes=ways_to(made, NETWORK))
        yield made


@pytest.fixture
def pods(cluster: HostedCluster) -> Mapping[str, Pod]:
    """A pod on every node, when the nodes know the ways."""
    made = {node: cluster.pod(NETWORK, node, at) for at, node in enumerate(NODES, 1)}
    cluster.apply()
    place_routes(cluster)
    return made


@pytest.mark.parametrize("lane", lanes(NETWORK, *Routing), ids=str)
def test_lane(cluster: HostedCluster, pods: Mapping[str, Pod], lane: Lane) -> None:
    tell_outside(cluster, NETWORK)
    assert_east_west(cluster, pods)
    assert_north_south(cluster, pods, snat=lane.snat)
