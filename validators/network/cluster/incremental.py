"""Values derived from many objects are kept until these objects change, and the next ones may reuse their parts.

Values are immutable, so several threads may read them, and derive the next ones, concurrently.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import GroupKind

T = TypeVar("T")

Seen: TypeAlias = tuple[tuple[GroupKind, Sequence[JsonObject] | None], ...]
"""The objects of some kinds at one moment."""


class Follower:
    """The newest value of every step, with the objects that it was derived from.

    ``closed``: the view never changes, so lists are as good as tuples.
    """

    def __init__(self, *, closed: bool) -> None:
        self._closed = closed
        self._kept: dict[Callable[..., Any], tuple[Seen, Any]] = {}

    def newest(self, step: "Step[T]") -> tuple[Seen, T] | None:
        """Return the newest value, with its sources."""
        return self._kept.get(step)

    def at(self, step: "Step[T]", seen: Seen) -> T:
        """Return the value for the objects in ``seen``."""
        kept = self._kept.get(step)
        if kept is not None and self._same(kept[0], seen):
            return cast(T, kept[1])
        # The former objects live as long as this tuple, so no other one can have the ``id()`` of one of them.
        before = kept[1] if kept is not None and _lasts(kept[0]) and _lasts(seen) else None
        made = step(ObservedObjects(self, seen), before)
        self._kept[step] = (seen, made)
        return made

    def _same(self, before: Seen, now: Seen) -> bool:
        pairs = zip(before, now, strict=True)
        return all(
            one is other and (self._closed or one is None or isinstance(one, tuple)) for (_, one), (_, other) in pairs
        )


def _lasts(seen: Seen) -> bool:
    return all(objects is None or isinstance(objects, tuple) for _, objects in seen)


class ObservedObjects:
    """The objects of some kinds at one moment: a step sees only these."""

    def __init__(self, follower: Follower, seen: Seen) -> None:
        self._follower = follower
        self._seen = dict(seen)

    def objects(self, kind: GroupKind) -> Sequence[JsonObject]:
        """Return all objects of one of the kinds; none if they are unknown."""
        return self._seen[kind] or ()

    def knows(self, kind: GroupKind) -> bool:
        """Whether the objects of one of the kinds are known."""
        return self._seen[kind] is not None

    def followed(self, step: "Step[T]", *kinds: GroupKind) -> T:
        """Return the value of a step over some of the kinds, for the objects of this moment."""
        return self._follower.at(step, tuple((kind, self._seen[kind]) for kind in kinds))


Step: TypeAlias = Callable[[ObservedObjects, T | None], T]
"""Derives a value from the objects of one moment. The step receives its previous value when it exists and the view
reports changes, so that it need not read unchanged objects again.
"""
