"""Pauses of writes that failed, one by one."""

import pytest

from reconciler.loop.process.backoff import (
    FIRST_PAUSE,
    LONGEST_PAUSE,
    Backoff,
    earliest,
    is_about_one_object,
    is_refusal,
)
from validators.cluster.client_protocol import ApiStatusError, ClusterError


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
        assert bench.backoff.due() is None
    assert pauses == [min(LONGEST_PAUSE, FIRST_PAUSE * 2**n) for n in range(9)]


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
