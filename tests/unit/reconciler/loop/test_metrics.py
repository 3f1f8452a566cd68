"""What Prometheus reads."""

from reconciler.loop.metrics import NO_METRICS, PrometheusMetrics

CALLED = "ovnk_reconcile_udn_active_nodes"


def samples(metrics: PrometheusMetrics, name: str) -> list[str]:
    return [line for line in metrics.exposition()[1].decode().splitlines() if line.startswith(name)]


def test_a_network_has_a_number_until_it_is_gone():
    metrics = PrometheusMetrics()
    metrics.active_nodes({"cluster_udn_blue": 2, "red_net": 0})
    assert samples(metrics, CALLED) == [
        f'{CALLED}{{network_name="cluster_udn_blue"}} 2.0',
        f'{CALLED}{{network_name="red_net"}} 0.0',
    ]
    metrics.active_nodes({"red_net": 1})
    assert samples(metrics, CALLED) == [f'{CALLED}{{network_name="red_net"}} 1.0']


def test_times_until_the_first_pod_are_counted_in_buckets():
    metrics = PrometheusMetrics()
    for seconds in (0.2, 0.2, 3.0, 500.0):
        metrics.first_pod(seconds)
    found = dict(line.rsplit(" ", 1) for line in samples(metrics, "ovnk_reconcile_first_pod_seconds"))
    assert [
        found[f'ovnk_reconcile_first_pod_seconds_bucket{{le="{le}"}}'] for le in ("0.1", "0.25", "5.0", "+Inf")
    ] == [
        "0.0",
        "2.0",
        "3.0",
        "4.0",
    ]
    assert found["ovnk_reconcile_first_pod_seconds_sum"] == "503.4"


def test_no_metrics_are_a_valid_exposition():
    NO_METRICS.active_nodes({"a": 1})
    NO_METRICS.first_pod(1.0)
    assert NO_METRICS.exposition() == ("text/plain; version=0.0.4; charset=utf-8", b"")
