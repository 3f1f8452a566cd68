"""The watches of a process that fail now, for its log, its probes and its metrics.

Watches usually fail together and for one reason: the API server starts, or a right is missing. So the log names a
reason once when it appears, and all watches that it concerns when it lasts.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError, UnauthorizedError
from ovnguard.validators.network.list_text import counted, shortlist

NOTICED: Final = 10.0
"""Seconds after which a failure is worth a warning; a starting API server refuses for a shorter time."""
REPEATED: Final = 60.0
"""Seconds between two warnings about one reason."""
ESTABLISHED: Final = 1.0
"""Seconds after which an open watch works, although nothing has changed."""
TOGETHER: Final = 2.0
"""Seconds in which refusals are one line: a start asks for everything at once."""
UNREACHABLE: Final = "Unreachable"
"""The reason of a failure without a status of an API server."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WatchFailure:
    """The watch of ``resource`` has failed for ``seconds``; ``reason`` is one word, ``text`` the latest error."""

    resource: str
    reason: str
    text: str
    seconds: float


@dataclass(slots=True)
class _Failing:
    since: float
    reason: str
    text: str
    opened: float | None = None


def _later(seconds: float, call: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()


class WatchFailures:
    """The state of all watches of one process. Their threads write it; any thread may read it."""

    def __init__(
        self,
        monotonic: Callable[[], float] = time.monotonic,
        later: Callable[[float, Callable[[], None]], None] = _later,
    ) -> None:
        """``later`` calls a function after some seconds."""
        self._monotonic = monotonic
        self._later = later
        self._refused: dict[str, str] = {}
        self._lock = threading.Lock()
        self._failing: dict[str, _Failing] = {}
        self._warned: dict[str, float] = {}
        self._counts: Counter[str] = Counter()
        self._unauthorized = 0.0

    def failed(self, resource: str, error: ClusterError, pause: float) -> None:
        """Record that a list or a watch failed; the next attempt follows in ``pause`` seconds."""
        reason = (error.reason or str(error.code)) if isinstance(error, ApiStatusError) else UNREACHABLE
        with self._lock:
            now = self._monotonic()
            is_known = any(each.reason == reason for each in self._found(now))
            self._counts[resource] += 1
            self._unauthorized = error.seconds if isinstance(error, UnauthorizedError) else 0.0
            mine = self._failing.get(resource)
            if mine is None or _works(mine, now):
                mine = self._failing[resource] = _Failing(now, reason, str(error))
            mine.reason, mine.text, mine.opened = reason, str(error), None
            _log.log(logging.DEBUG if is_known else logging.INFO, "%s: %s; next try in %.1f s", resource, error, pause)
            if now - mine.since >= NOTICED and now - self._warned.get(reason, -REPEATED) >= REPEATED:
                self._warned[reason] = now
                _log.warning("%s", _described(each for each in self._found(now) if each.reason == reason))

    def opened(self, resource: str) -> None:
        """Record that a watch is open: unless it ends within `ESTABLISHED` seconds, it works again."""
        with self._lock:
            if resource in self._failing:
                self._failing[resource].opened = self._monotonic()

    def recovered(self, resource: str) -> None:
        """Record that a list is complete or an event came."""
        with self._lock:
            self._unauthorized = 0.0
            before = self._failing.pop(resource, None)
            if before is None or any(each.reason == before.reason for each in self._failing.values()):
                return
            if self._warned.pop(before.reason, None) is not None:
                _log.info("no watch fails any more: %s", before.reason)

    def refused(self, resource: str, error: ClusterError) -> None:
        """Record that nobody waits any longer for the right to read a resource; one line names all of a moment."""
        with self._lock:
            is_first = not self._refused
            self._refused[resource] = str(error)
        if is_first:
            self._later(TOGETHER, self._say_refused)

    def _say_refused(self) -> None:
        with self._lock:
            found, self._refused = self._refused, {}
        names, text, one = ", ".join(found), next(iter(found.values())), len(found) == 1
        example, what, are = ("", "it", "it is") if one else ("for example ", "them", "they are")
        _log.error("%s: %s%s; what needs %s is not checked until %s granted", names, example, text, what, are)

    def unauthorized(self) -> float:
        """Return for how many seconds the newest credentials were refused when a watch last failed."""
        return self._unauthorized

    def lasting(self, seconds: float) -> tuple[WatchFailure, ...]:
        """Return the watches that have failed for ``seconds`` or longer, the longest first."""
        with self._lock:
            found = self._found(self._monotonic())
        return tuple(each for each in found if each.seconds >= seconds)

    def counts(self) -> Mapping[str, int]:
        """Return how often each resource could not be listed or watched."""
        with self._lock:
            return dict(self._counts)

    def _found(self, now: float) -> list[WatchFailure]:
        found = [
            WatchFailure(resource, each.reason, each.text, now - each.since)
            for resource, each in self._failing.items()
            if not _works(each, now)
        ]
        return sorted(found, key=lambda each: -each.seconds)


def described(failures: Iterable[WatchFailure]) -> tuple[str, ...]:
    """Return one text for each reason of ``failures``: the resources, how long, and the latest error of one of them."""
    by_reason: dict[str, list[WatchFailure]] = {}
    for each in failures:
        by_reason.setdefault(each.reason, []).append(each)
    return tuple(map(_described, by_reason.values()))


def _described(failures: Iterable[WatchFailure]) -> str:
    found = list(failures)
    first = found[0]
    names = shortlist(each.resource for each in found)
    return f"{counted(len(found), 'watch', 'watches')} failed for {first.seconds:.0f} s ({names}): {first.text}"


def _works(failing: _Failing, now: float) -> bool:
    return failing.opened is not None and now - failing.opened >= ESTABLISHED
