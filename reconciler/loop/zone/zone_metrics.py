"""The metrics of a node's zone, for `run`: an audit counts drift, a writer what it holds back and what is refused."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Gauge

from ovnguard.reconciler.apply.deletion_brake import HeldDeletions
from ovnguard.reconciler.loop.process.metrics import PREFIX


def follow_drift(registry: CollectorRegistry, drift: Callable[[], int]) -> None:
    """Read at every scrape how many rows of the zone are not as planned, for a minute or longer."""
    gauge = Gauge(f"{PREFIX}_drift_rows", "Differences between the zone and the plan.", registry=registry)
    gauge.set_function(drift)


def follow_writer(
    registry: CollectorRegistry, held: Callable[[], HeldDeletions | None], quarantined: Callable[[], int]
) -> None:
    """Read at every scrape which deletions wait, and how many networks the database refuses."""
    deletions = Gauge(
        f"{PREFIX}_held_deletions", "Networks, and other rows, whose deletion waits.", ("kind",), registry=registry
    )
    deletions.labels("networks").set_function(lambda: 0 if (found := held()) is None else len(found.networks))
    deletions.labels("rows").set_function(lambda: 0 if (found := held()) is None else found.rows)
    networks = Gauge(
        f"{PREFIX}_quarantined_networks",
        "Networks whose rows the database refuses; the rows that networks share count as one.",
        registry=registry,
    )
    networks.set_function(quarantined)
