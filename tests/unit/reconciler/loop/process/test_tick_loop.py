"""Ticks, pauses, and the end."""

import logging
from typing import cast

import pytest

from ovnguard.reconciler.loop.process.debounce import Debouncer
from ovnguard.reconciler.loop.process.tick_loop import FIRST_PAUSE, LONGEST_PAUSE, run


class Recorded:
    """A Debouncer that only writes down how it was used, and stops after `ticks` ticks."""

    def __init__(self, outcomes, events=()) -> None:
        self._outcomes, self._events = list(outcomes), list(events)
        self.pauses: list[tuple[str, float]] = []

    def tick(self):
        return self._outcomes.pop(0)

    def stopping(self) -> bool:
        return not self._outcomes and len(self.pauses) > 0

    def wait(self, timeout: float) -> None:
        self.pauses.append(("wait", timeout))

    def rest(self, least: float, most: float) -> bool:
        assert least == FIRST_PAUSE
        self.pauses.append(("rest", most))
        return bool(self._events and self._events.pop(0))


def go(*outcomes):
    recorded = Recorded([*outcomes, ()])
    run(recorded.tick, cast(Debouncer, recorded), resync=30.0, jitter=lambda: 1.0)
    return recorded.pauses


def test_after_a_good_tick_it_waits_for_events():
    assert go((), ()) == [("wait", 30.0)] * 2


@pytest.mark.parametrize(("due", "pause"), [(None, 30.0), (7.5, 7.5), (90.0, 30.0)])
def test_what_is_due_earlier_is_done_earlier(due, pause):
    recorded = Recorded([()])
    run(recorded.tick, cast(Debouncer, recorded), resync=30.0, due=lambda: due)
    assert recorded.pauses == [("wait", pause)]


def test_failures_are_followed_by_growing_pauses(caplog):
    pauses = go(*[("nb is down",)] * 8, ())
    assert pauses[:8] == [("rest", min(FIRST_PAUSE * 2**n, LONGEST_PAUSE)) for n in range(8)]
    assert pauses[8] == ("wait", 30.0)
    assert caplog.messages[0] == "nb is down; next try in 0.5 s"


def test_events_during_a_failure_are_seen_and_neither_lengthen_the_pause_nor_repeat_the_log(caplog):
    recorded = Recorded([("x",), ("x",), ("x", "y"), ("x",), ()], events=[True, True, False])
    run(recorded.tick, cast(Debouncer, recorded), jitter=lambda: 1.0)
    assert recorded.pauses == [("rest", 0.5), ("rest", 0.5), ("rest", 0.5), ("rest", 1.0)]
    assert caplog.messages == ["x; next try in 0.5 s", "y; next try in 0.5 s", "x; next try in 1.0 s"]


def test_the_first_good_tick_resets_the_pause_and_is_logged(caplog):
    caplog.set_level(logging.INFO)
    pauses = go(("x",), ("x",), (), ("x",))
    assert pauses == [("rest", 0.5), ("rest", 1.0), ("wait", 30.0), ("rest", 0.5)]
    assert "recovered after 2 failed attempts" in caplog.messages


def test_every_problem_is_logged(caplog):
    go(("api is down", "nb is down"), ())
    assert caplog.messages == ["api is down; next try in 0.5 s", "nb is down; next try in 0.5 s"]


def test_a_bug_is_not_swallowed():
    def tick():
        raise KeyError("a bug")

    with pytest.raises(KeyError):
        run(tick, cast(Debouncer, Recorded([()])))
