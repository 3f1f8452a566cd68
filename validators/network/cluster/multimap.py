"""Values by key, those of one key in their order."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    """Return all values of each key."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in found.items()}


def distinct(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    """Return the values of each key, every one once, in the order of its first occurrence."""
    return {key: tuple(dict.fromkeys(values)) for key, values in grouped(pairs).items()}
