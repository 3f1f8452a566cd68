"""Applies single objects by server-side apply in place of another writer, and hands them back.

To apply a document removes only what the same field manager applied before. So what the document lacks of the replaced
writer's fields becomes ours first: then it goes. Its other fields stay its own, and so do those of all others.

Source: Kubernetes, "Server-Side Apply", 'Field management' and 'Transferring ownership'.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import (
    APPLY_PATCH,
    JSON,
    MERGE_PATCH,
    ApiStatusError,
    Client,
    ClusterError,
)
from ovnguard.validators.cluster.resources import Resource
from ovnguard.validators.network.parse_values import dig, mapping, text_of

_GONE: Final = 404
_FIELD, _KEY, _VALUE, _INDEX = "f", "k", "v", "i"
_ABSENT: Final = object()


class Applier:
    """Applies, annotates and deletes objects as the field manager ``manager`` while ``may_write``.

    A manager that ``replaces`` accepts is the one in whose place it writes. Of its fields, those that ``keeps`` accepts
    stay its own. ``heir`` is the manager of that writer which gets what is handed over.
    """

    def __init__(
        self,
        client: Client,
        manager: str,
        may_write: Callable[[], bool],
        replaces: Callable[[str], bool] = lambda manager: False,
        keeps: Callable[[str], bool] = lambda field: False,
        heir: str = "",
    ) -> None:
        self._client = client
        self._manager = manager
        self._may_write = may_write
        self._replaces = replaces
        self._keeps = keeps
        self._heir = heir

    def get(self, resource: Resource, namespace: str, name: str) -> JsonObject | None:
        """Return the object, None when there is none or its kind is not served. Raises like `Client.request`."""
        try:
            return self._client.request("GET", resource.object_path(namespace, name))
        except ApiStatusError as error:
            if error.code != _GONE:
                raise
            return None

    def apply(self, resource: Resource, document: JsonObject) -> bool:
        """Bring the object to ``document``; return whether that changed it. Raises like `Client.request`."""
        namespace, name = (text_of(dig(document, "metadata", key)) for key in ("namespace", "name"))
        before = self.get(resource, namespace, name)
        path = resource.object_path(namespace, name)
        if before is not None:
            fields, lacking, theirs = self._taken_over(before, document)
            if not lacking:
                if contains(before, _applied(document)) or self._changes_nothing(path, before, document):
                    return False
            elif theirs:
                self._send_managed_fields(path, before, fields)
        now = self.send("PATCH", path, document, APPLY_PATCH, {"force": "true"})
        # what others added stays, and the API server stores nothing when there is nothing else to change
        return before is None or now["metadata"]["resourceVersion"] != before["metadata"]["resourceVersion"]

    def release(self, resource: Resource, namespace: str, name: str) -> bool:
        """Hand every field of the object over, as if the heir had applied it; return whether that took a write.

        Raises like `Client.request`.
        """
        before = self.get(resource, namespace, name)
        entries = _entries(before)
        left = [each for each in entries if text_of(dig(each, "manager")) not in (self._manager, self._marks)]
        if before is None or left == entries:
            return False
        for each in entries:
            if dig(each, "manager") == self._manager:
                left = _inherited(left, {**each, "manager": self._heir, "operation": "Apply"})
        # an empty list would change nothing
        self._send_managed_fields(resource.object_path(namespace, name), before, left or [{}])
        return True

    def annotate(self, resource: Resource, obj: JsonObject, annotations: Mapping[str, str | None]) -> bool:
        """Set annotations of an object as it was read, remove those of None; return whether that took a write."""
        before = mapping(obj, "metadata", "annotations")
        if all(before.get(key) == value for key, value in annotations.items()):
            return False
        metadata = obj["metadata"]
        # not the manager of `apply`: to apply again would remove what it does not contain
        query = {"fieldManager": self._marks}
        path = resource.object_path(metadata["namespace"], metadata["name"])
        self.send("PATCH", path, {"metadata": {"annotations": dict(annotations)}}, MERGE_PATCH, query)
        return True

    def delete(self, resource: Resource, namespace: str, name: str) -> bool:
        """Delete the object if there is one; return whether that took a write."""
        before = self.get(resource, namespace, name)
        if before is None or before["metadata"].get("deletionTimestamp"):
            return False
        only = {"uid": before["metadata"]["uid"]}
        options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
        try:
            self.send("DELETE", resource.object_path(namespace, name), {**options, "preconditions": only})
        except ApiStatusError as error:
            if error.code != _GONE:
                raise
        return True

    def send(
        self, method: str, path: str, body: JsonObject, content_type: str = JSON, query: Mapping[str, str] | None = None
    ) -> JsonObject:
        """Write while this process may, and return the answer. Raises NotLeadingError, or like `Client.request`."""
        if not self._may_write():
            raise NotLeadingError("no longer the leader")
        return self._client.request(method, path, {"fieldManager": self._manager, **(query or {})}, body, content_type)

    def _changes_nothing(self, path: str, before: JsonObject, document: JsonObject) -> bool:
        """Whether the API server, which has its own form of some values, would store what is there."""
        now = self.send("PATCH", path, document, APPLY_PATCH, {"force": "true", "dryRun": "All"})
        return _lasting(now) == _lasting(before)

    @property
    def _marks(self) -> str:
        return f"{self._manager}-marks"

    def _send_managed_fields(self, path: str, before: JsonObject, fields: list[JsonObject]) -> None:
        version = before["metadata"]["resourceVersion"]
        self.send("PATCH", path, {"metadata": {"managedFields": fields, "resourceVersion": version}}, MERGE_PATCH)

    def _taken_over(self, obj: JsonObject, document: JsonObject) -> tuple[list[JsonObject], bool, bool]:
        """Managed fields in which what ``document`` lacks of the replaced writer's is ours; whether it lacks something
        of ours or of theirs, and whether it lacks something of theirs.
        """
        left: list[JsonObject] = []
        fields: JsonObject = {}
        lacking = theirs = False
        for entry in _entries(obj):
            manager = text_of(dig(entry, "manager"))
            ours = manager == self._manager
            if dig(entry, "subresource") or not (ours or self._replaces(manager)):
                left.append(entry)
                continue
            kept, moved = parted(mapping(entry, "fieldsV1"), document, self._keeps)
            fields = _union(fields, mapping(entry, "fieldsV1") if ours else moved)
            lacking, theirs = lacking or bool(moved), theirs or bool(moved and not ours)
            left += [{**entry, "fieldsV1": kept}] if kept and not ours else []
        mine = {"manager": self._manager, "operation": "Apply", "apiVersion": document["apiVersion"]}
        return [*left, {**mine, "fieldsType": "FieldsV1", "fieldsV1": fields}], lacking, theirs


class NotLeadingError(ClusterError):
    """This process may no longer write."""


def _entries(obj: JsonObject | None) -> list[JsonObject]:
    listed = dig(obj, "metadata", "managedFields")
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _inherited(entries: list[JsonObject], entry: JsonObject) -> list[JsonObject]:
    """Add the fields of an entry to the one of the same writer, which keeps its time; a new one has none."""
    key = [entry.get(each) for each in ("manager", "operation", "apiVersion", "subresource")]
    for index, each in enumerate(entries):
        if [each.get(part) for part in ("manager", "operation", "apiVersion", "subresource")] == key:
            fields = _union(mapping(each, "fieldsV1"), mapping(entry, "fieldsV1"))
            return [*entries[:index], {**each, "fieldsV1": fields}, *entries[index + 1 :]]
    return [*entries, {name: value for name, value in entry.items() if name != "time"}]


def _applied(document: JsonObject) -> JsonObject:
    """A document without what the API server ignores of it."""
    metadata = {key: value for key, value in document["metadata"].items() if key != "creationTimestamp"}
    return {**{key: value for key, value in document.items() if key != "status"}, "metadata": metadata}


def _lasting(obj: JsonObject) -> JsonObject:
    """An object without what each write changes."""
    written = ("managedFields", "resourceVersion")
    return {**obj, "metadata": {key: value for key, value in obj["metadata"].items() if key not in written}}


def _union(one: Mapping[str, Any], other: Mapping[str, Any]) -> JsonObject:
    """All fields of two sets."""
    shared = {key: _union(mapping(one, key), mapping(other, key)) for key in one.keys() & other.keys()}
    return {**one, **other, **shared}


def parted(
    fields: Mapping[str, Any], document: Any, keeps: Callable[[str], bool] = lambda field: False
) -> tuple[JsonObject, JsonObject]:
    """Return the managed ``fields`` that ``document`` has or that ``keeps`` accepts, and those that it lacks."""
    kept: JsonObject = {}
    moved: JsonObject = {}
    for key, below in fields.items():
        found = document if key == "." else _found(document, key)
        if keeps(key.partition(":")[2]):
            kept[key] = below
        elif isinstance(below, dict) and below:
            kept_below, moved_below = parted(below, found, keeps)
            kept |= {key: kept_below} if kept_below else {}
            moved |= {key: moved_below} if moved_below else {}
        else:
            (moved if found is _ABSENT else kept)[key] = below
    return kept, moved


def _found(value: Any, key: str) -> Any:
    kind, _, rest = key.partition(":")
    items = value if isinstance(value, list) else []
    if kind == _FIELD:
        return value.get(rest, _ABSENT) if isinstance(value, dict) else _ABSENT
    if kind == _KEY:
        return next((each for each in items if _has_keys(each, json.loads(rest))), _ABSENT)
    if kind == _VALUE:
        return next((each for each in items if each == json.loads(rest)), _ABSENT)
    return items[int(rest)] if kind == _INDEX and int(rest) < len(items) else _ABSENT


def _has_keys(item: Any, keys: Mapping[str, Any]) -> bool:
    """Whether an item of a list has these keys; a default need not be in the document."""
    return isinstance(item, dict) and all(item.get(key, value) == value for key, value in keys.items())


def contains(observed: Any, wanted: Any) -> bool:
    """Return whether ``observed`` has every value of ``wanted``; it may have more, such as defaults."""
    if isinstance(wanted, dict):
        return isinstance(observed, dict) and all(
            contains(observed.get(key), value) if key in observed else value in ({}, [], None)
            for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(observed, list) and len(observed) == len(wanted) and all(map(contains, observed, wanted))
    return bool(observed == wanted)
