"""Applies single objects by server-side apply, including objects that others created.

To apply a document removes only what the same field manager applied before. So the first time, the spec that others
wrote becomes ours: what the document lacks of it goes. Annotations and labels of others stay.

Source: Kubernetes, "Server-Side Apply", 'Field management' and 'Transferring ownership'.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from validators.base.json_types import JsonObject
from validators.cluster.client_protocol import APPLY_PATCH, JSON, MERGE_PATCH, ApiStatusError, Client, ClusterError
from validators.cluster.resources import Resource
from validators.network.parse_values import dig, mapping, text_of

APPLIED: Final = "ovnguard.io/applied"
"""The annotation with the hash of the document that was applied last."""
_GONE: Final = 404
_APPLY: Final = "Apply"
_SPEC: Final = "f:spec"


class Applier:
    """Applies, annotates and deletes objects as the field manager ``manager`` while ``may_write``.

    The spec of a manager that ``replaces`` accepts becomes ours every time, not only the first time.
    """

    def __init__(
        self,
        client: Client,
        manager: str,
        may_write: Callable[[], bool],
        replaces: Callable[[str], bool] = lambda manager: False,
    ) -> None:
        self._client = client
        self._manager = manager
        self._may_write = may_write
        self._replaces = replaces

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
        metadata = document["metadata"]
        body = _with_hash(document)
        before = self.get(resource, metadata["namespace"], metadata["name"])
        path = resource.object_path(metadata["namespace"], metadata["name"])
        if before is not None and not self._has_spec(before):
            fields = spec_taken_over(dig(before, "metadata", "managedFields"), self._manager, document["apiVersion"])
            version = before["metadata"]["resourceVersion"]
            self.send("PATCH", path, {"metadata": {"managedFields": fields, "resourceVersion": version}}, MERGE_PATCH)
        elif before is not None and contains(before, body):
            return False
        now = self.send("PATCH", path, body, APPLY_PATCH, {"force": "true"})
        # what others added stays, and the API server stores nothing when there is nothing else to change
        return before is None or now["metadata"]["resourceVersion"] != before["metadata"]["resourceVersion"]

    def annotate(self, resource: Resource, obj: JsonObject, annotations: Mapping[str, str | None]) -> bool:
        """Set annotations of an object as it was read, remove those of None; return whether that took a write."""
        before = mapping(obj, "metadata", "annotations")
        if all(before.get(key) == value for key, value in annotations.items()):
            return False
        metadata = obj["metadata"]
        # not the manager of `apply`: to apply again would remove what it does not contain
        query = {"fieldManager": f"{self._manager}-marks"}
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

    def _has_spec(self, obj: JsonObject) -> bool:
        """Whether this manager applied the object, and no manager that it replaces has written the spec since."""
        listed = dig(obj, "metadata", "managedFields")
        entries = [each for each in (listed if isinstance(listed, list) else ()) if not dig(each, "subresource")]
        specs = [text_of(dig(each, "manager")) for each in entries if _SPEC in mapping(each, "fieldsV1")]
        ours = any(dig(each, "manager") == self._manager and dig(each, "operation") == _APPLY for each in entries)
        return ours and not any(map(self._replaces, specs))

    def send(
        self, method: str, path: str, body: JsonObject, content_type: str = JSON, query: Mapping[str, str] | None = None
    ) -> JsonObject:
        """Write while this process may, and return the answer. Raises NotLeadingError, or like `Client.request`."""
        if not self._may_write():
            raise NotLeadingError("no longer the leader")
        return self._client.request(method, path, {"fieldManager": self._manager, **(query or {})}, body, content_type)


class NotLeadingError(ClusterError):
    """This process may no longer write."""


def spec_taken_over(managed_fields: object, manager: str, api_version: str) -> list[JsonObject]:
    """Return managed fields in which ``manager`` applied every part of the spec, no matter who wrote it."""
    left: list[JsonObject] = []
    spec: JsonObject = {}
    for entry in managed_fields if isinstance(managed_fields, list) else ():
        fields = mapping(entry, "fieldsV1")
        if text_of(dig(entry, "subresource")) or _SPEC not in fields:
            left.append(entry)
            continue
        spec = _union(spec, mapping(fields, _SPEC))
        rest = {key: value for key, value in fields.items() if key != _SPEC}
        left += [{**entry, "fieldsV1": rest}] if rest else []
    ours = {"manager": manager, "operation": _APPLY, "apiVersion": api_version, "fieldsType": "FieldsV1"}
    return [*left, {**ours, "fieldsV1": {_SPEC: spec}}]


def _union(one: Mapping[str, Any], other: Mapping[str, Any]) -> JsonObject:
    """All fields of two sets."""
    shared = {key: _union(mapping(one, key), mapping(other, key)) for key in one.keys() & other.keys()}
    return {**one, **other, **shared}


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


def _with_hash(document: JsonObject) -> JsonObject:
    """The document with a hash of itself: to know that nothing was removed from it since it was applied."""
    found = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:16]
    metadata = document["metadata"]
    annotations = {**metadata.get("annotations", {}), APPLIED: found}
    return {**document, "metadata": {**metadata, "annotations": annotations}}
