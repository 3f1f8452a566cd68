"""Repaired rows, collected so that one Event names many."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from ovnguard.reconciler.apply.ovn.repairs import Repair

REPAIRS_PAUSE: Final = 60.0
"""The seconds for which repairs are collected into one Event."""
NAMED: Final = 5
"""The number of rows that an Event names."""
# The maximum number of different rows that are remembered in between.
_MOST_ROWS: Final = 1000


class PendingRepairs:
    """Rows that were repaired since the last Event about them."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._rows: Counter[Repair] = Counter()
        self._more = 0
        self._not_before = monotonic()

    def add(self, repairs: Iterable[Repair]) -> None:
        """Count ``repairs``."""
        for repair in repairs:
            if repair in self._rows or len(self._rows) < _MOST_ROWS:
                self._rows[repair] += 1
            else:
                self._more += 1

    def due(self) -> str:
        """Return the text to report now and forget it; '' when there is none or it is too early."""
        now = self._monotonic()
        if not self._rows or now < self._not_before:
            return ""
        self._not_before = now + REPAIRS_PAUSE
        first = list(self._rows.items())[:NAMED]
        rest = self._rows.total() + self._more - sum(count for _, count in first)
        self._rows.clear()
        self._more = 0
        named = [f"{repair} ({count} times)" if count > 1 else str(repair) for repair, count in first]
        return "; ".join([*named, f"and {rest} more"] if rest else named)
