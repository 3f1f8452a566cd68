"""The resident memory of ovnguard's processes over a long time."""

import os
import time
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Final

from tests.bench.cluster_bed import memory
from tests.support.deployed.own_cluster.cluster import OwnCluster

WARM_UP: Final = 300.0
"""Seconds in which a process takes what it needs."""
LONG: Final = 900.0
"""Seconds of samples, after the warm-up, from which growth is told."""


class Memory:
    """Samples in MiB by process: name and id."""

    def __init__(self) -> None:
        self.samples: dict[tuple[str, int], list[tuple[float, float]]] = {}

    def sample(self, cluster: OwnCluster) -> None:
        """Look at every process once; the webhook's workers count with the process that started them."""
        now = time.monotonic()
        found = {(name, child.pid): [child.pid] for name, child in cluster.processes.children.items()}
        found |= {(f"webhook-{each.folder.name}", each.pid): _group(each.pid) for each in cluster.replicas}
        for key, pids in found.items():
            self.samples.setdefault(key, []).append((now, sum(memory(pid, "VmRSS") for pid in pids)))

    def growth(self) -> dict[str, tuple[float, float]]:
        """The MiB of the first and the last third of each process that lived long enough, after its warm-up."""
        found = {}
        for (name, pid), samples in self.samples.items():
            warm = [(at, size) for at, size in samples if at >= samples[0][0] + WARM_UP]
            if len(warm) >= 6 and warm[-1][0] - warm[0][0] >= LONG:
                third = len(warm) // 3
                sizes = [size for _, size in warm]
                found[f"{name} ({pid})"] = median(sizes[:third]), median(sizes[-third:])
        return found


def _group(leader: int) -> list[int]:
    """The processes of a group."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(ProcessLookupError):
            if entry.name.isdigit() and os.getpgid(int(entry.name)) == leader:
                found.append(int(entry.name))
    return found
