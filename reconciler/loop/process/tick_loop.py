"""Ticks until stopped: after events, periodically without events, and with growing pauses after failures."""

import logging
import random
from collections.abc import Callable, Sequence
from typing import Final

from ovnguard.reconciler.loop.process.debounce import Debouncer

RESYNC: Final = 30.0
FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 10.0

_log = logging.getLogger(__name__)


def run(
    tick: Callable[[], Sequence[str]],
    wake: Debouncer,
    resync: float = RESYNC,
    jitter: Callable[[], float] = random.random,
    due: Callable[[], float | None] = lambda: None,
) -> None:
    """Call ``tick`` until ``wake`` is stopped. The failures that a tick returns are retried.

    What changes meanwhile does not wait for the retry: a failure of one part delays no other.

    Even without events a tick comes every ``resync`` seconds, because changes by others to the database or the file may
    go unreported. ``due`` returns after how many seconds a tick has something to do earlier, None for never.
    """
    failures, before, hurried = 0, frozenset[str](), False
    while not wake.stopping():
        problems = tick()
        if wake.stopping():
            return
        if not problems:
            if failures:
                _log.info("recovered after %d failed attempts", failures)
            failures, before, hurried = 0, frozenset(), False
            sooner = due()
            wake.wait(resync if sooner is None else min(resync, sooner))
            continue
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures, 16)) * (0.5 + jitter() / 2)
        for problem in problems:
            # what fails again after an event was said
            if not hurried or problem not in before:
                _log.warning("%s; next try in %.1f s", problem, pause)
        hurried = wake.rest(FIRST_PAUSE, pause)
        failures, before = failures + (not hurried), frozenset(problems)
