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
