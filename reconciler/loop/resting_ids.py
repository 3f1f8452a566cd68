"""Ids of removed nodes, which rest for an hour before another node gets them.

Neighbours and connection tracking on other nodes may still contain the addresses that follow from such an id. The next
leader must know of them, so they are kept as a text that survives a process.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from validators.network.addresses.addressing import MAX_NODE_ID, MIN_NODE_ID
from validators.network.parse_values import decimal

REST: Final = timedelta(hours=1)
_MAX_TEXT: Final = 256 * 1024


class RestingIds:
    """The resting ids at the time of ``clock``; a node is known by its name."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._held: Mapping[str, int] = {}
        self._until: dict[int, datetime] = {}

    def seen(self, held: Mapping[str, int]) -> frozenset[int]:
        """Take notice of the ids that nodes hold now, by node; return the resting ones."""
        now, taken = self._clock(), set(held.values())
        for number in set(self._held.values()) - taken:
            self._until.setdefault(number, now + REST)
        self._held = held
        # No id rests for longer than an hour, also when somebody sets the clock back.
        latest = {number: min(until, now + REST) for number, until in self._until.items()}
        self._until = {number: until for number, until in latest.items() if until > now and number not in taken}
        return frozenset(self._until)

    def recall(self, text: str) -> None:
        """Add the ids of an earlier process from its text; what cannot be read is ignored."""
        latest = self._clock() + REST
        for number, until in _entries(text):
            rests = min(until, latest)
            self._until[number] = max(self._until.get(number, rests), rests)

    @property
    def text(self) -> str:
        """The ids for the next process."""
        until = {str(number): self._until[number].isoformat() for number in sorted(self._until)}
        return json.dumps(until, separators=(",", ":")) if until else ""


def _entries(text: str) -> list[tuple[int, datetime]]:
    try:
        found = json.loads(text) if 0 < len(text) <= _MAX_TEXT else {}
    except (ValueError, RecursionError):
        return []
    entries = []
    for key, value in found.items() if isinstance(found, dict) else ():
        number = decimal(key, MIN_NODE_ID, MAX_NODE_ID)
        try:
            until = datetime.fromisoformat(value) if isinstance(value, str) else None
        except ValueError:
            continue
        if number is not None and until is not None and until.tzinfo is not None:
            entries.append((number, until))
    return entries
