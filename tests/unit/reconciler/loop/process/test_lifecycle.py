"""A process ends by itself when what it needs to watch the cluster is gone."""

import pytest

from ovnguard.reconciler.loop.process.debounce import Debouncer
from ovnguard.reconciler.loop.process.lifecycle import REFUSED_FOR, judge_live, keep
from ovnguard.reconciler.loop.process.metrics import Metrics
from ovnguard.reconciler.loop.process.probe_server import Health
from ovnguard.validators.cluster.client_protocol import UnauthorizedError
from ovnguard.validators.cluster.live_view import Informer
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.network.cluster_view import EmptyView
from tests.support.fake_cluster import cudn

PAUSE = 30.0


class Api:
    """Nobody asks it: no resource is watched."""

    def request(self, method, path, query=None, body=None, content_type=""):
        raise AssertionError

    def watch(self, path, query, idle_timeout):
        raise AssertionError


class Ticks:
    """Ticks of a process whose token the API server refuses for longer each time."""

    def __init__(self, *refused: float) -> None:
        self.wake = Debouncer()
        self.informer = Informer(Api(), (), self.wake.notify)
        self._refused = list(refused)
        self.count = 0

    def __call__(self) -> tuple[str, ...]:
        self.count += 1
        if not self._refused:
            self.wake.stop()
            return ()
        error = UnauthorizedError("Unauthorized", "Unauthorized", self._refused.pop(0))
        self.informer.failures.failed("nodes", error, 30.0)
        self.wake.notify()
        return ()

    def run(self, health: Health | None = None, metrics: Metrics | None = None) -> bool:
        return keep(self, self.informer, self.wake, PAUSE, health=health, metrics=metrics)


@pytest.mark.timing
def test_credentials_that_are_refused_for_two_minutes_end_the_process(caplog):
    ticks = Ticks(0.0, REFUSED_FOR - 1, REFUSED_FOR)
    with pytest.raises(SystemExit) as ended:
        ticks.run()
    assert (ended.value.code, ticks.count) == (Exit.INTERNAL, 3)
    assert caplog.messages == [
        "the API server has refused the newest credentials for 120 s (401): this process ends",
    ]


@pytest.mark.timing
def test_credentials_that_are_refused_for_a_shorter_time_do_not():
    health = Health(PAUSE)
    ticks = Ticks(0.0, REFUSED_FOR - 1)
    assert ticks.run(health) is True
    assert health.watch_failures() == {"nodes": 2}


class Failing(Ticks):
    """Ticks that fail until the process is stopped, each after two more events."""

    def __call__(self) -> tuple[str, ...]:
        before = self.count
        super().__call__()
        self.wake.notify()
        return () if before else ("away",)


@pytest.mark.timing
def test_passes_and_waiting_events_have_metrics():
    metrics = Metrics()
    ticks = Failing(0.0)
    assert ticks.run(metrics=metrics) is True
    lines = metrics.exposition()[1].decode().splitlines()
    counted = "ovnk_reconcile_passes_total"
    assert [line for line in lines if line.startswith((counted, "ovnk_reconcile_queue_depth"))] == [
        f'{counted}{{result="ok"}} 1.0',
        f'{counted}{{result="failed"}} 1.0',
        f'{counted}{{result="waiting"}} 0.0',
        "ovnk_reconcile_queue_depth 1.0",
    ]


def test_what_a_process_compiled_the_next_one_reads(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert judge_live()(cudn("blue"), EmptyView()).allowed
    folder = tmp_path / "ovnguard" / "compiled"
    kept = {each: each.stat().st_mtime_ns for each in folder.iterdir()}
    assert kept
    assert judge_live()(cudn("green"), EmptyView()).allowed
    assert {each: each.stat().st_mtime_ns for each in folder.iterdir()} == kept
