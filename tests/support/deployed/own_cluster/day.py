"""A day of a cluster: step after step, each of which ends with the same sentence (`health`), and a line about each."""

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tests.support.deployed.own_cluster import health
from tests.support.deployed.own_cluster.cluster import OwnCluster
from tests.support.deployed.own_cluster.watcher import Watcher


class Line(NamedTuple):
    """A step: its name, its seconds, and the slowest condition, from a change to True, with its seconds."""

    step: str
    seconds: float
    slowest: float
    condition: str

    def __str__(self) -> str:
        return f"{self.step:28} {self.seconds:6.1f} s, slowest condition {self.slowest:5.1f} s {self.condition}"


class Day:
    """The steps so far."""

    def __init__(self, cluster: OwnCluster) -> None:
        self.cluster, self.lines = cluster, list[Line]()
        self.failed = ""
        """The step that failed, after which no other begins."""

    @contextmanager
    def step(self, name: str, *, warnings: tuple[str, ...] = (), false: tuple[str, ...] = ()) -> Iterator[Any]:
        """What the block does is followed by the sentence.

        Args:
            name: of the step.
            warnings: reasons of Warning Events that the step may cause; any other fails it.
            false: types of conditions that the step may make False for long; any other that lasts fails it.
        """
        cluster, began, self.failed = self.cluster, time.monotonic(), name
        yield cluster
        cluster.settle()
        problems = [*health.problems(cluster), *_unexpected(cluster.watcher, began, warnings, false)]
        self.lines.append(Line(name, time.monotonic() - began, *cluster.watcher.slowest(began)))
        assert not problems, f"{name}:\n" + "\n".join(problems)
        self.failed = ""


def _unexpected(watcher: Watcher, began: float, warnings: Collection[str], false: Collection[str]) -> Iterator[str]:
    """Warnings and conditions that were not True for long, without those that a step lists."""
    yield from (str(each) for each in watcher.warned_since(began) if each.reason not in warnings)
    for text in watcher.failed_since(began):
        if not any(f" {kind}=" in text for kind in false):
            yield text
