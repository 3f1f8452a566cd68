"""The metrics of user-managed DNS on a node, for `dns run` with files."""

import time
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, Gauge

from ovnguard.reconciler.loop.process.metrics import PREFIX


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


class DnsMetrics:
    """The metrics of user-managed DNS, in ``registry``, or nowhere."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._lookups = Counter(
            f"{PREFIX}_dns_lookups", "Lookups of the load balancer's names.", ("result",), registry=registry
        )
        self._renders = Counter(
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
        for counter, results in ((self._lookups, ("ok", "failed")), (self._renders, ("written", "failed"))):
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

    def looked_up(self, succeeded: int, failed: int) -> None:
        """Count lookups of the load balancer's names."""
        self._lookups.labels("ok").inc(succeeded)
        self._lookups.labels("failed").inc(failed)

    def rendered(self, result: str) -> None:
        """Count a file that was ``written``, or an attempt that ``failed``."""
        self._renders.labels(result).inc()
