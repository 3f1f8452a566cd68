"""How long a judgement may take, and what becomes of one that takes longer.

An API server says in the query of its call how long it waits (``?timeout=5s``). What we answer after that nobody reads,
so our own deadline is earlier. A judgement cannot be interrupted; it runs in a thread of a pool, and the thread that
holds the connection stops waiting for it. Only sorts of work that were quick many times in a row are spared that. The
late one comes to its end by itself (rules have a cost budget), and until
then it only holds its place in the pool.

Source of the query: k8s.io/apiserver, ``pkg/admission/plugin/webhook`` (``Timeout`` of the request).
"""

import re
import threading
import time
from collections.abc import Callable, Hashable
from functools import lru_cache
from queue import SimpleQueue
from typing import Final, TypeVar, cast

T = TypeVar("T")

DEFAULT_SECONDS: Final = 4.0
"""For a caller that does not say how long it waits: what remains of the five seconds that we are registered with."""
LONGEST_SECONDS: Final = 9.0
"""For callers that would wait longer; a connection is cut after ten."""
QUICK_SECONDS: Final = 0.05
"""A judgement that takes less needs no deadline; most take a fiftieth of it."""
PROVEN: Final = 8
SURE: Final = 64
AGAIN: Final = 2
"""How many must be quick after one that was not, where at least `SURE` before it were: a processor that was busy with
something else for a moment tells little of the work.
"""
MAX_SORTS: Final = 256
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


@lru_cache(maxsize=64)
def seconds_for(timeout: str | None) -> float:
    """Return how many seconds a judgement may take whose caller waits for ``timeout``, a duration as Go writes it.

    What is no such duration counts as none at all.
    """
    if timeout is None or len(timeout) > 64 or _DURATION.fullmatch(timeout) is None:
        return DEFAULT_SECONDS
    given = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(timeout))
    return min(given * SHARE, LONGEST_SECONDS) if given > 0 else DEFAULT_SECONDS


class Deadlined:
    """Threads in which work is done that somebody waits for, but not for ever.

    A `concurrent.futures.Future` would do the same for twice the time: a queue and one lock for each piece of work are
    all that is needed here.
    """

    def __init__(self, threads: int) -> None:
        """Work beyond ``threads`` pieces at a time waits for its turn, and its deadline does not wait with it."""
        self._queue: SimpleQueue[_Work] = SimpleQueue()
        self._free = threads
        self._lock = threading.Lock()
        self._quick: dict[Hashable, int] = {}

    def run(self, act: Callable[[], T], seconds: float, sort: Hashable = None) -> T:
        """Return what ``act`` returns, or raise what it raises; raise Overdue after ``seconds``.

        Work that has not begun by then is never begun. Work of a ``sort`` that was done in `QUICK_SECONDS` the last
        `PROVEN` times is done in the caller's own thread, which saves a sixth of a request's time; once it is slow,
        it goes to the others again, until it is proven anew.
        """
        if not self.proven(sort):
            return self._timed(lambda: self._apart(act, seconds), sort)
        return self._timed(act, sort)

    def proven(self, sort: Hashable) -> bool:
        """Whether work of a sort is done in the caller's own thread."""
        return sort is not None and self._quick.get(sort, 0) >= PROVEN

    def _timed(self, act: Callable[[], T], sort: Hashable) -> T:
        began, done = time.monotonic(), False
        try:
            result = act()
            done = True
        finally:
            if sort is not None:
                quick = done and time.monotonic() - began < QUICK_SECONDS
                if len(self._quick) >= MAX_SORTS and sort not in self._quick:
                    self._quick.clear()
                before = self._quick.get(sort, 0)
                self._quick[sort] = before + 1 if quick else PROVEN - AGAIN if before >= SURE else 0
        return result

    def _apart(self, act: Callable[[], T], seconds: float) -> T:
        work = _Work(act)
        self._queue.put(work)
        if self._free:
            self._begin_another()
        if not work.done.acquire(timeout=seconds):
            work.given_up = True
            raise Overdue(seconds)
        if work.error is not None:
            raise work.error
        return cast(T, work.result)

    def _begin_another(self) -> None:
        """Begin one thread more, up to the bound. Daemons: a stopping process does not wait for late work."""
        with self._lock:
            if self._free:
                self._free -= 1
                threading.Thread(target=self._work, name="judge", daemon=True).start()

    def _work(self) -> None:
        while True:
            work = self._queue.get()
            if not work.given_up:
                work.do()
            # or it would be kept, with all that it was about, until there is other work for this thread
            del work


class _Work:
    """One piece of work; ``done`` is released when it is."""

    __slots__ = ("act", "done", "error", "given_up", "result")

    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act
        self.done = threading.Lock()
        self.done.acquire()
        self.error: BaseException | None = None
        self.given_up = False
        self.result: object = None

    def do(self) -> None:
        """Act, and keep what comes of it."""
        try:
            self.result = self.act()
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is waited for
            self.error = error
        self.done.release()
