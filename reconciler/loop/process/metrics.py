"""The metrics of every process of the reconciler, with Prometheus' client; a registry has those of one process.

What belongs to one command is in the module next to what it counts, and takes the registry; without one it is exposed
nowhere. Units are base units, times are seconds since 1970. Every label has few values; only those of ``network_name``
are chosen by users. Source of the conventions: Prometheus, "Metric and label naming" and "Instrumentation"; of
``api_requests_total`` client-go's ``rest_client_requests_total``.
"""

import platform
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from typing import Final

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from ovnguard.reconciler.loop.process.lease import Elector
from ovnguard.validators.cluster.watch_failures import WatchFailure

PREFIX: Final = "ovnk_reconcile"
BUCKETS: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
PASS_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, *BUCKETS)
OK: Final = "ok"
FAILED: Final = "failed"
WAITING: Final = "waiting"
"""The result of a pass that had nothing to work on: the first lists are not complete."""


class Metrics:
    """Counts in this process. A thread of its own reads them."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        Gauge(
            "ovnguard_build_info",
            "1; the labels are the release and the version of Python.",
            ("version", "python_version"),
            registry=self.registry,
        ).labels(version("ovnguard"), platform.python_version()).set(1)
        self._passes = Counter(
            f"{PREFIX}_passes", "Comparisons of what is with what should be.", ("result",), registry=self.registry
        )
        self._seconds = Histogram(
            f"{PREFIX}_pass_duration_seconds", "Duration of a pass.", buckets=PASS_BUCKETS, registry=self.registry
        )
        # An increase is seen only of what was there before.
        for result in (OK, FAILED, WAITING):
            self._passes.labels(result)

    def passed(self, result: str, seconds: float) -> None:
        """Count a pass that took ``seconds``; ``result`` is `OK`, `FAILED` or `WAITING`."""
        self._passes.labels(result).inc()
        self._seconds.observe(seconds)

    def follow_queue(self, depth: Callable[[], int]) -> None:
        """Read at every scrape how many events wait for the next pass."""
        gauge = Gauge(f"{PREFIX}_queue_depth", "Events that wait for the next pass.", registry=self.registry)
        gauge.set_function(depth)

    def follow_lease(self, lease: str, elector: Elector | None) -> None:
        """Read at every scrape whether this process leads by the Lease of the name ``lease``, if it needs one."""
        if elector is None:
            return
        gauge = Gauge(f"{PREFIX}_leader", "1 while this process leads, else 0.", ("lease",), registry=self.registry)
        gauge.labels(lease).set_function(elector.leading)

    def follow_requests(self, counts: Callable[[], Mapping[tuple[str, str], int]]) -> None:
        """Read at every scrape how often the API server was asked, by method and status code."""
        self.registry.register(_RequestMetrics(counts))

    def follow_watches(
        self, counts: Callable[[], Mapping[str, int]], failing: Callable[[], Iterable[WatchFailure]]
    ) -> None:
        """Read at every scrape how often resources could not be watched, and which watches make the process unready."""
        self.registry.register(_WatchMetrics(counts, failing))

    def exposition(self) -> tuple[str, bytes]:
        """Return the content type and text of all metrics."""
        return CONTENT_TYPE_LATEST, generate_latest(self.registry)


class _RequestMetrics(Collector):
    """The requests of all threads: the client counts, and a scrape asks."""

    def __init__(self, counts: Callable[[], Mapping[tuple[str, str], int]]) -> None:
        self._counts = counts

    def collect(self) -> Iterable[CounterMetricFamily]:
        """Return the family with its samples of this moment."""
        requests = CounterMetricFamily(
            f"{PREFIX}_api_requests",
            "Requests to API servers by method and status code; the code is <error> without an answer.",
            labels=("method", "code"),
        )
        for labels, count in sorted(self._counts().items()):
            requests.add_metric(labels, count)
        return (requests,)


class _WatchMetrics(Collector):
    """The metrics of watches: their threads count, and a scrape asks."""

    def __init__(self, counts: Callable[[], Mapping[str, int]], failing: Callable[[], Iterable[WatchFailure]]) -> None:
        self._counts = counts
        self._failing = failing

    def collect(self) -> Iterable[CounterMetricFamily | GaugeMetricFamily]:
        """Return the families with their samples of this moment."""
        failures = CounterMetricFamily(
            f"{PREFIX}_watch_failures", "Lists and watches that failed.", labels=("resource",)
        )
        for resource, count in sorted(self._counts().items()):
            failures.add_metric((resource,), count)
        failing = GaugeMetricFamily(
            f"{PREFIX}_watch_failing",
            "1 for a resource whose watch has failed for a minute, so that the process is not ready.",
            labels=("resource", "reason"),
        )
        for each in self._failing():
            failing.add_metric((each.resource, each.reason), 1)
        return failures, failing
