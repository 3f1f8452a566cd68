"""The metrics of dynamic allocation, each of one command.

Source: OKEP-5552, "a metric for how many nodes were active for a network"; the label is that of ovn-kubernetes'
``ovnkube_clustermanager_udn_nodes_rendered``.
"""

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Gauge, Histogram

from ovnguard.reconciler.loop.process.metrics import BUCKETS, PREFIX


class ActiveNodesMetric:
    """How many nodes use each network, for `cluster`; in ``registry``, or nowhere."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._nodes = Gauge(
            f"{PREFIX}_udn_active_nodes", "Nodes that use a network.", ("network_name",), registry=registry
        )
        self._counts: Mapping[str, int] = {}

    def set(self, counts: Mapping[str, int]) -> None:
        """Set the numbers; other networks have none."""
        for network in self._counts.keys() - counts.keys():
            self._nodes.remove(network)
        for network, count in counts.items():
            if self._counts.get(network) != count:
                self._nodes.labels(network).set(count)
        self._counts = dict(counts)


class FirstPodMetric:
    """How long the rows of a network took that a node began to use, for `run`; in ``registry``, or nowhere."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._seconds = Histogram(
            f"{PREFIX}_first_pod_seconds",
            "From the event that a node begins to use a network to its rows in the database.",
            buckets=BUCKETS,
            registry=registry,
        )

    def observe(self, seconds: float) -> None:
        """Count a network whose rows are there."""
        self._seconds.observe(seconds)
