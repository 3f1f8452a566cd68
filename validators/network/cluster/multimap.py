"""Values by key, those of one key in their order."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
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


def again(
    collect: Callable[[Iterable[tuple[K, V]]], dict[K, tuple[V, ...]]],
    before: Mapping[K, tuple[V, ...]],
    pairs: Iterable[tuple[K, V]],
    keys: Collection[K],
) -> Mapping[K, tuple[V, ...]]:
    """Return ``collect(pairs)``, given its value ``before`` the values of only these ``keys`` changed."""
    if not keys:
        return before
    found = {**before}
    for key in keys:
        found.pop(key, None)
    found.update(collect(pair for pair in pairs if pair[0] in keys))
    return found
