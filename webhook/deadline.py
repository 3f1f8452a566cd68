"""How long a judgement may take, and what becomes of one that takes longer.

An API server says in the query of its call how long it waits (``?timeout=5s``). What we answer after that nobody reads,
so our own deadline is earlier. A judgement cannot be interrupted; it runs in a thread of a pool, and the thread that
holds the connection stops waiting for it. The late one comes to its end by itself (rules have a cost budget), and until
then it only holds its place in the pool.

Source of the query: k8s.io/apiserver, ``pkg/admission/plugin/webhook`` (``Timeout`` of the request).
"""

import re
from collections.abc import Callable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Final, TypeVar

T = TypeVar("T")

DEFAULT_SECONDS: Final = 4.0
"""For a caller that does not say how long it waits: what remains of the five seconds that we are registered with."""
LONGEST_SECONDS: Final = 9.0
"""For callers that would wait longer; a connection is cut after ten."""
SHARE: Final = 0.8
"""Which part of the caller's time is ours; the rest is for the way there and back."""
_DURATION: Final = re.compile(r"(?:[0-9]{1,9}(?:\.[0-9]{1,9})?(?:h|m|s|ms|us|µs|ns))+")
_PART: Final = re.compile(r"([0-9.]+)(ms|us|µs|ns|h|m|s)")
_UNITS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


class Overdue(Exception):
    """A judgement was not there in time; ``seconds`` is how long it was waited for."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"not judged within {seconds:g} s")
        self.seconds = seconds


def seconds_for(timeout: str | None) -> float:
    """Return how many seconds a judgement may take whose caller waits for ``timeout``, a duration as Go writes it.

    What is no such duration counts as none at all.
    """
    if timeout is None or len(timeout) > 64 or _DURATION.fullmatch(timeout) is None:
        return DEFAULT_SECONDS
    given = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(timeout))
    return min(given * SHARE, LONGEST_SECONDS) if given > 0 else DEFAULT_SECONDS


class Deadlined:
    """Threads in which work is done that somebody waits for, but not for ever."""

    def __init__(self, threads: int) -> None:
        """Work beyond ``threads`` pieces at a time waits for its turn, and its deadline does not wait with it."""
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="judge")

    def run(self, work: Callable[[], T], seconds: float) -> T:
        """Return what ``work`` returns, or raise what it raises; raise Overdue after ``seconds``.

        Work that has not begun by then is never begun.
        """
        future = self._pool.submit(work)
        try:
            return future.result(seconds)
        except (TimeoutError, CancelledError):
            # an error of the work itself is no deadline of ours
            if future.done() and not future.cancelled():
                raise
            future.cancel()
            raise Overdue(seconds) from None
