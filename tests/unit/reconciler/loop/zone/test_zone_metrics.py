"""What Prometheus reads about a zone."""

from prometheus_client import CollectorRegistry, generate_latest

from ovnguard.reconciler.apply.deletion_brake import HeldDeletions
from ovnguard.reconciler.loop.zone.zone_metrics import follow_drift, follow_writer


def samples(registry: CollectorRegistry) -> list[str]:
    return [line for line in generate_latest(registry).decode().splitlines() if not line.startswith("#")]


def test_an_audit_counts_drift_only():
    registry, drift = CollectorRegistry(), [0]
    follow_drift(registry, lambda: drift[0])
    for drift[0] in (4, 0):
        assert samples(registry) == [f"ovnk_reconcile_drift_rows {drift[0]}.0"]


def test_a_writer_counts_what_waits_and_what_is_refused():
    registry = CollectorRegistry()
    held: list[HeldDeletions | None] = [None]
    refused = [0]
    follow_writer(registry, lambda: held[0], lambda: refused[0])
    name = "ovnk_reconcile_held_deletions"
    quarantined = "ovnk_reconcile_quarantined_networks"
    assert samples(registry) == [f'{name}{{kind="networks"}} 0.0', f'{name}{{kind="rows"}} 0.0', f"{quarantined} 0.0"]
    held[0], refused[0] = HeldDeletions(("blue", "red"), 7, "too many"), 1
    assert samples(registry) == [f'{name}{{kind="networks"}} 2.0', f'{name}{{kind="rows"}} 7.0', f"{quarantined} 1.0"]
