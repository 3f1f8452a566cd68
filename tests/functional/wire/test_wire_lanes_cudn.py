"""The lanes of a no-overlay user-defined network, dual stack.

This needs no VRF device: FRR cannot learn routes for a network's own table where the kernel has none, so that the test
places them, and FRR only reads the planned files.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from ovnguard.reconciler.plan.planner import Plan
from ovnguard.validators.network.model import Routing
from tests.support.lab.wire import LabFactory, Pod
from tests.support.lab.wire_bgp import place_routes, tell_outside, ways_to
from tests.support.lab.wire_hosted import HostedCluster, hosted_cluster
from tests.support.lab.wire_lanes import NODES, Lane, assert_east_west, assert_north_south, lanes
from tests.support.plan_scenarios import LAYER3_BOTH
from tests.testbed import frr_daemons
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

NETWORK, VRF = LAYER3_BOTH.name, "l3-dual"


@pytest.fixture
def cluster(ovn_lab: LabFactory, parts: Parts, lane: Lane) -> Iterator[HostedCluster]:
    need(parts, "frr")
    with hosted_cluster(ovn_lab, parts, lane.members, lane.networks, lane.settings) as made:
        made.settings = replace(lane.settings, imported_routes=ways_to(made, NETWORK))
        yield made


@pytest.fixture
def pods(cluster: HostedCluster) -> Mapping[str, Pod]:
    """A pod on every node, when the nodes know the ways."""
    made = {node: cluster.pod(NETWORK, node, at) for at, node in enumerate(NODES, 1)}
    cluster.apply()
    place_routes(cluster)
    return made


def assert_announced(plan: Plan, cluster: HostedCluster, parts: Parts) -> None:
    """FRR reads every file, which announces the network's subnets in the default VRF and imports those of others."""
    assert {result.condition.reason for result in plan.routing.results} == {"Accepted"}
    for zone in plan.zones:
        assert frr_daemons.check(zone.frr, parts.frr) == []
        for share in cluster.node(zone.node).host_subnets[NETWORK]:
            assert f"    network {share}\n" in zone.frr
        for line in (f"    import vrf {VRF}\n", f"router bgp 64512 vrf {VRF}\n", "    import vrf default\n"):
            assert zone.frr.count(line) >= 1, line


@pytest.mark.parametrize("lane", lanes(NETWORK, *Routing), ids=str)
def test_lane(cluster: HostedCluster, pods: Mapping[str, Pod], lane: Lane, parts: Parts) -> None:
    assert_announced(cluster.plan(), cluster, parts)
    tell_outside(cluster, NETWORK)
    assert_east_west(cluster, pods)
    assert_north_south(cluster, pods, snat=lane.snat)
