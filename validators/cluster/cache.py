"""What is known of one kind: the newest state of each object, kept by a list-watch, read by everybody."""

import threading
from collections.abc import Iterable
from enum import Enum

from validators.cluster.resources import Resource
from validators.json_types import JsonObject


class Served(Enum):
    """Whether the API server has the resource at all."""

    UNKNOWN = "unknown"
    YES = "yes"
    NO = "no"


class Cache:
    """All objects of one resource, by namespace and name. Objects are shared: nobody changes them."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource
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
        with self._lock:
            self._objects = {}
            self._ordered = None
            self._served = Served.NO

    def put(self, obj: JsonObject) -> None:
        """Take one added or changed object."""
        with self._lock:
            self._objects[_key(obj)] = self._complete(obj)
            self._ordered = None

    def drop(self, obj: JsonObject) -> None:
        """Forget one deleted object."""
        with self._lock:
            self._objects.pop(_key(obj), None)
            self._ordered = None

    def _complete(self, obj: JsonObject) -> JsonObject:
        """Items of lists of built-in kinds do not say what they are."""
        if "kind" in obj and "apiVersion" in obj:
            return obj
        return {"apiVersion": self.resource.api_version, "kind": self.resource.kind, **obj}


def _key(obj: JsonObject) -> tuple[str, str]:
    metadata = obj["metadata"]
    return (metadata.get("namespace", ""), metadata["name"])
