"""The objects of a changing view at one moment, and the digest that shows whether planning must be repeated."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from ovnguard.reconciler.plan.inputs.candidates import NETWORK_KINDS
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import NODE, ClusterView, GroupKind

KINDS: Final = (*NETWORK_KINDS, NODE)
METADATA: Final = ("name", "namespace", "uid", "labels", "annotations", "ownerReferences", "deletionTimestamp")


class FrozenView:
    """The objects of ``kinds`` in a view that changes, as of the latest `take`.

    All objects of one tick are judged against the same state. The same frozen view is reused, because values that rules
    derive from a view are cached with it until objects change.
    """

    def __init__(self, view: ClusterView, kinds: Iterable[GroupKind] = KINDS) -> None:
        self._view = view
        self._kinds = tuple(kinds)
        self._objects: dict[GroupKind, Sequence[JsonObject] | None] = {}
        self.take()

    def take(self) -> None:
        """Copy the current objects of the view."""
        self._objects = {kind: self._view.objects(kind) for kind in self._kinds}

    def forget(self, kinds: Iterable[GroupKind]) -> None:
        """Count ``kinds`` as unknown until the next `take`, where nothing is listed of them."""
        for kind in kinds:
            if self._objects.get(kind) == ():
                self._objects[kind] = None

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        """Return the objects of that moment, or None when they are unknown."""
        return self._objects.get(kind)


class Fingerprint:
    """The digests of successive states of a view: heartbeats and our own conditions do not change them.

    A kind whose objects are the same sequence as before is not read again, nor is an object that is the same as before:
    reports and heartbeats of thousands of nodes wake a leader all the time.
    """

    def __init__(self) -> None:
        self._known: dict[GroupKind, tuple[Sequence[JsonObject] | None, bytes]] = {}
        # The objects are kept, so no other one can have the ``id()`` of one of them.
        self._read: dict[GroupKind, dict[int, tuple[JsonObject, bytes]]] = {}

    def of(self, view: ClusterView) -> bytes:
        """Return a digest of everything in ``view`` that planning reads."""
        digest = hashlib.sha256()
        for kind in KINDS:
            objects = view.objects(kind)
            before = self._known.get(kind)
            if before is None or before[0] is not objects:
                before = self._known[kind] = objects, self._digest(objects, kind)
            digest.update(before[1])
        return digest.digest()

    def _digest(self, objects: Sequence[JsonObject] | None, kind: GroupKind) -> bytes:
        known = self._read.get(kind, {})
        read = {id(obj): known.get(id(obj)) or (obj, _digest(obj, kind)) for obj in objects or ()}
        self._read[kind] = read
        # an unknown kind is not an empty one
        return hashlib.sha256(repr(objects is None).encode() + b"".join(each for _, each in read.values())).digest()


def _digest(obj: JsonObject, kind: GroupKind) -> bytes:
    status = obj.get("status")
    addresses = status.get("addresses") if kind == NODE and isinstance(status, dict) else None
    return hashlib.sha256(content_of(obj, addresses).encode()).digest()


def content_of(obj: JsonObject, *more: Any) -> str:
    """Return what planning reads of an object, and ``more``, as a text: 1, 1.0 and true differ."""
    metadata = obj["metadata"]
    content = [obj.get("apiVersion"), [metadata.get(key) for key in METADATA], obj.get("spec"), *more]
    return json.dumps(content, sort_keys=True, separators=(",", ":"))
