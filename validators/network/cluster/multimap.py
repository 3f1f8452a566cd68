"""Values by key, those of one key in their order."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    """Return all values of each key."""
    found: dict[K, tuple[V, ...]] = {}
    more: dict[K, list[V]] = {}
    for key, value in pairs:
        # most keys have one value
        if key in found:
            more.setdefault(key, []).append(value)
        else:
            found[key] = (value,)
    found.update((key, (*found[key], *values)) for key, values in more.items())
    return found


def distinct(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    """Return the values of each key, every one once, in the order of its first occurrence."""
    found: dict[K, tuple[V, ...]] = {}
    more: dict[K, list[V]] = {}
    for key, value in pairs:
        if key not in found:
            found[key] = (value,)
        elif found[key][0] != value:
            more.setdefault(key, []).append(value)
    found.update((key, (*found[key], *dict.fromkeys(values))) for key, values in more.items())
    return found
