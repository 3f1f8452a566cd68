"""The metrics of a process, with Prometheus' client, or none.

Source: OKEP-5552, "a metric for how many nodes were active for a network"; the label is that of ovn-kubernetes'
``ovnkube_clustermanager_udn_nodes_rendered``.
"""

from collections.abc import Mapping
from typing import Final, Protocol

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, Histogram, generate_latest

PREFIX: Final = "ovnk_reconcile"
BUCKETS: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


class Metrics(Protocol):
    """The interface of metrics. A thread of its own reads them."""

    def active_nodes(self, counts: Mapping[str, int]) -> None:
        """Set how many nodes use each network; other networks have no number."""

    def first_pod(self, seconds: float) -> None:
        """Count the time until a node had the rows of a network that it began to use."""

    def layer2_nodes(self, counts: Mapping[str, int]) -> None:
        """Set how many nodes have each Layer2 topology."""

    def exposition(self) -> tuple[str, bytes]:
        """Return the content type and text of all metrics."""


class NoMetrics:
    """Counts nothing."""

    def active_nodes(self, counts: Mapping[str, int]) -> None:
        """Do nothing."""

    def first_pod(self, seconds: float) -> None:
        """Do nothing."""

    def layer2_nodes(self, counts: Mapping[str, int]) -> None:
        """Do nothing."""

    def exposition(self) -> tuple[str, bytes]:
        """Return an empty exposition, which is a valid one."""
        return "text/plain; version=0.0.4; charset=utf-8", b""


NO_METRICS: Final = NoMetrics()


class PrometheusMetrics:
    """Counts in this process."""

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
        """Set how many nodes have each Layer2 topology."""
        for topology, count in counts.items():
            self._layer2.labels(topology).set(count)

    def exposition(self) -> tuple[str, bytes]:
        """Return the content type and text of all metrics."""
        return CONTENT_TYPE_LATEST, generate_latest(self._registry)
