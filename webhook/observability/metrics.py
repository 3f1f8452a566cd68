"""The metrics of the webhook, with Prometheus' client, summed over all worker processes, or without a client.

Each worker writes its numbers to files in a private folder, and the worker that answers a scrape adds them up. The
client reads the name of that folder on import, so `prepare` sets it in the process that starts the workers. Each worker
creates its `PrometheusTelemetry`, and the master calls `forget` for each ended worker. Units are base units; no label
is the name of an object, and every label has few values.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final, Protocol

from ovnguard.crd_schemas import crd_name, kinds
from ovnguard.webhook.admission.handlers import Decision
from ovnguard.webhook.private_tempdir import PrivateTempDir

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
PREFIX: Final = "ovnk_admission"
OTHER: Final = "other"
BUCKETS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
COSTS: Final = (100.0, 1_000.0, 10_000.0, 100_000.0, 1_000_000.0, 10_000_000.0)
_BUILT_IN: Final = frozenset(
    {"configmaps", "daemonsets", "deployments", "namespaces", "nodes", "pods", "services", "statefulsets"}
)
RESOURCES: Final = _BUILT_IN | {crd_name(*key).partition(".")[0] for key in kinds()}
"""The values of the label ``resource``; any other resource counts as `OTHER`."""


class Telemetry(Protocol):
    """The interface of metrics. Many threads call it."""

    def in_flight(self) -> AbstractContextManager[object]:
        """Return a context manager for a call of an admission route."""

    def decided(self, decision: Decision) -> None:
        """Count the answer to a review."""

    def rejected(self, webhook: str, status: int) -> None:
        """Count a call that was not a valid review, by HTTP status."""

    def exposition(self) -> tuple[str, str]:
        """Return the content type and text of all metrics."""


class NoTelemetry:
    """Counts nothing."""

    def in_flight(self) -> AbstractContextManager[object]:
        """Do nothing."""
        return nullcontext()

    def decided(self, decision: Decision) -> None:
        """Do nothing."""

    def rejected(self, webhook: str, status: int) -> None:
        """Do nothing."""

    def exposition(self) -> tuple[str, str]:
        """Return an empty exposition, which is a valid one."""
        return "text/plain; version=0.0.4; charset=utf-8", ""


NO_TELEMETRY: Final = NoTelemetry()


def prepare() -> PrivateTempDir:
    """Create and set a private folder for the numbers of all workers; the caller closes it. Raises OSError."""
    folder = PrivateTempDir("ovnguard-metrics-")
    os.environ[FOLDER] = str(folder.path)
    return folder


def forget(process: int) -> None:
    """Remove an ended process from the gauges; its counters stay."""
    for file in Path(os.environ[FOLDER]).glob(f"gauge_live*_{process}.db"):
        file.unlink(missing_ok=True)


class PrometheusTelemetry:
    """Counts in this process. Each worker creates its own, after the fork."""

    def __init__(self, expires: Callable[[], float], refused: Callable[[], Iterable[str]] = tuple) -> None:
        """``expires`` returns when the served certificate does, in seconds since 1970; ``refused`` the resources that
        the API server refuses to list.
        """
        # imported here, because the client reads the folder of `prepare` on import
        from prometheus_client import Counter, Gauge, Histogram
        from prometheus_client.registry import CollectorRegistry

        own = CollectorRegistry()
        labels = ("webhook", "operation", "resource", "allowed", "reason")
        self._expires, self._listed = expires, refused
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
        self._refused = Gauge(
            f"{PREFIX}_watch_refused",
            "Whether the API server refuses to list a resource that rules need.",
            ("resource",),
            multiprocess_mode="livemax",
            registry=own,
        )
        self._expiry.set(expires())
        self._known: set[str] = set()

    def in_flight(self) -> AbstractContextManager[object]:
        """Return a context manager that counts the call while it is in progress."""
        tracked: AbstractContextManager[object] = self._in_flight.track_inprogress()
        return tracked

    def decided(self, decision: Decision) -> None:
        """Count an answer, its time and, if known, its cost."""
        path, review, answer, seconds = decision
        webhook, operation, resource = path[1:], str(review.operation), review.resource.resource
        if resource not in RESOURCES:
            resource = OTHER
        allowed = "true" if answer.verdict in {"allowed", "patched"} else "false"
        self._requests.labels(webhook, operation, resource, allowed, answer.reason).inc()
        self._seconds.labels(webhook, operation, resource).observe(seconds)
        if answer.cost is not None:
            self._cost.labels(webhook, resource).observe(answer.cost)

    def rejected(self, webhook: str, status: int) -> None:
        """Count a call that was not a valid review."""
        self._requests.labels(webhook, "", OTHER, "false", f"http-{status}").inc()

    def exposition(self) -> tuple[str, str]:
        """Add up the numbers of all workers."""
        from prometheus_client import generate_latest
        from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
        from prometheus_client.multiprocess import MultiProcessCollector
        from prometheus_client.registry import CollectorRegistry

        self._expiry.set(self._expires())
        refused = set(self._listed())
        self._known |= refused
        for resource in self._known:
            self._refused.labels(resource).set(resource in refused)
        everybody = CollectorRegistry()
        MultiProcessCollector(everybody)
        return CONTENT_TYPE_PLAIN_0_0_4, generate_latest(everybody).decode()
