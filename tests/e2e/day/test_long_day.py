"""A long day: random steps and kills for an hour, and no process grows. OVNGUARD_DAY_SEED repeats the steps of a run,
OVNGUARD_DAY_MINUTES makes it shorter.
"""

import os
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.deployed.own_cluster import day_steps as steps
from tests.support.deployed.own_cluster.cluster import OwnCluster
from tests.support.deployed.own_cluster.day import Day
from tests.support.deployed.own_cluster.memory import Memory
from tests.support.soak import soak_only
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

MINUTES: Final = float(os.environ.get("OVNGUARD_DAY_MINUTES", "60"))
SEED: Final = int(os.environ.get("OVNGUARD_DAY_SEED") or random.SystemRandom().randrange(10**6))
GROWTH: Final = 16.0
"""MiB by which the resident memory of a process may grow after its warm-up."""
Act = Callable[[OwnCluster], None]

# None of these ends a process of ovnguard.
QUIET: Final[dict[str, Act]] = {
    "network deleted, made again": steps.replace_network,
    "API server restarts": steps.restart_api_server,
    **{f"database of {name} restarts": partial(steps.restart_database, node=name) for name in steps.NODE_NAMES},
}
KILLS: Final[dict[str, Act]] = {
    "leader and zone killed": steps.kill_leader_and_zone,
    "webhook upgraded": steps.upgrade_webhook,
    "certificate rotated": steps.rotate_certificate,
}
BEGINNING: Final[dict[str, Act]] = {
    "installation": steps.install,
    "networks": steps.declare_networks,
    "pods and services": steps.run_pods,
}
MAY_CAUSE: Final[dict[Act, dict[str, tuple[str, ...]]]] = {
    steps.install: steps.STARTING,
    steps.node_joins: steps.STARTING,
    steps.declare_networks: steps.DECLARING,
    steps.replace_network: steps.DECLARING,
}


@pytest.fixture
def day(parts: Parts, netns_allowed: None, tmp_path: Path) -> Iterator[Day]:
    need(parts, "ovn", "tools", "frr", "etcd", "kube-apiserver", "kube-controller-manager", "kwok")
    with OwnCluster(parts, steps.MACHINES, tmp_path) as cluster:
        yield Day(cluster)


def acts(seed: int, seconds: float, clock: Callable[[], float]) -> Iterator[tuple[str, Act]]:
    """Random steps until the time is over; kills in its first half alone, so that processes live long in the second."""
    chosen, began, joined = random.Random(seed), clock(), False
    while (passed := clock() - began) < seconds:
        node = ("node leaves", steps.node_leaves) if joined else ("node joins", steps.node_joins)
        possible = [*QUIET.items(), node, *(KILLS.items() if passed < seconds / 2 else ())]
        name, act = chosen.choice(possible)
        joined ^= name == node[0]
        yield name, act


@soak_only
def test_random_steps_and_kills_for_an_hour(day: Day, record_property: Callable[[str, Any], None]) -> None:
    print(f"OVNGUARD_DAY_SEED={SEED}")
    memory = Memory()
    for name, act in chain(BEGINNING.items(), acts(SEED, MINUTES * 60, time.monotonic)):
        with day.step(name, **MAY_CAUSE.get(act, {})) as cluster:
            act(cluster)
        memory.sample(day.cluster)
        print(day.lines[-1], flush=True)
    grown = memory.growth()
    for name, (first, last) in grown.items():
        line = f"{name}: {first:.1f} MiB after the warm-up, {last:.1f} MiB at the end"
        print(line)
        record_property("shown", line)
    slowest = max(day.lines, key=lambda line: line.slowest)
    record_property("shown", f"seed {SEED}, {len(day.lines)} steps; {slowest}")
    assert {name: sizes for name, sizes in grown.items() if sizes[1] - sizes[0] > GROWTH} == {}
