"""When the loop looks again, in a time of its own."""

import os
import queue
import signal
import threading
import time
from typing import Any, cast

import pytest

from ovnguard.reconciler.loop.process.debounce import LONGEST, QUIET, Debouncer


class Clock:
    """A queue whose waiting moves the clock, and which is fed at given times."""

    def __init__(self, *arrivals: float) -> None:
        self.now = 0.0
        self.arrivals = list(arrivals)

    def __call__(self) -> float:
        return self.now

    def get(self, timeout: float) -> float:
        if self.arrivals and self.arrivals[0] <= self.now + timeout:
            came = self.arrivals.pop(0)
            self.now = max(self.now, came)
            return came
        self.now += timeout
        raise queue.Empty


def waking(*arrivals: float) -> tuple[Debouncer, Clock]:
    clock = Clock(*arrivals)
    wake = Debouncer(clock)
    wake._tokens = cast(Any, clock)
    return wake, clock


def test_without_events_it_waits_the_whole_time():
    wake, clock = waking()
    wake.wait(30.0)
    assert clock.now == pytest.approx(30.0)


def test_events_that_are_close_together_are_one():
    wake, clock = waking(1.0, 1.05, 1.1, 9.0)
    wake.wait(30.0)
    assert clock.now == pytest.approx(1.1 + QUIET)
    assert clock.arrivals == [9.0]


def test_the_first_event_that_nobody_has_seen_has_its_time():
    wake, clock = waking(1.0, 1.05, 2.0, 2.01)
    wake.wait(30.0)
    assert wake.heard() == 1.0
    # one came while the loop was busy
    clock.now = 5.0
    wake.wait(30.0)
    assert wake.heard() == 2.0
    wake.wait(30.0)
    assert wake.heard() is None


def test_a_stream_of_events_is_not_waited_out():
    wake, clock = waking(*(n * 0.05 for n in range(200)))
    wake.wait(30.0)
    assert LONGEST <= clock.now <= LONGEST + 0.06


def test_a_burst_while_the_loop_is_busy_takes_no_memory():
    wake = Debouncer()
    for _ in range(5000):
        wake.notify()
    assert wake._tokens.qsize() == 1
    wake.wait(30.0)
    wake.notify()
    assert wake._tokens.qsize() == 1


@pytest.mark.parametrize(
    ("events", "ends", "came"), [((), 5.0, False), ((0.1, 0.2, 0.3), 0.5, True), ((2.0,), 2.0, True)]
)
def test_a_rest_ends_with_an_event_but_not_at_once(events, ends, came):
    wake, clock = waking(*events)
    assert wake.rest(0.5, 5.0) is came
    assert clock.now == pytest.approx(ends)


@pytest.mark.timing
def test_stop_ends_waiting_and_sleeping_at_once():
    for wait in (lambda wake: wake.wait(60.0), lambda wake: wake.rest(0.5, 60.0)):
        wake = Debouncer()
        threading.Timer(0.05, wake.stop).start()
        began = time.monotonic()
        wait(wake)
        assert time.monotonic() - began < 30
        assert wake.stopping()


@pytest.mark.parametrize("send", [signal.raise_signal, lambda number: os.kill(os.getpid(), number)])
@pytest.mark.timing
def test_a_signal_handler_may_stop_it_whichever_thread_gets_the_signal(send):
    wake = Debouncer()
    before = signal.signal(signal.SIGUSR1, lambda *_: wake.stop())
    try:
        threading.Timer(0.05, send, [signal.SIGUSR1]).start()
        began = time.monotonic()
        wake.rest(0.5, 60.0)
        assert time.monotonic() - began < 30
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert wake.stopping()


def test_events_wait_until_a_tick_sees_them():
    wake = Debouncer()
    for count in (1, 2, 3):
        wake.notify()
        assert wake.waiting() == count
    wake.wait(0.0)
    assert wake.waiting() == 0
    wake.notify()
    wake.rest(0.0, 0.0)
    assert wake.waiting() == 0
