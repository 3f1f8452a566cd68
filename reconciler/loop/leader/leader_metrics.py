"""The metrics of what only the leader knows: where networks and zones stand, and the nodes' Layer2 topologies.

A process that does not lead has no samples, so that those of all replicas may be added up.
"""

from collections.abc import Iterable, Mapping

from prometheus_client import CollectorRegistry, Gauge

from ovnguard.reconciler.loop.process.metrics import PREFIX
from ovnguard.reconciler.loop.status.network_states import NETWORK_STATES
from ovnguard.reconciler.loop.status.report_folding import ZONE_STATES


class LeaderMetrics:
    """The metrics of `cluster`, in ``registry``, or nowhere."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._networks = Gauge(
            f"{PREFIX}_networks", "Networks by state, as in ZonesReady.", ("state",), registry=registry
        )
        self._zones = Gauge(f"{PREFIX}_zones", "Zones by the state of their reports.", ("state",), registry=registry)
        self._layer2 = Gauge(
            f"{PREFIX}_layer2_nodes", "Nodes by their Layer2 topology.", ("topology",), registry=registry
        )

    def stand_by(self) -> None:
        """Expose no number: another process leads."""
        for gauge in (self._networks, self._zones, self._layer2):
            gauge.clear()

    def networks(self, counts: Mapping[str, int]) -> None:
        """Set how many networks are in each state."""
        _set(self._networks, NETWORK_STATES, counts)

    def zones(self, counts: Mapping[str, int]) -> None:
        """Set how many zones are in each state."""
        _set(self._zones, ZONE_STATES, counts)

    def layer2_nodes(self, counts: Mapping[str, int]) -> None:
        """Set how many nodes have each Layer2 topology."""
        for topology, count in counts.items():
            self._layer2.labels(topology).set(count)


def _set(gauge: Gauge, states: Iterable[str], counts: Mapping[str, int]) -> None:
    """A state without a member has the number 0."""
    for state in states:
        gauge.labels(state).set(counts.get(state, 0))
