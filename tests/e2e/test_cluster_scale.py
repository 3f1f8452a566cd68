"""A large cluster with dynamic allocation: `tests.bench.cluster`, whose full size only a soak has."""

import pytest

from tests.bench.cluster import FULL, SMALL, Found, measure
from tests.support.soak import limit, sized
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

pytestmark = pytest.mark.timing

LEADER_MIB = 500
# The Lease takes one request a second; others would grow with the cluster.
REQUESTS = 3.0


@limit(600)
def test_a_node_renders_its_networks_only_and_a_burst_of_pods_is_taken(parts: Parts) -> None:
    need(parts, "ovn", "etcd", "kube-apiserver", "kwok")
    size, found = sized(SMALL, FULL), Found()
    print(*measure(size, found), sep="\n")
    assert found.rendered == len(found.latencies) == size.used
    assert found.rows * size.networks < 2 * found.rows_of_all * size.used
    assert 0 < found.requests < REQUESTS
    assert 0 < found.leader_peak < LEADER_MIB
