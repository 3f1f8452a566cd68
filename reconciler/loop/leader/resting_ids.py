"""Ids of removed nodes, which rest for an hour before another node gets them.

Neighbours and connection tracking on other nodes may still contain the addresses that follow from such an id. The next
leader must know of them, so they are kept as a text that survives a process. The text says how long each still rests:
no time of day is compared, so a clock that somebody sets ends no rest early, and the time without a leader does not
count.
"""

import json
import math
from collections.abc import Callable, Mapping
from typing import Final

from ovnguard.validators.network.addresses.addressing import MAX_NODE_ID, MIN_NODE_ID
from ovnguard.validators.network.parse_values import decimal

REST: Final = 3600
"""Seconds."""
_MAX_TEXT: Final = 256 * 1024


class RestingIds:
    """The resting ids by a clock that measures durations; a node is known by its name."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._held: Mapping[str, int] = {}
        self._until: dict[int, float] = {}
        self.text = ""
        """The ids for the next process, as of the latest look."""

    def seen(self, held: Mapping[str, int]) -> frozenset[int]:
        """Take notice of the ids that nodes hold now, by node; return the resting ones."""
        now, taken = self._monotonic(), set(held.values())
        for number in set(self._held.values()) - taken:
            self._until.setdefault(number, now + REST)
        self._held = held
        self._until = {number: until for number, until in self._until.items() if until > now and number not in taken}
        left = {str(number): math.ceil(self._until[number] - now) for number in sorted(self._until)}
        self.text = json.dumps(left, separators=(",", ":")) if left else ""
        return frozenset(self._until)

    def recall(self, text: str) -> None:
        """Add the ids of an earlier process from its text; what cannot be read is ignored."""
        if text == self.text:
            return
        now = self._monotonic()
        for number, left in _entries(text):
            self._until[number] = max(self._until.get(number, now), now + left)


def _entries(text: str) -> list[tuple[int, int]]:
    try:
        found = json.loads(text) if 0 < len(text) <= _MAX_TEXT else {}
    except (ValueError, RecursionError):
        return []
    entries = []
    for key, value in found.items() if isinstance(found, dict) else ():
        number = decimal(key, MIN_NODE_ID, MAX_NODE_ID)
        if number is not None and isinstance(value, int) and not isinstance(value, bool):
            entries.append((number, min(value, REST)))
    return entries
