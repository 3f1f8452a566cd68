"""When a write that failed is tried again: after growing pauses, for each object on its own.

A refused object delays no other one, and its error is logged once, not with every attempt.
"""

import logging
import random
import time
from collections.abc import Callable, Hashable
from typing import Final, NamedTuple

from validators.cluster.client_protocol import ApiStatusError, ClusterError

FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 60.0
"""Seconds, before a random part of at most one half is taken off."""
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
    """The writes that failed, by a key that names the object and the content. ``monotonic`` returns seconds."""

    def __init__(
        self, monotonic: Callable[[], float] = time.monotonic, jitter: Callable[[], float] = random.random
    ) -> None:
        self._monotonic = monotonic
        self._jitter = jitter
        self._failed: dict[Hashable, _Failure] = {}

    def waits(self, key: Hashable) -> bool:
        """Return whether it is too early for another attempt."""
        return key in self._failed and self._monotonic() < self._failed[key].at

    def failed(self, key: Hashable, text: str, level: int = logging.WARNING) -> None:
        """Postpone the next attempt; log ``text`` unless it is that of the last one."""
        now, before = self._monotonic(), self._failed.get(key)
        attempts = 0 if before is None else before.attempts
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempts, 16)) * (0.5 + self._jitter() / 2)
        if before is None or before.text != text:
            _log.log(level, "%s; next try in %.1f s", text, pause)
        # what nobody tries any more is forgotten
        self._failed = {each: failure for each, failure in self._failed.items() if now - failure.at < LONGEST_PAUSE}
        self._failed[key] = _Failure(text, attempts + 1, now + pause)

    def succeeded(self, key: Hashable) -> None:
        """Forget the failures of ``key``."""
        self._failed.pop(key, None)

    def due(self) -> float | None:
        """Return the seconds until the next attempt, None if there is none."""
        now = self._monotonic()
        return min((each.at - now for each in self._failed.values() if each.at > now), default=None)


def is_refusal(error: ClusterError) -> bool:
    """Return whether the API server refused the content of the request."""
    return isinstance(error, ApiStatusError) and error.code in _REFUSALS


def is_about_one_object(error: ClusterError) -> bool:
    """Return whether requests about other objects may succeed."""
    return isinstance(error, ApiStatusError) and error.code not in _OF_ALL


def earliest(*times: float | None) -> float | None:
    """Return the least of the times that there are."""
    return min((each for each in times if each is not None), default=None)
