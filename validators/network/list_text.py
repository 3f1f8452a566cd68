"""Lists for messages, shortened to a few items and a count."""

from collections.abc import Iterable, Sequence
from typing import Final

MOST_NAMED: Final = 3


def shortlist(names: Iterable[str], most: int = MOST_NAMED) -> str:
    """Return ``a, b, c and 4 more``, or ``a`` for a single name."""
    listed = tuple(names)
    more = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def counted(number: int, one: str, many: str = "") -> str:
    """Return ``1 node``, ``2,000 nodes``; ``many`` is for words that do not end in s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def and_elsewhere(places: Sequence[str]) -> str:
    """Return ``; also in b, c`` for all places except the first; empty when there is no other."""
    return f"; also in {shortlist(places[1:])}" if len(places) > 1 else ""
