"""When a write that failed is tried again: after growing pauses, for each object on its own.

A refused object delays no other one, and its error is logged once, not with every attempt.
"""

import logging
import random
import time
from collections.abc import Callable, Collection, Hashable
from typing import Final, NamedTuple

from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError

FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 60.0
"""Seconds of the first pause, and of those after many failures; a random part of at most one half is taken off longer
ones than the first.
"""
# Answers that are about the requested change: the same request fails again until something else changes.
_REFUSALS: Final = frozenset((400, 403, 413, 422))
# Answers that are about the process or the API server: every other request fails, too.
_OF_ALL: Final = frozenset((401, 429, 503))

_log = logging.getLogger(__name__)


class _Failure(NamedTuple):
    """The last of ``attempts`` failures, and the time of the next attempt."""

    text: str
    attempts: int
    at: float


class Backoff:
    """The writes that failed, by a key that names the object, or the object and the content. ``monotonic`` returns
    seconds.
    """

    def __init__(
        self, monotonic: Callable[[], float] = time.monotonic, jitter: Callable[[], float] = random.random
    ) -> None:
        self._monotonic = monotonic
        self._jitter = jitter
        self._failed: dict[Hashable, _Failure] = {}
        self._look_through = 0.0

    def waits(self, key: Hashable) -> bool:
        """Return whether it is too early for another attempt."""
        return key in self._failed and self._monotonic() < self._failed[key].at

    def failed(self, key: Hashable, text: str = "", level: int = logging.WARNING) -> None:
        """Postpone the next attempt; log ``text`` unless it is that of the last one, or empty."""
        now, before = self._monotonic(), self._failed.get(key)
        attempts = 0 if before is None else before.attempts
        most = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempts, 16))
        pause = max(FIRST_PAUSE, most * (0.5 + self._jitter() / 2))
        if text and (before is None or before.text != text):
            _log.log(level, "%s; next try in %.1f s", text, pause)
        if now >= self._look_through:
            # what nobody tries any more is forgotten
            self._failed = {each: failure for each, failure in self._failed.items() if now - failure.at < LONGEST_PAUSE}
            self._look_through = now + LONGEST_PAUSE
        self._failed[key] = _Failure(text, attempts + 1, now + pause)

    def succeeded(self, key: Hashable) -> None:
        """Forget the failures of ``key``."""
        self._failed.pop(key, None)

    def only(self, keys: Collection[Hashable]) -> None:
        """Forget the failures of all keys but these, which are still to be written."""
        self._failed = {key: each for key, each in self._failed.items() if key in keys}

    def due(self) -> float | None:
        """Return the seconds until the next attempt, None if there is none.

        An attempt that its time has passed by, because a tick asked too early or did not ask, is due after a pause as
        long as its delay: it is neither lost nor asked for all the time.
        """
        now = self._monotonic()
        delays = (now - each.at for each in self._failed.values())
        times = (max(FIRST_PAUSE, each) if each >= 0 else -each for each in delays if each < LONGEST_PAUSE)
        return min(times, default=None)


def is_refusal(error: ClusterError) -> bool:
    """Return whether the API server refused the content of the request."""
    return isinstance(error, ApiStatusError) and error.code in _REFUSALS


def is_about_one_object(error: ClusterError) -> bool:
    """Return whether requests about other objects may succeed."""
    return isinstance(error, ApiStatusError) and error.code not in _OF_ALL


def earliest(*times: float | None) -> float | None:
    """Return the least of the times that there are."""
    return min((each for each in times if each is not None), default=None)
