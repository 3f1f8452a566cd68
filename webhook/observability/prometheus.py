"""Counters of the webhook for Prometheus, right with several worker processes. The only module that knows its client.

Every worker writes its numbers into files of a private folder, and whichever worker is asked adds them all up. The
client decides that when it is loaded, so the folder is named before: `prepare` in the process that starts the workers,
`PrometheusTelemetry` in each of them, `forget` for each that has ended. Units are base units; no label is ever the name
of an object, and every label has few values.
"""

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crd_schemas import SETS, crd_name, crds
from webhook.server.private_tempdir import Scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from webhook.admission.handlers import Decision

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
PREFIX: Final = "ovnk_admission"
OTHER: Final = "other"
BUCKETS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
COSTS: Final = (100.0, 1_000.0, 10_000.0, 100_000.0, 1_000_000.0, 10_000_000.0)
_BUILT_IN: Final = frozenset(
    {"configmaps", "daemonsets", "deployments", "namespaces", "nodes", "pods", "services", "statefulsets"}
)
RESOURCES: Final = _BUILT_IN | {
    "egressservices",
    *(crd_name(*key).partition(".")[0] for schema_set in SETS for key in crds(schema_set)),
}
"""What may stand in the label ``resource``; everything else is `OTHER`."""


def prepare() -> Scratch:
    """Name a private folder for the numbers of all workers; whoever asks closes it. Raises OSError."""
    scratch = Scratch("ovnguard-metrics-")
    os.environ[FOLDER] = str(scratch.path)
    return scratch


def forget(process: int) -> None:
    """Take a process that has ended out of the gauges of living ones; what it counted stays."""
    for file in Path(os.environ[FOLDER]).glob(f"gauge_live*_{process}.db"):
        file.unlink(missing_ok=True)


class PrometheusTelemetry:
    """Counts in this process. To be made in the worker, after the fork."""

    def __init__(self, expires: "Callable[[], float]") -> None:
        """``expires`` tells when the served certificate does, in seconds since 1970."""
        # loaded here, because it looks for the folder of `prepare` when it is loaded
        from prometheus_client import Counter, Gauge, Histogram  # noqa: PLC0415 - as above
        from prometheus_client.registry import CollectorRegistry  # noqa: PLC0415 - as above

        own = CollectorRegistry()
        labels = ("webhook", "operation", "resource", "allowed", "reason")
        self._expires = expires
        self._requests = Counter(f"{PREFIX}_requests", "Calls that were answered.", labels, registry=own)
        self._seconds = Histogram(
            f"{PREFIX}_duration_seconds",
            "From a whole request to its answer.",
            ("webhook", "operation", "resource"),
            buckets=BUCKETS,
            registry=own,
        )
        self._in_flight = Gauge(f"{PREFIX}_in_flight", "Calls under way.", multiprocess_mode="livesum", registry=own)
        self._cost = Histogram(
            f"{PREFIX}_cel_cost",
            "CEL cost units of an object, where they had to be counted.",
            ("webhook", "resource"),
            buckets=COSTS,
            registry=own,
        )
        self._expiry = Gauge(
            f"{PREFIX}_cert_expiry_timestamp_seconds",
            "When the served certificate expires.",
            multiprocess_mode="livemin",
            registry=own,
        )
        self._expiry.set(expires())
        self._tracked = _InFlight(self._in_flight)
        self._counted: dict[tuple[str, str, str, str, str], tuple[Any, Any]] = {}

    def in_flight(self) -> AbstractContextManager[object]:
        """Count a call for as long as it is under way."""
        return self._tracked

    def decided(self, decisions: "Sequence[Decision]") -> None:
        """Count answers, their times and, where they are known, their costs."""
        together: dict[tuple[str, str, str, str, str], list[float]] = {}
        for path, review, outcome, seconds in decisions:
            webhook, resource = path[1:], review.resource.resource
            if resource not in RESOURCES:
                resource = OTHER
            key = (webhook, str(review.operation), resource, outcome.verdict, outcome.reason)
            together.setdefault(key, []).append(seconds)
            if outcome.cost is not None:
                self._cost.labels(webhook, resource).observe(outcome.cost)
        for key, times in together.items():
            # few, because every label has few values; looking them up in the client takes longer than counting
            counted = self._counted.get(key)
            if counted is None:
                counted = self._counted[key] = self._children(*key)
            counted[0].inc(len(times))
            for seconds in times:
                counted[1].observe(seconds)

    def _children(self, webhook: str, operation: str, resource: str, verdict: str, reason: str) -> tuple[Any, Any]:
        allowed = "true" if verdict in {"allowed", "patched"} else "false"
        return (
            self._requests.labels(webhook, operation, resource, allowed, reason),
            self._seconds.labels(webhook, operation, resource),
        )

    def rejected(self, webhook: str, status: int) -> None:
        """Count a call that was no review."""
        self._requests.labels(webhook, "", OTHER, "false", f"http-{status}").inc()

    def exposition(self) -> tuple[str, str]:
        """Add up the numbers of all workers."""
        from prometheus_client import generate_latest  # noqa: PLC0415 - as above
        from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4  # noqa: PLC0415 - as above
        from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415 - as above
        from prometheus_client.registry import CollectorRegistry  # noqa: PLC0415 - as above

        self._expiry.set(self._expires())
        everybody = CollectorRegistry()
        MultiProcessCollector(everybody)
        return CONTENT_TYPE_PLAIN_0_0_4, generate_latest(everybody).decode()


class _InFlight:
    """Counts while it is entered, by any number of threads. The client's own makes two objects for each call."""

    def __init__(self, gauge: Any) -> None:
        self._gauge = gauge

    def __enter__(self) -> None:
        self._gauge.inc()

    def __exit__(self, *_: object) -> None:
        self._gauge.dec()
