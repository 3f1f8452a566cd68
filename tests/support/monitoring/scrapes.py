"""What Prometheus would have stored of real scrapes, as series on a timeline that a test lays out.

A state of a process is two scrapes of it. While the state lasts on the timeline, a gauge keeps its last number, a
counter grows as fast as between the two scrapes, and a time keeps its distance from the beginning of the state, because
the engine's clock begins at 0.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

INTERVAL: Final = 30
"""Seconds between two scrapes: that of deploy/components/monitoring."""
_MISSING: Final = "_"


@dataclass(frozen=True)
class Scrape:
    """The samples of one scrape ``at`` that time, by series; ``counters`` are those that only grow.

    ``families`` are the names of all metrics, also of those without a sample.
    """

    at: float
    samples: Mapping[tuple[str, tuple[tuple[str, str], ...]], float]
    counters: frozenset[str] = frozenset()
    families: frozenset[str] = frozenset()

    def value(self, name: str, **labels: str) -> float:
        """The sum of the samples of that name with these labels."""
        found = ((dict(own), value) for (own_name, own), value in self.samples.items() if own_name == name)
        return sum(value for own, value in found if labels.items() <= own.items())


@dataclass(frozen=True)
class State:
    """Two scrapes of one process in one state, or neither while it does not answer."""

    first: Scrape | None = None
    last: Scrape | None = None


DOWN: Final = State()


@dataclass(frozen=True)
class Target:
    """One process on the timeline: its labels, and its states with the numbers of scrapes that each lasts."""

    labels: Mapping[str, str]
    states: Sequence[tuple[State, int]]

    @property
    def length(self) -> int:
        """The number of all scrapes."""
        return sum(count for _, count in self.states)

    def series(self) -> dict[str, list[str]]:
        """The values of every series, one for each scrape."""
        keys = {key for state, _ in self.states if state.last is not None for key in state.last.samples}
        found = {_text(name, {**dict(labels), **self.labels}): self._values((name, labels)) for name, labels in keys}
        up = [str(int(state.last is not None)) for state, count in self.states for _ in range(count)]
        return {**found, _text("up", self.labels): up}

    def _values(self, key: tuple[str, tuple[tuple[str, str], ...]]) -> list[str]:
        values: list[str] = []
        total = None
        for state, count in self.states:
            if state.first is None or state.last is None or key not in state.last.samples:
                values += [_MISSING] * count
                continue
            last, begin = state.last.samples[key], len(values) * INTERVAL
            if key[0] not in state.last.counters:
                values += [repr(_moved(key[0], last, state.first.at, begin, step)) for step in range(count)]
                continue
            first = state.first.samples.get(key, 0.0)
            growth = max(0.0, last - first) / max(state.last.at - state.first.at, 1.0) * INTERVAL
            total = first if total is None else total
            for _ in range(count):
                values.append(repr(float(total)))
                total += growth
        return values


def _moved(name: str, value: float, since: float, begin: int, step: int) -> float:
    """A gauge on the timeline; ``since`` is the real time of its beginning there, ``begin``."""
    if name.endswith("_timestamp_seconds") and value:
        return value - since + begin
    return value + step * INTERVAL if name.endswith("_age_seconds") and value else value


def _text(name: str, labels: Mapping[str, str]) -> str:
    inner = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
    return f"{name}{{{inner}}}"


def parse(text: str, at: float) -> Scrape:
    """Read what a process exposes."""
    samples, counters = {}, set()
    families = frozenset(re.findall(r"^# TYPE (\S+) ", text, re.MULTILINE))
    for family in text_string_to_metric_families(text):
        for each in family.samples:
            # the parser gives every counter the suffix that those of API servers lack
            bare = each.name.removesuffix("_total")
            name = bare if family.type == "counter" and bare in families else each.name
            samples[name, tuple(sorted(each.labels.items()))] = each.value
            if family.type in ("counter", "histogram") and not name.endswith("_created"):
                counters.add(name)
    return Scrape(at, samples, frozenset(counters), families)


def scrape(port: int) -> Scrape:
    """Scrape a process over HTTP."""
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        return parse(answer.read().decode(), time.time())


def settled(
    read: Callable[[], Scrape],
    holds: Callable[[Scrape], bool] = lambda _: True,
    grows: Callable[[Scrape], float] | None = None,
) -> State:
    """The state in which ``holds`` is true; with ``grows``, the second scrape follows when that number has grown."""
    first = _await(read, holds)
    start = first.at
    before = 0.0 if grows is None else grows(first)
    last = _await(read, lambda now: now.at - start >= 1.0 and holds(now) and (grows is None or grows(now) > before))
    return State(first, last)


def _await(read: Callable[[], Scrape], done: Callable[[Scrape], bool]) -> Scrape:
    end = time.monotonic() + 60
    while True:
        try:
            found = read()
        except OSError:
            found = None
        if found is not None and done(found):
            return found
        if time.monotonic() > end:
            numbers = {} if found is None else {key: value for key, value in found.samples.items() if value}
            raise AssertionError(f"no such scrape in 60 s; the last one has {numbers}")
        time.sleep(0.2)
