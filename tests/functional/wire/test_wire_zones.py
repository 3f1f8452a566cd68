"""Three nodes leave a global zone one by one, each for a zone of its own, while their pods talk to each other.

`pytest -s` prints what docs/benchmarks.md quotes.
"""

import contextlib
from collections.abc import Iterator, Mapping
from itertools import permutations
from pathlib import Path

import pytest

from tests.support.lab import wire
from tests.support.lab.global_zone import GlobalZone
from tests.support.lab.wire import Cluster, LabFactory
from tests.support.lab.wire_losses import INTERVAL, Loss, Traffic, losses, pings
from tests.support.plan_samples import SERVICES, nodes
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT
from tests.testbed.ovn import OvnZone
from tests.testbed.parts import Parts

pytestmark = pytest.mark.timing

MEMBERS = nodes(3, v6=True)
NODES = tuple(member.name for member in MEMBERS)
# Far more than was ever lost, far less than a machine under load needs to answer at all.
MOST_LOST = int(30 / INTERVAL)
ONE_SECOND = int(1 / INTERVAL)
Way = tuple[str, str, int]


@pytest.fixture
def cluster(ovn_lab: LabFactory) -> Iterator[Cluster]:
    with wire.cluster(ovn_lab, MEMBERS, [DUAL_OVERLAY_DEFAULT], SERVICES) as made:
        yield made


@pytest.fixture
def shared(cluster: Cluster, parts: Parts, tmp_path: Path) -> Iterator[GlobalZone]:
    """The zone that all nodes are in, with a pod on each of them."""
    for number, node in enumerate(NODES, 1):
        cluster.pod(DUAL_OVERLAY_DEFAULT.name, node, number)
    with OvnZone("global", tmp_path, parts.ovn) as zone:
        made = GlobalZone(zone, cluster)
        made.take_in(cluster.pods.values())
        yield made


def traffic_of(cluster: Cluster, stack: contextlib.ExitStack) -> Mapping[Way, Traffic]:
    """Echo requests of every pod to every other one."""
    pods = {pod.port.node: pod for pod in cluster.pods.values()}
    ways = [(*ends, version) for ends in permutations(pods, 2) for version in (4, 6)]
    return {way: stack.enter_context(pings(pods[way[0]].machine, pods[way[1]].ip(way[2]))) for way in ways}


def print_losses(step: str, found: Mapping[Way, Loss]) -> None:
    for (source, target, version), loss in found.items():
        print(f"{step:34} {source} to {target} v{version} {loss.lost:4} of {loss.sent:4} {loss.silence * 1000:6.0f} ms")
    assert {way: loss for way, loss in found.items() if loss.lost > MOST_LOST} == {}


def test_nodes_leave_the_global_zone_one_by_one(cluster: Cluster, shared: GlobalZone) -> None:
    with contextlib.ExitStack() as stack:
        traffic = traffic_of(cluster, stack)
        for node in NODES:
            cluster.write(node)
            cluster.lab[node].zone.wait_sb()
            print_losses(f"the zone of {node} is written", losses(traffic))
            cluster.lab[node].follow(cluster.lab[node].zone)
            shared.see_as_remote(node)
            cluster.lab[node].wait()
            found = losses(traffic)
            print_losses(f"{node} has a zone of its own", found)
            # the others stay where they are; a machine under load may still drop a packet of theirs
            assert {way: loss for way, loss in found.items() if node not in way and loss.lost > ONE_SECOND} == {}
    assert shared.zone.nbctl("ls-list").count("\n") == 1
