"""Pauses after failed writes: each object has its own, and they end."""

from reconciler.loop.process.pauses import Pauses


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_pauses_double_up_to_a_limit_and_end_with_a_success() -> None:
    clock = Clock()
    pauses = Pauses(clock)
    assert (pauses.due(), pauses.rests("a")) == (None, False)
    lengths = []
    for _ in range(9):
        pauses.failed("a")
        due = pauses.due()
        assert due is not None
        lengths.append(due)
        assert pauses.rests("a")
        assert not pauses.rests("b")
        clock.now += due
        assert not pauses.rests("a")
    assert lengths == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    # it is due until somebody tries
    assert pauses.due() == 0.0
    pauses.ended("a")
    assert pauses.due() is None
    pauses.failed("a")
    assert pauses.due() == 0.5


def test_objects_that_nobody_writes_any_more_are_forgotten() -> None:
    pauses = Pauses(Clock())
    pauses.failed("a")
    pauses.failed("b")
    pauses.only(["b"])
    assert (pauses.rests("a"), pauses.rests("b")) == (False, True)
