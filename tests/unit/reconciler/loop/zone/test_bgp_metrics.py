"""What Prometheus reads about BGP of a node."""

from prometheus_client import CollectorRegistry, generate_latest

from ovnguard.reconciler.loop.zone.bgp_metrics import BgpMetrics, BgpNumbers


def samples(registry: CollectorRegistry, name: str) -> list[str]:
    return [line for line in generate_latest(registry).decode().splitlines() if line.startswith(name)]


def test_bgp_of_a_node_has_its_numbers():
    registry = CollectorRegistry()
    metrics = BgpMetrics(registry)
    metrics.set(BgpNumbers(119, 118, 119, 1, 1000.0, 120.0))
    metrics.reloaded(succeeded=True, at=900.0)
    metrics.reloaded(succeeded=False, at=950.0)
    metrics.converged(4.0)
    found = dict(line.rsplit(" ", 1) for line in samples(registry, "ovnk_reconcile_bgp_"))
    given = {name.removeprefix("ovnk_reconcile_bgp_"): float(value) for name, value in found.items()}
    assert {name: value for name, value in given.items() if "bucket" not in name and "created" not in name} == {
        "sessions_wanted": 119,
        "sessions_established": 118,
        "routes_wanted": 119,
        "routes_missing": 1,
        "incomplete_since_timestamp_seconds": 1000,
        "convergence_budget_seconds": 120,
        'reloads_total{result="ok"}': 1,
        'reloads_total{result="failed"}': 1,
        "last_reload_succeeded": 0,
        "last_reload_timestamp_seconds": 950,
        "convergence_seconds_count": 1,
        "convergence_seconds_sum": 4,
    }
