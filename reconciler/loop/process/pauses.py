"""Pauses after failed writes, one for each object: a refused object delays no other."""

import time
from collections.abc import Callable, Collection, Hashable
from typing import Final

FIRST: Final = 0.5
LONGEST: Final = 30.0
"""Seconds after the first failure, and after many."""


class Pauses:
    """The pauses of objects, by any key."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._known: dict[Hashable, tuple[int, float]] = {}

    def rests(self, key: Hashable) -> bool:
        """Return whether the object is not tried yet."""
        return key in self._known and self._monotonic() < self._known[key][1]

    def failed(self, key: Hashable) -> None:
        """Begin a pause, twice as long as the last one."""
        times = self._known.get(key, (0, 0.0))[0]
        self._known[key] = (times + 1, self._monotonic() + min(LONGEST, FIRST * 2.0 ** min(times, 16)))

    def ended(self, key: Hashable) -> None:
        """Forget the failures of an object."""
        self._known.pop(key, None)

    def only(self, keys: Collection[Hashable]) -> None:
        """Forget the failures of all objects but these, which are still to be written."""
        self._known = {key: each for key, each in self._known.items() if key in keys}

    def due(self) -> float | None:
        """Return the seconds until the first pause ends, None without one."""
        now = self._monotonic()
        return min((max(0.0, until - now) for _, until in self._known.values()), default=None)
