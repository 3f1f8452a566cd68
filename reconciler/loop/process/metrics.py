"""The metrics of a process, with Prometheus' client.

Source: OKEP-5552, "a metric for how many nodes were active for a network"; the label is that of ovn-kubernetes'
``ovnkube_clustermanager_udn_nodes_rendered``.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from validators.cluster.watch_failures import WatchFailure

PREFIX: Final = "ovnk_reconcile"
BUCKETS: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


@dataclass(frozen=True, slots=True)
class BgpNumbers:
    """BGP of a node; ``incomplete_since`` is the time since which something is missing, 0 while nothing is."""

    sessions: int = 0
    established: int = 0
    routes: int = 0
    missing_routes: int = 0
    incomplete_since: float = 0.0
    budget: float = 0.0


@dataclass(frozen=True, slots=True)
class DnsNumbers:
    """User-managed DNS of a node: the addresses that ``*.apps`` has by family, and how far they can be trusted.

    ``stale_since`` is the time of the last confirmation, 0 while they are confirmed; ``changed`` is that of the last
    change of a file; ``is_mismatched`` is whether CoreDNS answers with other addresses.
    """

    ipv4: int = 0
    ipv6: int = 0
    stale_since: float = 0.0
    changed: float = 0.0
    is_mismatched: bool = False


@dataclass(frozen=True, slots=True)
class RolloutNumbers:
    """An interconnect upgrade: its phase, rollouts that hang, nodes and pods that it waits for, and since when."""

    phase: str = ""
    hung: int = 0
    stalls: int = 0
    waiting_since: float = 0.0
    level_reached: bool = False


class Metrics:
    """Counts in this process. A thread of its own reads them."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._nodes = Gauge(
            f"{PREFIX}_udn_active_nodes", "Nodes that use a network.", ("network_name",), registry=self._registry
        )
        self._first_pod = Histogram(
            f"{PREFIX}_first_pod_seconds",
            "From the event that a node begins to use a network to its rows in the database.",
            buckets=BUCKETS,
            registry=self._registry,
        )
        self._layer2 = Gauge(
            f"{PREFIX}_layer2_nodes", "Nodes by their Layer2 topology.", ("topology",), registry=self._registry
        )
        self._counts: Mapping[str, int] = {}
        self._bgp = _BgpMetrics(self._registry)
        self._dns = _DnsMetrics(self._registry)
        self._rollout = _RolloutMetrics(self._registry)

    def active_nodes(self, counts: Mapping[str, int]) -> None:
        """Set how many nodes use each network; other networks have no number."""
        for network in self._counts.keys() - counts.keys():
            self._nodes.remove(network)
        for network, count in counts.items():
            if self._counts.get(network) != count:
                self._nodes.labels(network).set(count)
        self._counts = dict(counts)

    def first_pod(self, seconds: float) -> None:
        """Count the time until a node had the rows of a network that it began to use."""
        self._first_pod.observe(seconds)

    def layer2_nodes(self, counts: Mapping[str, int]) -> None:
        """Set how many nodes have each Layer2 topology; other topologies have no number."""
        if not counts:
            self._layer2.clear()
        for topology, count in counts.items():
            self._layer2.labels(topology).set(count)

    def bgp(self, numbers: BgpNumbers) -> None:
        """Set the numbers of this node's BGP."""
        self._bgp.set(numbers)

    def bgp_reload(self, *, succeeded: bool, at: float) -> None:
        """Count a reload of FRR, and set the last one's result and time."""
        self._bgp.reloads.labels("ok" if succeeded else "failed").inc()
        self._bgp.reload_succeeded.set(succeeded)
        self._bgp.reload_time.set(at)

    def bgp_converged(self, seconds: float) -> None:
        """Count the time from a change, or the first look at something missing, until nothing was missing."""
        self._bgp.convergence.observe(seconds)

    def dns(self, numbers: DnsNumbers) -> None:
        """Set the numbers of user-managed DNS on this node."""
        self._dns.set(numbers)

    def dns_lookups(self, succeeded: int, failed: int) -> None:
        """Count lookups of the load balancer's names."""
        self._dns.lookups.labels("ok").inc(succeeded)
        self._dns.lookups.labels("failed").inc(failed)

    def dns_rendered(self, result: str) -> None:
        """Count a file that was ``written``, or an attempt that ``failed``."""
        self._dns.renders.labels(result).inc()

    def rollout(self, numbers: RolloutNumbers) -> None:
        """Set the numbers of an interconnect upgrade."""
        self._rollout.set(numbers)

    def follow_watches(
        self, counts: Callable[[], Mapping[str, int]], failing: Callable[[], Iterable[WatchFailure]]
    ) -> None:
        """Read at every scrape how often resources could not be watched, and which watches make the process unready."""
        self._registry.register(_WatchMetrics(counts, failing))

    def exposition(self) -> tuple[str, bytes]:
        """Return the content type and text of all metrics."""
        return CONTENT_TYPE_LATEST, generate_latest(self._registry)


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


class _BgpMetrics:
    """The metrics of BGP of a node."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._wanted = Gauge(f"{PREFIX}_bgp_sessions_wanted", "Sessions of the node's frr.conf.", registry=registry)
        self._established = Gauge(
            f"{PREFIX}_bgp_sessions_established", "Those of them that are Established.", registry=registry
        )
        self._routes = Gauge(
            f"{PREFIX}_bgp_routes_wanted", "Pod subnets that the node must learn from others.", registry=registry
        )
        self._missing = Gauge(
            f"{PREFIX}_bgp_routes_missing", "Those of them that bgpd or the kernel lacks.", registry=registry
        )
        self._since = Gauge(
            f"{PREFIX}_bgp_incomplete_since_timestamp_seconds",
            "Since when a session or route is missing, 0 while none is.",
            registry=registry,
        )
        self._budget = Gauge(
            f"{PREFIX}_bgp_convergence_budget_seconds", "How long something may be missing.", registry=registry
        )
        self.reloads = Counter(f"{PREFIX}_bgp_reloads", "Reloads of FRR.", ("result",), registry=registry)
        self.reload_succeeded = Gauge(
            f"{PREFIX}_bgp_last_reload_succeeded", "Whether FRR runs what it last had to load.", registry=registry
        )
        self.reload_time = Gauge(
            f"{PREFIX}_bgp_last_reload_timestamp_seconds", "When FRR last had to load something.", registry=registry
        )
        self.convergence = Histogram(
            f"{PREFIX}_bgp_convergence_seconds",
            "From a change, or the first look at something missing, to the first look at nothing missing.",
            buckets=BUCKETS,
            registry=registry,
        )

    def set(self, numbers: BgpNumbers) -> None:
        """Set the numbers."""
        self._wanted.set(numbers.sessions)
        self._established.set(numbers.established)
        self._routes.set(numbers.routes)
        self._missing.set(numbers.missing_routes)
        self._since.set(numbers.incomplete_since)
        self._budget.set(numbers.budget)


class _DnsMetrics:
    """The metrics of user-managed DNS."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.lookups = Counter(
            f"{PREFIX}_dns_lookups", "Lookups of the load balancer's names.", ("result",), registry=registry
        )
        self.renders = Counter(
            f"{PREFIX}_dns_renders",
            "Files of CoreDNS that were written, or could not be.",
            ("result",),
            registry=registry,
        )
        self._addresses = Gauge(
            f"{PREFIX}_dns_addresses", "Addresses that *.apps leads to.", ("family",), registry=registry
        )
        self._stale = Gauge(
            f"{PREFIX}_dns_stale_age_seconds",
            "Time since the addresses of *.apps were last confirmed, 0 while they are.",
            registry=registry,
        )
        self._changed = Gauge(
            f"{PREFIX}_dns_last_change_timestamp_seconds", "When a file of CoreDNS last changed.", registry=registry
        )
        self._mismatched = Gauge(
            f"{PREFIX}_dns_served_mismatch", "Whether CoreDNS answers with other addresses.", registry=registry
        )
        # An increase is seen only of what was there before.
        for counter, results in ((self.lookups, ("ok", "failed")), (self.renders, ("written", "failed"))):
            for result in results:
                counter.labels(result)
        self._since = 0.0
        self._stale.set_function(lambda: time.time() - self._since if self._since else 0.0)

    def set(self, numbers: DnsNumbers) -> None:
        """Set the numbers."""
        self._since = numbers.stale_since
        self._addresses.labels("IPv4").set(numbers.ipv4)
        self._addresses.labels("IPv6").set(numbers.ipv6)
        self._changed.set(numbers.changed)
        self._mismatched.set(numbers.is_mismatched)


class _RolloutMetrics:
    """The metrics of an interconnect upgrade; there are none before its first pass."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._phase = Gauge(f"{PREFIX}_rollout_phase", "1 for the phase.", ("phase",), registry=registry)
        self._hung = Gauge(f"{PREFIX}_rollout_hung", "Rollouts without progress for ten minutes.", registry=registry)
        self._stalls = Gauge(f"{PREFIX}_rollout_stalls", "Nodes and pods that rollouts wait for.", registry=registry)
        self._since = Gauge(
            f"{PREFIX}_rollout_waiting_since_timestamp_seconds",
            "Last change of the rollout that has been unfinished and unchanged the longest, 0 without any.",
            registry=registry,
        )
        self._reached = Gauge(
            f"{PREFIX}_rollout_level_reached", "Whether everything runs the release.", registry=registry
        )

    def set(self, numbers: RolloutNumbers) -> None:
        """Set the numbers."""
        self._phase.clear()
        self._phase.labels(numbers.phase).set(1)
        self._hung.set(numbers.hung)
        self._stalls.set(numbers.stalls)
        self._since.set(numbers.waiting_since)
        self._reached.set(numbers.level_reached)
