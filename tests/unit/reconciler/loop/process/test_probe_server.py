"""The answers of a process to probes, over HTTP."""

import http.client
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ovnguard.reconciler.loop.process.metrics import Metrics
from ovnguard.reconciler.loop.process.probe_server import STALLED, Health, ProbeServer
from ovnguard.validators.cluster.client_protocol import ApiStatusError
from ovnguard.validators.cluster.watch_failures import WatchFailures

PAUSE = 30.0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def answering(health: Health, host: str = "127.0.0.1") -> Iterator[ProbeServer]:
    metrics = Metrics()
    metrics.follow_watches(health.watch_failures, health.failing)
    server = ProbeServer(host, 0, health, metrics)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def ask(server: ProbeServer, path: str, method: str = "GET", host: str = "127.0.0.1") -> tuple[int, str]:
    connection = http.client.HTTPConnection(host, server.port, timeout=10)
    connection.request(method, path)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, body


@pytest.mark.timing
def test_answers():
    clock = Clock()
    health = Health(PAUSE, clock)
    with answering(health) as server:
        assert ask(server, "/healthz") == (200, "ok\n")
        assert ask(server, "/readyz") == (503, "no tick has ended yet\n")
        health.ticked((), ("pods",))
        assert ask(server, "/readyz") == (503, "pods is not listed yet\n")
        health.ticked(("nb is down",), ())
        assert ask(server, "/readyz") == (503, "nb is down\n")
        health.ticked((), ())
        assert ask(server, "/readyz") == (200, "ok\n")
        assert ask(server, "/readyz", "HEAD") == (200, "")
        clock.now = PAUSE + STALLED + 1
        assert ask(server, "/healthz") == (503, "no tick has ended for 331 s\n")
        assert ask(server, "/readyz") == (503, "no tick has ended for 331 s\n")
        health.ticked((), ())
        assert ask(server, "/healthz") == (200, "ok\n")
        status, text = ask(server, "/metrics")
        assert (status, 'ovnk_reconcile_passes_total{result="ok"} 0.0' in text) == (200, True)
        assert ask(server, "/metrics", "POST") == (405, "only GET\n")
        assert ask(server, "/") == (404, "not found\n")


@pytest.mark.timing
def test_a_watch_that_has_failed_for_a_minute_makes_the_process_unready_and_has_a_metric():
    clock = Clock()
    health, watches = Health(PAUSE, clock), WatchFailures(clock)
    health.follow(watches)
    health.ticked((), ())
    with answering(health) as server:
        watches.failed("pods", ApiStatusError(403, "Forbidden", "pods is forbidden"), 30.0)
        clock.now = 59.0
        assert ask(server, "/readyz") == (200, "ok\n")
        counted = 'ovnk_reconcile_watch_failures_total{resource="pods"} 1.0'
        failing = 'ovnk_reconcile_watch_failing{reason="Forbidden",resource="pods"} 1.0'
        assert metrics_in(ask(server, "/metrics"), "watch") == [counted]
        clock.now = 60.0
        assert ask(server, "/readyz") == (503, "1 watch failed for 60 s (pods): 403 Forbidden: pods is forbidden\n")
        assert ask(server, "/healthz") == (200, "ok\n")
        assert metrics_in(ask(server, "/metrics"), "watch") == [counted, failing]
        watches.recovered("pods")
        assert ask(server, "/readyz") == (200, "ok\n")
        assert metrics_in(ask(server, "/metrics"), "watch") == [counted]


def metrics_in(answer: tuple[int, str], word: str) -> list[str]:
    """The samples whose name has a word."""
    return [line for line in answer[1].splitlines() if word in line.partition("{")[0] and not line.startswith("#")]


@pytest.mark.timing
def test_a_client_that_sends_nothing_keeps_no_other_waiting():
    with answering(Health(PAUSE)) as server:
        silent = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        silent.connect()
        assert ask(server, "/healthz") == (200, "ok\n")
        silent.close()


def test_an_address_that_is_taken_is_an_error():
    with answering(Health(PAUSE)) as server, pytest.raises(OSError, match="in use"):
        ProbeServer("127.0.0.1", server.port, Health(PAUSE), Metrics())
