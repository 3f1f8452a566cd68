"""Pauses of writes that failed, one by one."""

import pytest

from ovnguard.reconciler.loop.process.backoff import (
    FIRST_PAUSE,
    LONGEST_PAUSE,
    Backoff,
    earliest,
    is_about_one_object,
    is_refusal,
)
from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError


class Bench:
    def __init__(self) -> None:
        self.seconds = 100.0
        self.backoff = Backoff(lambda: self.seconds, lambda: 1.0)


def test_pauses_grow_for_each_key_alone():
    bench = Bench()
    pauses = []
    for _ in range(9):
        bench.backoff.failed("a", "no")
        assert bench.backoff.waits("a")
        assert not bench.backoff.waits("b")
        pauses.append(bench.backoff.due())
        bench.seconds += pauses[-1] or 0.0
        assert not bench.backoff.waits("a")
    assert pauses == [min(LONGEST_PAUSE, FIRST_PAUSE * 2**n) for n in range(9)]


def test_no_pause_is_shorter_than_the_first_and_later_ones_differ():
    bench = Bench()
    backoff = Backoff(lambda: bench.seconds, lambda: 0.0)
    pauses = []
    for _ in range(9):
        backoff.failed("a")
        pauses.append(backoff.due())
        bench.seconds += pauses[-1] or 0.0
    assert pauses == [FIRST_PAUSE, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, LONGEST_PAUSE / 2, LONGEST_PAUSE / 2]


def test_an_attempt_that_its_time_has_passed_by_is_not_lost():
    """A tick may ask a moment too early, and end after the time of the attempt."""
    bench = Bench()
    bench.backoff.failed("a")
    bench.seconds += FIRST_PAUSE + 0.1
    assert bench.backoff.due() == FIRST_PAUSE


def test_an_attempt_that_nobody_makes_causes_few_ticks_and_is_forgotten():
    """As in a process that leads no longer."""
    bench = Bench()
    bench.backoff.failed("a")
    asked = []
    while (due := bench.backoff.due()) is not None:
        asked.append(due)
        bench.seconds += due
    assert asked == [0.5, 0.5, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0]


def test_failures_of_what_is_no_longer_to_be_written_are_forgotten():
    bench = Bench()
    bench.backoff.failed("a")
    bench.backoff.failed("b")
    bench.backoff.only(["b"])
    assert (bench.backoff.waits("a"), bench.backoff.waits("b")) == (False, True)


def test_without_a_text_nothing_is_logged(caplog: pytest.LogCaptureFixture):
    Bench().backoff.failed("a")
    assert caplog.messages == []


def test_the_first_of_several_attempts_is_due_and_a_success_forgets():
    bench = Bench()
    bench.backoff.failed("a", "no")
    bench.backoff.failed("a", "no")
    bench.backoff.failed("b", "no")
    assert bench.backoff.due() == FIRST_PAUSE
    bench.backoff.succeeded("b")
    assert bench.backoff.due() == 2 * FIRST_PAUSE
    bench.backoff.succeeded("a")
    bench.backoff.succeeded("a")
    assert bench.backoff.due() is None


def test_a_text_is_logged_once_until_it_changes(caplog: pytest.LogCaptureFixture):
    bench = Bench()
    for text in ("no", "no", "never", "no"):
        bench.backoff.failed("a", text)
        bench.seconds += LONGEST_PAUSE / 2
    assert caplog.messages == ["no; next try in 0.5 s", "never; next try in 2.0 s", "no; next try in 4.0 s"]


def test_what_nobody_tries_any_more_is_forgotten(caplog: pytest.LogCaptureFixture):
    bench = Bench()
    bench.backoff.failed("a", "no")
    bench.seconds += LONGEST_PAUSE + 1
    bench.backoff.failed("b", "no")
    bench.backoff.failed("a", "no")
    assert caplog.messages == ["no; next try in 0.5 s"] * 3


@pytest.mark.parametrize(
    ("error", "refused", "alone"),
    [
        (ApiStatusError(403, "Forbidden", ""), True, True),
        (ApiStatusError(422, "Invalid", ""), True, True),
        (ApiStatusError(500, "InternalError", ""), False, True),
        (ApiStatusError(503, "ServiceUnavailable", ""), False, False),
        (ApiStatusError(401, "Unauthorized", ""), False, False),
        (ClusterError("refused"), False, False),
    ],
)
def test_what_an_error_is_about(error: ClusterError, refused: bool, alone: bool):
    assert (is_refusal(error), is_about_one_object(error)) == (refused, alone)


def test_earliest():
    assert earliest(None, 3.0, 1.0) == 1.0
    assert earliest(None) is None
