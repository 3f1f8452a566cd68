"""A leader and one node's zone in a large cluster with dynamic allocation: `python -m tests.bench.cluster [small]`.

API server, leader, zone and Northbound database are real. A real kwok plays the kubelets: nodes have Leases and
heartbeats, and pods run. northd is stopped: it would take most of the processors. The processors also serve the API
server and kwok, and create the pods.
"""

import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.row_groups import groups_of
from ovnguard.reconciler.plan.rows.settings import Settings
from tests.bench import allocation
from tests.bench import cluster_objects as objects
from tests.bench.cluster_bed import Cluster, Size, memory, seconds, text_of
from tests.bench.first_rows import FirstRows, shares
from tests.testbed.process import Child, wait_until

WAIT: Final = 240.0
LIMIT: Final = 900
"""Seconds of one step, and of a whole run."""
_ACTIVE: Final = re.compile(r"^ovnk_reconcile_udn_active_nodes\{.*\} (\S+)$", re.MULTILINE)
_IDLE: Final = 0.3
"""Seconds of processor time in two seconds: less is no work."""


FULL: Final = Size(networks=1000, nodes=500, users=20, used=200, burst=5000, seconds=60.0)
SMALL: Final = Size(networks=50, nodes=20, users=4, used=10, burst=100, seconds=5.0, quiet=4.0)


@dataclass(slots=True)
class Found:
    """The figures: seconds, MiB, rows, requests a second."""

    lines: list[str] = field(default_factory=list)
    rendered: int = 0
    rows: int = 0
    rows_of_all: int = 0
    latencies: list[float] = field(default_factory=list)
    heartbeats: int = 0
    requests: float = 0.0
    leader_peak: float = 0.0
    zone_peak: float = 0.0


def measure(size: Size, found: Found) -> Iterator[str]:
    """Yield one line a figure."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Cluster(size, Path(folder), "--enable-dynamic-udn-allocation") as cluster,
    ):
        leader, leader_port = yield from _begin(cluster)
        others = [(index, number) for number in range(2, size.users + 1) for index in _used(size, number)]
        seconds = cluster.start_pods(others)
        _until_counted(cluster, leader_port, leader)
        yield f"{len(others)} pods on {size.users - 1} other nodes, created in {seconds:.0f} s"
        zone, zone_port = cluster.render()
        wait_until(lambda: _ready(zone_port), "the zone", WAIT, [zone, leader])
        yield _process("zone that renders no network", zone)
        yield from _first_pods(cluster, found, zone)
        yield _process(f"zone that renders {found.rendered} networks", zone)
        yield _process("leader", leader)
        yield from _quiet(cluster, found, zone, leader)
        yield from _burst(cluster, zone, leader, leader_port)
        found.zone_peak, found.leader_peak = memory(zone, "VmHWM"), memory(leader, "VmHWM")
        yield _process("zone, at the end", zone)
        yield _process("leader, at the end", leader)
    if size is FULL:
        yield from allocation.large()
    yield f"load at the end: {os.getloadavg()[0]:.1f}"


def _begin(cluster: Cluster) -> Generator[str, None, tuple[Child, int]]:
    size, began = cluster.size, time.monotonic()
    cluster.create(objects.OPERATOR, [objects.operator()])
    cluster.create(objects.NODES, map(objects.node, range(1, size.nodes + 1)))
    cluster.create(objects.NAMESPACES, map(objects.namespace, range(size.networks)))
    cluster.create(objects.CUDNS, map(objects.network, range(size.networks)))
    created = time.monotonic() - began
    leader, port = cluster.lead()
    began = time.monotonic()

    def allocated(path: str, key: str) -> bool:
        items = cluster.api.request("GET", path)[1]["items"]
        return all(key in item["metadata"].get("annotations", {}) for item in items)

    wait_until(lambda: cluster.statuses() >= size.nodes, "statuses of nodes", WAIT, [cluster.kwok])
    wait_until(lambda: allocated(objects.NODES, "k8s.ovn.org/node-id"), "ids of nodes", WAIT, [leader])
    wait_until(lambda: allocated(objects.CUDNS, "ovnguard.io/network-id"), "ids of networks", WAIT, [leader])
    yield (
        f"{size.nodes} nodes, {size.networks} networks created in {created:.0f} s, numbers of all after "
        f"{time.monotonic() - began:.1f} s"
    )
    return leader, port


def _used(size: Size, number: int) -> list[int]:
    """The networks that one of the first nodes uses: consecutive ones, nodes evenly spread."""
    first = (number - 1) * size.networks // size.users
    return [(first + each) % size.networks for each in range(size.used)]


def _first_pods(cluster: Cluster, found: Found, zone: Child) -> Iterator[str]:
    """The measured node begins to use one network after the other."""
    size = cluster.size
    rows = FirstRows(cluster, _used(size, 1))
    for index in rows.indexes:
        began = time.monotonic()
        cluster.start_pod(index, 1)
        while time.monotonic() < began + 1 / size.rate:
            rows.look()
            time.sleep(0.01)
    wait_until(rows.complete, "rows of all networks of the node", WAIT, [zone])
    found.latencies = rows.seconds()
    found.rendered, found.rows = len(cluster.rendered()), cluster.rows()
    found.rows_of_all = rows_of_all(size)
    yield (
        f"from a pod's creation to the rows of its network, {size.used} networks at {size.rate:.0f} a second: "
        f"{shares(found.latencies)}; Layer2 {shares(rows.seconds(0))}; Layer3 {shares(rows.seconds(1))}"
    )
    yield (
        f"rows of the node: {found.rows:,}, of {found.rendered} networks; "
        f"without dynamic allocation {found.rows_of_all:,}, of {size.networks}"
    )


def rows_of_all(size: Size) -> int:
    """The rows of a node that renders all networks on all nodes, from a plan of 20 of the networks."""
    planned = min(20, size.networks)
    declared = allocation.networks(planned)
    members = allocation.nodes(size.nodes, declared, None)
    rows = make_plan(declared, members, Settings(), (objects.node_name(1),)).zones[0].rows
    shared = len(groups_of(rows)[""])
    return shared + (len(rows) - shared) * size.networks // planned


def _quiet(cluster: Cluster, found: Found, zone: Child, leader: Child) -> Iterator[str]:
    # conditions and Events of the changes before are written one after the other

    def rests() -> bool:
        before = seconds(zone) + seconds(leader)
        return cluster.rests(2.0) and seconds(zone) + seconds(leader) - before < _IDLE

    wait_until(rests, "the end of all work", WAIT, [zone, leader])
    quiet = cluster.size.quiet
    before, statuses, asked = (seconds(zone), seconds(leader)), cluster.statuses(), cluster.requests()
    time.sleep(quiet)
    spent = seconds(zone) - before[0], seconds(leader) - before[1]
    found.heartbeats, kinds = cluster.statuses() - statuses, cluster.requests() - asked
    found.requests = kinds.total() / quiet
    most = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(4))
    yield (
        f"nothing changes for {quiet:.0f} s but {found.heartbeats} heartbeats of nodes: {found.requests:.2f} requests "
        f"a second of leader and zone ({most}); CPU {spent[0]:.2f} s zone, {spent[1]:.2f} s leader"
    )


def _burst(cluster: Cluster, zone: Child, leader: Child, port: int) -> Iterator[str]:
    """Many pods start on nodes that do not use their networks yet: each node begins to use as many."""
    size = cluster.size
    each = size.burst // size.nodes
    first = {number: _used(size, number)[-1] + 1 if number <= size.users else number * each for number in _all(size)}
    places = [((first[number] + more) % size.networks, number) for more in range(each) for number in _all(size)]
    rows = FirstRows(cluster, [index for index, number in places if number == 1])
    most, due = 0, 0.0

    def look() -> None:
        nonlocal most, due
        rows.look()
        if time.monotonic() >= due:
            most, due = max(most, len(cluster.started) - _counted(port)), time.monotonic() + 1

    before, cpu = cluster.requests(), (seconds(zone), seconds(leader))
    peaks = memory(zone, "VmHWM"), memory(leader, "VmHWM")
    took = cluster.start_pods(places, size.seconds, look)
    began = time.monotonic()
    wait_until(rows.complete, "the node's new networks", WAIT, [zone, leader])
    last = time.monotonic() - began
    _until_counted(cluster, port, leader)
    counting = time.monotonic() - began
    wait_until(lambda: cluster.running() == len(cluster.started), "all pods run", WAIT, [cluster.kwok])
    ours = (cluster.requests() - before).total()
    yield (
        f"{len(places)} pods in {took:.0f} s on {size.nodes} nodes, all new there: rows of the measured node after "
        f"{shares(rows.seconds())}, {last:.1f} s after the last pod"
    )
    yield (
        f"the leader was at most {most} pods behind, and had counted all {counting:.1f} s after the last; "
        f"{ours} requests of leader and zone; "
        f"CPU {seconds(zone) - cpu[0]:.0f} s zone, {seconds(leader) - cpu[1]:.0f} s leader; "
        f"memory grew by {memory(zone, 'VmHWM') - peaks[0]:.0f} and {memory(leader, 'VmHWM') - peaks[1]:.0f} MiB"
    )


def _all(size: Size) -> range:
    return range(1, size.nodes + 1)


def _until_counted(cluster: Cluster, port: int, leader: Child) -> None:
    """Wait until the leader has seen every use of a network by a node."""
    wait_until(lambda: _counted(port) == len(cluster.started), "the count of all uses", WAIT, [leader])


def _counted(port: int) -> int:
    return int(sum(map(float, _ACTIVE.findall(text_of(port, "/metrics")))))


def _ready(port: int) -> bool:
    try:
        return bool(text_of(port, "/readyz"))
    except OSError:
        return False


def _process(what: str, child: Child) -> str:
    return f"{what}: {memory(child, 'VmRSS'):.0f} MiB, at most {memory(child, 'VmHWM'):.0f}; CPU {seconds(child):.1f} s"


def main() -> None:
    """Print the lines; a run that takes too long ends with an error."""
    signal.alarm(LIMIT)
    size = SMALL if sys.argv[1:] == ["small"] else FULL
    print(f"load before: {os.getloadavg()[0]:.1f}", flush=True)
    for line in measure(size, Found()):
        print(line, flush=True)


if __name__ == "__main__":
    main()
