"""How long a judgement may take, and that nobody waits for a late one."""

import threading
import time
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.admission import deadline
from webhook.admission.deadline import DEFAULT_SECONDS, LONGEST_SECONDS, Deadlined, Overdue, seconds_for


@pytest.mark.parametrize(
    ("timeout", "seconds"),
    [
        (None, DEFAULT_SECONDS),
        ("", DEFAULT_SECONDS),
        ("5", DEFAULT_SECONDS),
        ("-5s", DEFAULT_SECONDS),
        ("0s", DEFAULT_SECONDS),
        ("5s5", DEFAULT_SECONDS),
        ("1s" * 40, DEFAULT_SECONDS),
        ("5s", 4.0),
        ("1s", 0.8),
        ("500ms", 0.4),
        ("1.5s", 1.2),
        ("30s", LONGEST_SECONDS),
        ("1m0s", LONGEST_SECONDS),
        ("0h0m2s", 1.6),
    ],
)
def test_seconds(timeout, seconds):
    assert seconds_for(timeout) == pytest.approx(seconds)


@given(st.text(max_size=80))
def test_any_text_is_bounded(text):
    assert 0 < seconds_for(text) <= LONGEST_SECONDS


def test_results_and_errors_come_back():
    deadlined = Deadlined(1)
    assert deadlined.run(lambda: 7, 1) == 7
    with pytest.raises(ZeroDivisionError):
        deadlined.run(lambda: 1 // 0, 1)


def test_timeout_of_the_work_itself_is_no_deadline():
    def work():
        raise TimeoutError("inside")

    with pytest.raises(TimeoutError, match="inside"):
        Deadlined(1).run(work, 1)


def test_late_work_is_left_alone_and_the_thread_comes_back():
    deadlined, release, done = Deadlined(1), threading.Event(), threading.Event()
    never = threading.Event()

    def late():
        release.wait(5)
        done.set()

    began = time.monotonic()
    with pytest.raises(Overdue, match=r"not judged within 0\.05 s"):
        deadlined.run(late, 0.05)
    # the only thread is taken, so this one is not even begun
    with pytest.raises(Overdue):
        deadlined.run(never.set, 0.05)
    assert time.monotonic() - began < 1
    release.set()
    assert done.wait(1)
    assert deadlined.run(lambda: "next", 1) == "next"
    assert not never.is_set()


def test_only_what_was_quick_many_times_is_done_in_the_callers_thread(monkeypatch):
    monkeypatch.setattr(deadline, "QUICK_SECONDS", 0.02)
    deadlined, here = Deadlined(1), threading.current_thread()
    for _ in range(deadline.PROVEN):
        assert deadlined.run(threading.current_thread, 1, "sort") is not here
    assert deadlined.run(threading.current_thread, 1, "sort") is here
    assert deadlined.run(threading.current_thread, 1, "another") is not here
    assert deadlined.run(threading.current_thread, 1) is not here
    # one slow piece, and the next has a deadline again
    deadlined.run(lambda: time.sleep(0.03), 1, "sort")
    with pytest.raises(Overdue):
        deadlined.run(lambda: time.sleep(0.2), 0.05, "sort")


def test_one_slow_piece_among_many_is_soon_forgiven_and_a_second_is_not(monkeypatch):
    monkeypatch.setattr(deadline, "QUICK_SECONDS", 0.05)
    deadlined, here = Deadlined(1), threading.current_thread()
    for _ in range(deadline.PROVEN + deadline.SURE):
        deadlined.run(int, 1, "sort")
    deadlined._quick["sort"] = deadline.SURE  # whatever the machine was busy with
    deadlined.run(lambda: time.sleep(0.07), 1, "sort")
    for _ in range(deadline.AGAIN):
        assert deadlined.run(threading.current_thread, 1, "sort") is not here
    assert deadlined.run(threading.current_thread, 1, "sort") is here
    deadlined.run(lambda: time.sleep(0.07), 1, "sort")
    for _ in range(deadline.PROVEN):
        assert deadlined.run(threading.current_thread, 1, "sort") is not here
    assert deadlined.run(threading.current_thread, 1, "sort") is here


def test_an_error_proves_nothing():
    deadlined, here = Deadlined(1), threading.current_thread()
    for _ in range(deadline.PROVEN):
        deadlined.run(int, 1, "sort")
    with pytest.raises(ZeroDivisionError):
        deadlined.run(lambda: 1 // 0, 1, "sort")
    assert deadlined.run(threading.current_thread, 1, "sort") is not here


def test_sorts_are_bounded():
    deadlined = Deadlined(1)
    for number in range(deadline.MAX_SORTS * 2 + 3):
        deadlined.run(int, 1, number)
    assert len(deadlined._quick) <= deadline.MAX_SORTS


class Heavy:
    """What a piece of work is about."""

    def __call__(self) -> int:
        return 1


def test_nothing_is_kept_of_work_that_is_done():
    deadlined, heavy = Deadlined(2), Heavy()
    assert deadlined.run(heavy, 5) == 1
    kept = weakref.ref(heavy)
    del heavy
    # the thread may be on its way back to its queue
    for _ in range(200):
        if kept() is None:
            return
        time.sleep(0.005)
    raise AssertionError("a thread that waits for work still has the former one")
