"""Values of many objects by key, each key's values in the order of their objects; a change updates only its keys."""

from collections.abc import Callable, Iterable, Mapping
from heapq import merge
from typing import Final, Generic, TypeAlias, TypeVar

from validators.network.cluster.incremental import ObservedObjects
from validators.network.cluster_view import GroupKind

K = TypeVar("K")
V = TypeVar("V")
R = TypeVar("R")

Token: TypeAlias = tuple[int, int]
"""The owner of a value: a lane, and the ``id()`` of an object. Lanes are ordered."""
Fold: TypeAlias = Callable[[tuple[V, ...]], R]
"""Derives the result from all values of one key."""

_Entries: TypeAlias = tuple[tuple[Token, V], ...]


class Groups(Generic[K, V, R]):
    """``shown`` maps each key with values to the result derived from them. Immutable; `after` returns a new one."""

    __slots__ = ("_entries", "_fold", "_lanes", "shown")

    shown: Mapping[K, R]

    def __init__(self, fold: Fold[V, R], lanes: tuple[GroupKind, ...]) -> None:
        """Start without entries. ``lanes``: the kind of the objects of each lane."""
        self._fold: Final = fold
        self._lanes: Final = lanes
        self._entries: Mapping[K, _Entries[V]] = {}
        self.shown = {}

    def after(
        self, now: ObservedObjects, gone: Iterable[tuple[K, Token]], come: Iterable[tuple[K, Token, V]]
    ) -> "Groups[K, V, R]":
        """Return the groups without some entries and with others, whose objects are among those of ``now``.

        ``come`` must be in the order of lanes and objects.
        """
        left: dict[K, set[Token]] = {}
        for key, token in gone:
            left.setdefault(key, set()).add(token)
        added: dict[K, _Entries[V] | list[tuple[Token, V]]] = {}
        for key, token, value in come:
            found = added.get(key)
            # most keys have one value
            if found is None:
                added[key] = ((token, value),)
            elif isinstance(found, list):
                found.append((token, value))
            else:
                added[key] = [*found, (token, value)]
        if not left and not added:
            return self
        entries, shown = dict(self._entries), dict(self.shown)
        for key in {**left, **added}:
            away, more = left.get(key, ()), added.get(key, ())
            held = [each for each in entries.get(key, ()) if each[0] not in away]
            if held and more:
                # Merged, not sorted: an object that a view lists twice has one position but two entries, whose order
                # must not change.
                more = list(merge(held, more, key=lambda each: self._place(now, each[0])))
            all_of_key = tuple(more or held)
            if all_of_key:
                entries[key] = all_of_key
                shown[key] = self._fold(tuple([value for _, value in all_of_key]))
            else:
                entries.pop(key, None)
                shown.pop(key, None)
        made: Groups[K, V, R] = Groups(self._fold, self._lanes)
        made._entries, made.shown = entries, shown
        return made

    def _place(self, now: ObservedObjects, token: Token) -> tuple[int, int]:
        lane, identity = token
        return lane, now.place(self._lanes[lane], identity) if lane >= 0 else identity


def distinct(values: tuple[V, ...]) -> tuple[V, ...]:
    """Return every value once, in the order of its first occurrence."""
    return values if len(values) == 1 else tuple(dict.fromkeys(values))


def as_they_are(values: tuple[V, ...]) -> tuple[V, ...]:
    """Return all values."""
    return values


def last(values: tuple[V, ...]) -> V:
    """Return the value of the last object."""
    return values[-1]
