"""What Prometheus reads about dynamic allocation."""

from prometheus_client import CollectorRegistry, generate_latest

from ovnguard.reconciler.loop.activity.activity_metrics import ActiveNodesMetric, FirstPodMetric

CALLED = "ovnk_reconcile_udn_active_nodes"


def samples(registry: CollectorRegistry, name: str) -> list[str]:
    return [line for line in generate_latest(registry).decode().splitlines() if line.startswith(name)]


def test_a_network_has_a_number_until_it_is_gone():
    registry = CollectorRegistry()
    metrics = ActiveNodesMetric(registry)
    metrics.set({"cluster_udn_blue": 2, "red_net": 0})
    assert samples(registry, CALLED) == [
        f'{CALLED}{{network_name="cluster_udn_blue"}} 2.0',
        f'{CALLED}{{network_name="red_net"}} 0.0',
    ]
    metrics.set({"red_net": 1})
    assert samples(registry, CALLED) == [f'{CALLED}{{network_name="red_net"}} 1.0']


def test_times_until_the_first_pod_are_counted_in_buckets():
    registry = CollectorRegistry()
    metrics = FirstPodMetric(registry)
    for seconds in (0.2, 0.2, 3.0, 500.0):
        metrics.observe(seconds)
    found = dict(line.rsplit(" ", 1) for line in samples(registry, "ovnk_reconcile_first_pod_seconds"))
    assert [
        found[f'ovnk_reconcile_first_pod_seconds_bucket{{le="{le}"}}'] for le in ("0.1", "0.25", "5.0", "+Inf")
    ] == [
        "0.0",
        "2.0",
        "3.0",
        "4.0",
    ]
    assert found["ovnk_reconcile_first_pod_seconds_sum"] == "503.4"
