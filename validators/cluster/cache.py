"""The cache of one kind: the newest state of each object. A list-watch writes it, any thread may read it."""

import threading
from collections.abc import Iterable
from enum import Enum

from validators.base.json_types import JsonObject
from validators.cluster.resources import WHOLE, Part, Resource


class Served(Enum):
    """Whether the API server serves the resource, and permits reading it."""

    UNKNOWN = "unknown"
    YES = "yes"
    NO = "no"
    REFUSED = "refused"


class Cache:
    """All objects of one resource, or of a part of it, by namespace and name. They are shared: nobody changes them."""

    def __init__(self, resource: Resource, part: Part = WHOLE) -> None:
        self.resource = resource
        self.part = part
        self._lock = threading.Lock()
        self._objects: dict[tuple[str, str], JsonObject] = {}
        self._served = Served.UNKNOWN
        self._ordered: tuple[JsonObject, ...] | None = None

    @property
    def served(self) -> Served:
        """UNKNOWN until the first list was answered."""
        return self._served

    def objects(self) -> tuple[JsonObject, ...] | None:
        """Return all objects ordered by namespace and name, or None when they are not known."""
        with self._lock:
            if self._served is not Served.YES:
                return None
            if self._ordered is None:
                self._ordered = tuple(self._objects[key] for key in sorted(self._objects))
            return self._ordered

    def replace(self, objects: Iterable[JsonObject]) -> None:
        """Take what a list answered."""
        fresh = {_key(obj): self._complete(obj) for obj in objects}
        with self._lock:
            self._objects = fresh
            self._ordered = None
            self._served = Served.YES

    def not_served(self) -> None:
        """Forget everything: the resource is not there."""
        self._forget(Served.NO)

    def refused(self) -> None:
        """Forget everything: we may not see the resource, so what was seen of it grows old."""
        self._forget(Served.REFUSED)

    def _forget(self, served: Served) -> None:
        with self._lock:
            self._objects = {}
            self._ordered = None
            self._served = served

    def put(self, obj: JsonObject) -> bool:
        """Take one added or changed object, and return whether anything changed that is kept of it.

        One that is kept as it was leaves the answer of `objects` as it is.
        """
        kept = self._complete(obj)
        with self._lock:
            if self._objects.get(_key(obj)) == kept:
                return False
            self._objects[_key(obj)] = kept
            self._ordered = None
            return True

    def drop(self, obj: JsonObject) -> None:
        """Forget one deleted object."""
        with self._lock:
            self._objects.pop(_key(obj), None)
            self._ordered = None

    def _complete(self, obj: JsonObject) -> JsonObject:
        """Items of lists of built-in kinds do not say what they are."""
        if "kind" not in obj or "apiVersion" not in obj:
            obj = {"apiVersion": self.resource.api_version, "kind": self.resource.kind, **obj}
        return self.part.trim(obj)


def _key(obj: JsonObject) -> tuple[str, str]:
    metadata = obj["metadata"]
    return (metadata.get("namespace", ""), metadata["name"])
