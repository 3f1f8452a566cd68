"""What Prometheus reads about every process of the reconciler."""

import platform
from importlib.metadata import version

from ovnguard.reconciler.loop.process.metrics import FAILED, OK, WAITING, Metrics


def samples(metrics: Metrics, name: str) -> list[str]:
    return [line for line in metrics.exposition()[1].decode().splitlines() if line.startswith(name)]


def test_passes_are_counted_by_result_from_the_beginning():
    metrics = Metrics()
    counted = "ovnk_reconcile_passes_total"
    assert samples(metrics, counted) == [f'{counted}{{result="{each}"}} 0.0' for each in ("ok", "failed", "waiting")]
    for result, seconds in ((WAITING, 0.001), (OK, 0.02), (OK, 3.0), (FAILED, 500.0)):
        metrics.passed(result, seconds)
    assert samples(metrics, counted) == [
        f'{counted}{{result="ok"}} 2.0',
        f'{counted}{{result="failed"}} 1.0',
        f'{counted}{{result="waiting"}} 1.0',
    ]
    found = dict(line.rsplit(" ", 1) for line in samples(metrics, "ovnk_reconcile_pass_duration_seconds"))
    buckets = {
        le: found[f'ovnk_reconcile_pass_duration_seconds_bucket{{le="{le}"}}'] for le in ("0.005", "5.0", "+Inf")
    }
    assert buckets == {"0.005": "1.0", "5.0": "3.0", "+Inf": "4.0"}


def test_what_runs_and_how_much_it_uses():
    metrics = Metrics()
    labels = f'python_version="{platform.python_version()}",version="{version("ovnguard")}"'
    assert samples(metrics, "ovnguard_build_info") == [f"ovnguard_build_info{{{labels}}} 1.0"]
    names = {line.partition(" ")[0] for line in samples(metrics, "process_")}
    assert names >= {"process_cpu_seconds_total", "process_open_fds", "process_resident_memory_bytes"}


def test_events_wait_for_the_next_pass():
    metrics, waiting = Metrics(), [0]
    metrics.follow_queue(lambda: waiting[0])
    for waiting[0] in (3, 0):
        assert samples(metrics, "ovnk_reconcile_queue_depth") == [f"ovnk_reconcile_queue_depth {waiting[0]}.0"]


def test_requests_are_counted_by_method_and_code():
    metrics = Metrics()
    metrics.follow_requests(lambda: {("PATCH", "403"): 2, ("GET", "<error>"): 1})
    assert samples(metrics, "ovnk_reconcile_api_requests_total") == [
        'ovnk_reconcile_api_requests_total{code="<error>",method="GET"} 1.0',
        'ovnk_reconcile_api_requests_total{code="403",method="PATCH"} 2.0',
    ]


def test_a_process_has_no_family_that_it_cannot_set():
    metrics = Metrics()
    metrics.follow_lease("ovnguard-reconciler-cluster", None)
    families = [line.split()[2] for line in samples(metrics, "# TYPE") if " process_" not in line]
    assert [each for each in families if not each.endswith("_created")] == [
        "ovnguard_build_info",
        "ovnk_reconcile_passes_total",
        "ovnk_reconcile_pass_duration_seconds",
    ]
