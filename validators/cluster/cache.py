"""The cache of one kind: the newest state of each object. A list-watch writes it; any thread may read it."""

import threading
from collections.abc import Iterable
from enum import Enum

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.resources import WHOLE, Part, Resource


class Served(Enum):
    """Whether the API server serves the resource, and permits reads."""

    UNKNOWN = "unknown"
    YES = "yes"
    NO = "no"
    REFUSED = "refused"


class Cache:
    """All objects of one resource, or of a part of it, by namespace and name. Callers share them and must not change
    them.
    """

    def __init__(self, resource: Resource, part: Part = WHOLE) -> None:
        self.resource = resource
        self.part = part
        self._lock = threading.Lock()
        self._objects: dict[tuple[str, str], JsonObject] = {}
        self._served = Served.UNKNOWN
        self._ordered: tuple[JsonObject, ...] | None = None
        # Objects disappeared without an event that says that they were deleted, and none is there now.
        self._lost = False

    @property
    def served(self) -> Served:
        """UNKNOWN until the server has answered the first list."""
        return self._served

    @property
    def emptied(self) -> bool:
        """Whether the latest list is empty, though objects were known whose deletion was not observed."""
        with self._lock:
            return self._lost and self._served is Served.YES

    def objects(self) -> tuple[JsonObject, ...] | None:
        """Return all objects ordered by namespace and name, or None before the first list and when the resource cannot
        be read.
        """
        with self._lock:
            if self._served is not Served.YES:
                return None
            if self._ordered is None:
                self._ordered = tuple(self._objects[key] for key in sorted(self._objects))
            return self._ordered

    def replace(self, objects: Iterable[JsonObject]) -> None:
        """Replace all objects with the result of a list. An object that did not change stays the same value."""
        fresh = {_key(obj): self._complete(obj) for obj in objects}
        with self._lock:
            before = self._objects
            same = {key: before[key] for key, obj in fresh.items() if key in before and before[key] == obj}
            if len(same) < len(fresh) or len(same) < len(before):
                self._ordered = None
            self._lost = not fresh and (self._lost or bool(before))
            self._objects = fresh | same
            self._served = Served.YES

    def not_served(self) -> None:
        """Forget everything: the server does not serve the resource."""
        self._forget(Served.NO)

    def refused(self) -> None:
        """Forget everything: the server refuses reads, so cached objects would go stale."""
        self._forget(Served.REFUSED)

    def _forget(self, served: Served) -> None:
        with self._lock:
            self._lost = self._lost or bool(self._objects)
            self._objects = {}
            self._ordered = None
            self._served = served

    def put(self, obj: JsonObject) -> bool:
        """Store one added or changed object, and return whether to wake the readers.

        If its kept part did not change, `objects` still returns the same tuple.
        """
        kept = self._complete(obj)
        with self._lock:
            before = self._objects.get(_key(obj))
            if before == kept:
                return False
            self._objects[_key(obj)] = kept
            self._ordered = None
            self._lost = False
            return before is None or self.part.wakes(before) != self.part.wakes(kept)

    def drop(self, obj: JsonObject) -> None:
        """Forget one deleted object."""
        with self._lock:
            self._objects.pop(_key(obj), None)
            self._ordered = None

    def _complete(self, obj: JsonObject) -> JsonObject:
        """Items in lists of built-in kinds lack apiVersion and kind."""
        if "kind" not in obj or "apiVersion" not in obj:
            obj = {"apiVersion": self.resource.api_version, "kind": self.resource.kind, **obj}
        return self.part.trim(obj)


def _key(obj: JsonObject) -> tuple[str, str]:
    metadata = obj["metadata"]
    return (metadata.get("namespace", ""), metadata["name"])
