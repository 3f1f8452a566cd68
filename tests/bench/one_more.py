"""One more network in a cluster that has many: `python -m tests.bench.one_more [NETWORKS...]`.

Processor time of the whole zone process and of the whole leader, from the creation of a Namespace and a network until
both rest. API server, leader, zone and Northbound database are real, northd is stopped; three nodes, no pods.
"""

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tests.bench import cluster_objects as objects
from tests.bench.cluster_bed import Cluster, Size, memory, seconds
from tests.testbed.process import Child, wait_until

COUNTS: Final = (40, 300, 1000)
MORE: Final = 6
"""How many networks are added, one after the other: half of each topology."""
WAIT: Final = 240.0
_NODES: Final = 3
_QUIET: Final = 2.0
_IDLE: Final = 0.1
"""Seconds of processor time in `_QUIET` seconds: less is no work."""


def measure(counts: Sequence[int] = COUNTS) -> Iterator[str]:
    """Yield one line a number of networks."""
    spent = {}
    for count in counts:
        size = Size(networks=count, nodes=_NODES, users=0, used=0, burst=0, seconds=0.0)
        with tempfile.TemporaryDirectory() as folder, Cluster(size, Path(folder)) as cluster:
            zone, leader, cold = _begin(cluster)
            before = seconds(zone), seconds(leader)
            for index in range(count, count + MORE):
                _add(cluster, index, zone, leader)
            each = [(after - one) / MORE for after, one in zip((seconds(zone), seconds(leader)), before, strict=True)]
            spent[count] = each[0]
            yield (
                f"{count} networks: one more network, whole process: zone {each[0] * 1e3:.0f} ms, "
                f"leader {each[1] * 1e3:.0f} ms; start of the zone {cold:.1f} s, {memory(zone, 'VmHWM'):.0f} MiB"
            )
    if len(counts) > 1:
        first, last = counts[0], counts[-1]
        yield f"one more of {last}: {spent[last] / spent[first]:.2f} x the processor time of one more of {first}"


def _begin(cluster: Cluster) -> tuple[Child, Child, float]:
    """The zone and the leader at rest, and the processor time of the zone until then."""
    count = cluster.size.networks
    cluster.create(objects.OPERATOR, [objects.operator()])
    cluster.create(objects.NODES, map(objects.node, range(1, _NODES + 1)))
    cluster.create(objects.NAMESPACES, map(objects.namespace, range(count)))
    cluster.create(objects.CUDNS, map(objects.network, range(count)))
    leader, _ = cluster.lead()
    zone, _ = cluster.render()
    wait_until(lambda: len(cluster.rendered()) >= count, "rows of all networks", WAIT, [leader, zone])
    _rest(cluster, zone, leader)
    return zone, leader, seconds(zone)


def _add(cluster: Cluster, index: int, zone: Child, leader: Child) -> None:
    name = objects.network_name(index)
    cluster.create(objects.NAMESPACES, [objects.namespace(index)])
    cluster.create(objects.CUDNS, [objects.network(index)])
    wait_until(lambda: name in cluster.rendered(), f"rows of {name}", WAIT, [leader, zone])
    _rest(cluster, zone, leader)


def _rest(cluster: Cluster, zone: Child, leader: Child) -> None:
    def rests() -> bool:
        before = seconds(zone) + seconds(leader)
        return cluster.rests(_QUIET) and seconds(zone) + seconds(leader) - before < _IDLE

    wait_until(rests, "the end of all work", WAIT, [zone, leader])


def main() -> None:
    """Print the lines."""
    began = time.monotonic()
    for line in measure(tuple(map(int, sys.argv[1:])) or COUNTS):
        print(line, flush=True)
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
