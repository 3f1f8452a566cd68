"""Values derived from many objects follow changes incrementally: unchanged parts are not derived again.

Values are immutable, so several threads may read them, and derive the next ones, concurrently.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import compress, count
from operator import is_not
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast

from validators.base.json_types import JsonObject
from validators.network.cluster_view import GroupKind

T = TypeVar("T")

Seen: TypeAlias = tuple[tuple[GroupKind, Sequence[JsonObject] | None], ...]
"""The objects of some kinds at one moment."""

_FEW: Final = 16
_SHARE: Final = 2


class Change(NamedTuple):
    """The removed and the added objects of a kind; all others keep their order."""

    gone: tuple[JsonObject, ...]
    come: tuple[JsonObject, ...]


NOTHING: Final = Change((), ())
Changes: TypeAlias = Mapping[GroupKind, Change]
"""The changes of each changed kind."""


def change_of(before: Sequence[JsonObject] | None, now: Sequence[JsonObject] | None) -> Change | None:
    """Return the change between two results of a view; None when it is unknown or too large to be worth following.

    Objects are compared by identity: views replace an object that changes. That holds for tuples; a list may change in
    place.
    """
    if not isinstance(before, tuple) or not isinstance(now, tuple):
        return None
    shorter = min(len(before), len(now))
    head = next(compress(count(), map(is_not, before, now)), shorter)
    tail = next(compress(count(), map(is_not, reversed(before), reversed(now))), shorter)
    tail = min(tail, shorter - head)
    old, new = before[head : len(before) - tail], now[head : len(now) - tail]
    everywhere = set(map(id, now))
    stay = everywhere.intersection(map(id, old)).intersection(map(id, new))
    gone = tuple(obj for obj in old if id(obj) not in stay)
    come = tuple(obj for obj in new if id(obj) not in stay)
    if len(gone) + len(come) > max(_FEW, len(now) // _SHARE):
        return None
    # Values derived from an object that occurs twice cannot be subtracted once.
    if len(everywhere) < len(now) or len(set(map(id, gone))) < len(gone) or not everywhere.isdisjoint(map(id, gone)):
        return None
    kept = [id(obj) for obj in old if id(obj) in stay]
    return Change(gone, come) if kept == [id(obj) for obj in new if id(obj) in stay] else None


class Follower:
    """The newest value of every step, and the objects that each was derived from.

    ``closed``: the view never changes, so lists are as safe as tuples.
    """

    def __init__(self, *, closed: bool) -> None:
        self._closed = closed
        self._kept: dict[Callable[..., Any], tuple[Seen, Any]] = {}
        self._changes: dict[GroupKind, tuple[object, object, Change | None]] = {}
        self._places: dict[GroupKind, tuple[object, dict[int, int]]] = {}

    def newest(self, step: "Step[T]") -> tuple[Seen, T] | None:
        """Return the newest value, with the objects that it was derived from."""
        return self._kept.get(step)

    def at(self, step: "Step[T]", seen: Seen) -> T:
        """Return the value for the objects that were ``seen``."""
        kept = self._kept.get(step)
        if kept is not None and self._same(kept[0], seen):
            return cast(T, kept[1])
        # This tuple keeps the previous objects alive, so no new object can reuse their ``id()``.
        lasting = kept is not None and _lasts(kept[0]) and _lasts(seen)
        changes = self._between(kept[0], seen) if kept is not None and lasting else None
        made = step(ObservedObjects(self, seen), kept[1] if kept is not None and lasting else None, changes)
        self._kept[step] = (seen, made)
        return made

    def places(self, kind: GroupKind, objects: Sequence[JsonObject]) -> Mapping[int, int]:
        """Return the position of each object, by its ``id()``."""
        known = self._places.get(kind)
        if known is None or known[0] is not objects or not isinstance(objects, tuple):
            known = self._places[kind] = (objects, dict(zip(map(id, objects), range(len(objects)), strict=True)))
        return known[1]

    def _same(self, before: Seen, now: Seen) -> bool:
        pairs = zip(before, now, strict=True)
        return all(
            one is other and (self._closed or one is None or isinstance(one, tuple)) for (_, one), (_, other) in pairs
        )

    def _between(self, before: Seen, now: Seen) -> dict[GroupKind, Change] | None:
        found = {}
        for (kind, old), (_, new) in zip(before, now, strict=True):
            if old is not new:
                change = self._change(kind, old, new)
                if change is None:
                    return None
                found[kind] = change
        return found

    def _change(
        self, kind: GroupKind, before: Sequence[JsonObject] | None, now: Sequence[JsonObject] | None
    ) -> Change | None:
        """Cached, because several values follow the same change."""
        known = self._changes.get(kind)
        if known is None or known[0] is not before or known[1] is not now:
            known = self._changes[kind] = (before, now, change_of(before, now))
        return known[2]


def _lasts(seen: Seen) -> bool:
    return all(objects is None or isinstance(objects, tuple) for _, objects in seen)


class ObservedObjects:
    """The objects of some kinds at one moment, the only input of the steps that follow them."""

    def __init__(self, follower: Follower, seen: Seen) -> None:
        self._follower = follower
        self._seen = dict(seen)
        self.tells_changes: Final = _lasts(seen)
        """Whether later objects can be told from these."""

    def objects(self, kind: GroupKind) -> Sequence[JsonObject]:
        """Return all objects of one of the kinds, or none where they are unknown."""
        return self._seen[kind] or ()

    def knows(self, kind: GroupKind) -> bool:
        """Whether the objects of one of the kinds are known."""
        return self._seen[kind] is not None

    def followed(self, step: "Step[T]", *kinds: GroupKind) -> T:
        """Return the value of a step for the objects of this moment."""
        return self._follower.at(step, tuple((kind, self._seen[kind]) for kind in kinds))

    def place(self, kind: GroupKind, identity: int) -> int:
        """Return the position of the object with that ``id()`` among those of its kind."""
        return self._follower.places(kind, self.objects(kind))[identity]


Step: TypeAlias = Callable[[ObservedObjects, T | None, Changes | None], T]
"""Makes a value from the objects of one moment. The step receives its previous value when it exists and the view
reports

changes; the changes since then are None when there were too many to subtract, and the step derives from scratch.
"""
