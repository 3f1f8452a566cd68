"""How far the zone has come, each thing said once."""

from ovnguard.reconciler.loop.zone.propagation import LATE, PropagationReport


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_each_message_is_logged_once_per_write():
    clock = Clock()
    following = PropagationReport(clock)
    assert following.news(None) == ()
    assert following.news((7, 6, 6)) == ()
    clock.now += 1.5
    assert following.news((7, 7, 6)) == ("northd has followed to nb_cfg 7 (1.5 s after the write was noticed)",)
    assert following.news((7, 7, 6)) == ()
    clock.now += 1
    assert following.news((7, 7, 7)) == ("all chassis have followed to nb_cfg 7 (2.5 s after the write was noticed)",)
    assert following.news((8, 7, 7)) == ()
    assert following.news((8, 8, 7)) == ("northd has followed to nb_cfg 8 (0.0 s after the write was noticed)",)


def test_a_northd_that_does_not_follow_is_reported():
    clock = Clock()
    following = PropagationReport(clock)
    assert following.news((7, 3, 3)) == ()
    clock.now += LATE
    (text,) = following.news((7, 3, 3))
    assert text == "northd is still at sb_cfg 3 and has not followed to nb_cfg 7 (60.0 s after the write was noticed)"
    assert following.news((7, 3, 3)) == ()
