"""How many connections each worker process has, known to all of them, so that they can share them out evenly.

All workers wait for the same listening socket, and whoever is quick takes what comes: of eight connections that are
kept, one of two workers often had seven, and the other processor nothing to do. So a worker that has more than another
leaves a new connection to that one. It does so for a moment only: where the other is busy with something else, the
connection is taken by whoever is there.
"""

import mmap
from typing import Final

PLACES: Final = 64
_FREE: Final = -1


class Shares:
    """Counts in memory that forked processes share. To be made before they are."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 4 * PLACES)
        self._counts = memoryview(self._memory).cast("i")
        self._taken: set[int] = set()
        for place in range(PLACES):
            self._counts[place] = _FREE

    def take(self) -> int | None:
        """Return a place for a process that is to be made; None where there is none left. For the master alone."""
        place = next((place for place in range(PLACES) if place not in self._taken), None)
        if place is not None:
            self._taken.add(place)
        return place

    def release(self, place: int | None) -> None:
        """Free the place of a process that has ended. For the master alone."""
        if place is not None:
            self.leave(place)
            self._taken.discard(place)

    def tell(self, place: int | None, count: int) -> None:
        """Say how many connections the process at ``place`` has."""
        if place is not None:
            self._counts[place] = count

    def leave(self, place: int | None) -> None:
        """The process at ``place`` accepts nothing more."""
        self.tell(place, _FREE)

    def others(self, place: int | None) -> list[int]:
        """Return the counts of all other processes that accept connections."""
        if place is None:
            return []
        return [count for number, count in enumerate(self._counts) if count != _FREE and number != place]


class Courtesy:
    """Whether a new connection is left to a worker that has fewer."""

    def __init__(self) -> None:
        self._left: int | None = None
        self._vain = 0
        self._due = 0

    def leaves(self, own: int, others: list[int]) -> bool:
        """Return whether a worker with ``own`` connections leaves a new one to the ``others``.

        Each time that those do not take it, twice as many are taken here before one is left to them again.
        """
        left, self._left = self._left, None
        fewer = bool(others) and min(others) < own
        if left is not None and sum(others) <= left:
            self._due = 1 << min(self._vain, 10)
            self._vain += 1
        elif left is not None or not fewer:
            self._vain = self._due = 0
        if self._due:
            self._due -= 1
            return False
        if fewer:
            self._left = sum(others)
        return fewer
