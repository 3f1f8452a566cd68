"""The metrics of BGP of a node, for `run` with ``--frr-conf``."""

from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from ovnguard.reconciler.loop.process.metrics import BUCKETS, PREFIX


@dataclass(frozen=True, slots=True)
class BgpNumbers:
    """BGP of a node; ``incomplete_since`` is the time since which something is missing, 0 while nothing is."""

    sessions: int = 0
    established: int = 0
    routes: int = 0
    missing_routes: int = 0
    incomplete_since: float = 0.0
    budget: float = 0.0


class BgpMetrics:
    """The metrics of BGP of a node, in ``registry``, or nowhere."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
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
        self._reloads = Counter(f"{PREFIX}_bgp_reloads", "Reloads of FRR.", ("result",), registry=registry)
        self._reload_succeeded = Gauge(
            f"{PREFIX}_bgp_last_reload_succeeded", "Whether FRR runs what it last had to load.", registry=registry
        )
        self._reload_time = Gauge(
            f"{PREFIX}_bgp_last_reload_timestamp_seconds", "When FRR last had to load something.", registry=registry
        )
        self._convergence = Histogram(
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

    def reloaded(self, *, succeeded: bool, at: float) -> None:
        """Count a reload of FRR, and set the last one's result and time, in seconds since 1970."""
        self._reloads.labels("ok" if succeeded else "failed").inc()
        self._reload_succeeded.set(succeeded)
        self._reload_time.set(at)

    def converged(self, seconds: float) -> None:
        """Count the time from a change, or the first look at something missing, until nothing was missing."""
        self._convergence.observe(seconds)
