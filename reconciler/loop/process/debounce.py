"""Debouncing: events in quick succession start one tick, and a signal ends the loop."""

import queue
import time
from collections import deque
from collections.abc import Callable
from typing import Final

QUIET: Final = 0.1
LONGEST: Final = 1.0
_SLICE: Final = 0.5


class Debouncer:
    """Wakes the loop. Threads and signal handlers may call `notify` and `stop`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        # The one queue of the standard library that is safe to use in a signal handler.
        self._tokens: queue.SimpleQueue[float] = queue.SimpleQueue()
        # One entry per event, in the one container that several threads may extend without a lock.
        self._waiting: deque[None] = deque()
        self._clock = clock
        self._stopping = False
        self._heard: float | None = None

    def stopping(self) -> bool:
        """Whether stop was requested."""
        return self._stopping

    def notify(self) -> None:
        """Report that something changed."""
        self._waiting.append(None)
        # After a token that nobody has taken yet comes a tick that sees this change, so a burst needs one token.
        if self._tokens.empty():
            self._tokens.put(self._clock())

    def stop(self) -> None:
        """Request the end as soon as possible."""
        self._stopping = True
        self._tokens.put(self._clock())

    def waiting(self) -> int:
        """Return how many events no tick has seen yet."""
        return len(self._waiting)

    def heard(self) -> float | None:
        """Return when the first event came that ended the last `wait` or waited for its end, None without an event."""
        return self._heard

    def wait(self, timeout: float) -> None:
        """Return after an event and a short quiet period, after ``timeout`` seconds, or when stopped."""
        self._heard = None
        if self._take(timeout):
            end = self._clock() + LONGEST
            while not self._stopping and self._take(min(QUIET, end - self._clock())) and self._clock() < end:
                pass
        self._waiting.clear()

    def rest(self, least: float, most: float) -> bool:
        """Return after ``most`` seconds, after an event but not before ``least`` seconds, or when stopped.

        Return whether an event came.
        """
        self._heard = None
        began, came = self._clock(), False
        while not self._stopping and (left := began + (min(least, most) if came else most) - self._clock()) > 0:
            came = self._take(left) or came
        self._waiting.clear()
        return came

    def _take(self, timeout: float) -> bool:
        """Whether a token arrives within ``timeout`` seconds.

        Signal handlers run between two steps of the main thread, so it must not sleep for long at a time: the kernel
        may have handed the signal to another thread, which does not wake this one.
        """
        end = self._clock() + timeout
        while True:
            left = max(end - self._clock(), 0.0)
            try:
                came = self._tokens.get(timeout=min(left, _SLICE))
            except queue.Empty:
                if left <= _SLICE:
                    return False
            else:
                self._heard = came if self._heard is None else self._heard
                return True
