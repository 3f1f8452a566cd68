"""An API server in memory for attachments and records of pods: finalizers, field managers, and a watch that may be
late."""

import copy
import itertools
from typing import Any

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import APPLY_PATCH, ApiStatusError
from ovnguard.validators.network.cluster_view import GroupKind

PLURALS = {
    "Network": "networks",
    "Namespace": "namespaces",
    "Node": "nodes",
    "Pod": "pods",
    "ClusterUserDefinedNetwork": "clusteruserdefinednetworks",
    "UserDefinedNetwork": "userdefinednetworks",
    "NetworkAttachmentDefinition": "network-attachment-definitions",
}


class AttachedApi:
    """Objects by path; `shown` is what the watch shows, after `show` or, unless ``late``, after every write."""

    def __init__(self, *objects: JsonObject, late: bool = False) -> None:
        self.stored: dict[str, JsonObject] = {}
        self.shown: dict[GroupKind, tuple[JsonObject, ...]] = {}
        self.writes: list[str] = []
        self.events: list[tuple[str, str]] = []
        self.failures: dict[str, Exception] = {}
        self.lost: frozenset[GroupKind] = frozenset()
        self.late = late
        self._versions = itertools.count(1)
        for obj in objects:
            self.put(obj)
        self.show()

    def put(self, obj: JsonObject, **metadata: Any) -> JsonObject:
        stored = copy.deepcopy(obj)
        kept = {"uid": f"uid-{path_of(obj)}", "creationTimestamp": "2026-01-01T00:00:00Z", **stored["metadata"]}
        stored["metadata"] = {**kept, **metadata, "resourceVersion": str(next(self._versions))}
        self.stored[path_of(obj)] = stored
        if not self.late:
            self.show()
        return copy.deepcopy(stored)

    def drop(self, path: str) -> None:
        self.stored.pop(path)
        if not self.late:
            self.show()

    def show(self) -> None:
        """The watch delivers everything; unchanged objects stay the same ones."""
        before = {path_of(obj): obj for objects in self.shown.values() for obj in objects}
        found: dict[GroupKind, list[JsonObject]] = {kind_of(kind): [] for kind in PLURALS}
        for path, obj in sorted(self.stored.items()):
            old = before.get(path)
            found[kind_of(obj["kind"])].append(old if old == obj else copy.deepcopy(obj))
        known = self.shown
        same = {kind for kind, objects in found.items() if kind in known and list(known[kind]) == objects}
        self.shown = {kind: known[kind] if kind in same else tuple(objects) for kind, objects in found.items()}

    def objects(self, kind: GroupKind) -> tuple[JsonObject, ...] | None:
        return self.shown.get(kind)

    def waiting_for(self) -> tuple[str, ...]:
        return ()

    def emptied(self) -> frozenset[GroupKind]:
        return self.lost

    def watch(self, path: str, query: Any, idle_timeout: float) -> Any:
        raise AssertionError("nobody watches here")

    def of(self, kind: str) -> dict[str, JsonObject]:
        found = ((obj["metadata"], obj) for obj in self.stored.values() if obj["kind"] == kind)
        return {
            f"{each['namespace']}/{each['name']}" if "namespace" in each else each["name"]: obj for each, obj in found
        }

    def request(
        self, method: str, path: str, query: Any = None, body: Any = None, content_type: str = ""
    ) -> JsonObject:
        if path.startswith("/apis/events.k8s.io/"):
            self.events.append((body["reason"], body["note"]))
            return dict(body)
        if method == "GET" and path == "/api/v1/pods":
            return {"items": [copy.deepcopy(obj) for obj in self.of("Pod").values()]}
        path = path.removesuffix("/status")
        if method != "GET":
            self.writes.append(f"{method} {path}")
            if path in self.failures:
                raise self.failures[path]
        found = self.stored.get(path)
        if found is None and content_type != APPLY_PATCH:
            raise ApiStatusError(404, "NotFound", f"{path} not found")
        if method == "GET":
            return copy.deepcopy(self.stored[path])
        if method == "DELETE":
            assert found is not None
            return self._delete(path, found)
        return self._patch(path, found, query["fieldManager"], body, content_type)

    def _delete(self, path: str, found: JsonObject) -> JsonObject:
        if found["metadata"].get("finalizers"):
            return self.put(found, deletionTimestamp="2026-01-01T01:00:00Z")
        self.drop(path)
        return found

    def _patch(
        self, path: str, found: JsonObject | None, manager: str, body: JsonObject, content_type: str
    ) -> JsonObject:
        before = copy.deepcopy(found or {"metadata": {}})
        for key in ("resourceVersion", "uid"):
            if key in body["metadata"] and body["metadata"][key] != before["metadata"].get(key):
                raise ApiStatusError(409, "Conflict", "the object has been modified")
        metadata = before["metadata"]
        entries = metadata.get("managedFields", [])
        own = next((each for each in entries if each["manager"] == manager), None)
        fields: JsonObject = {} if own is None else own["fieldsV1"]["f:metadata"]
        for part in ("labels", "annotations"):
            texts, kept = body["metadata"].get(part, {}), dict(metadata.get(part, {}))
            if content_type == APPLY_PATCH:
                kept = {key: text for key, text in kept.items() if f"f:{key}" not in fields.get(f"f:{part}", {})}
            metadata[part] = kept | texts
            fields[f"f:{part}"] = {**(fields.get(f"f:{part}", {}) if content_type != APPLY_PATCH else {})}
            fields[f"f:{part}"] |= {f"f:{key}": {} for key in texts}
        for key in ("finalizers", "ownerReferences"):
            if key in body["metadata"]:
                metadata[key] = body["metadata"][key]
        operation = "Apply" if content_type == APPLY_PATCH else "Update"
        entry = {"manager": manager, "operation": operation, "fieldsV1": {"f:metadata": fields}}
        metadata["managedFields"] = [*(each for each in entries if each["manager"] != manager), entry]
        whole = {
            **body,
            **before,
            "metadata": {
                **metadata,
                **{k: body["metadata"][k] for k in ("name", "namespace") if k in body["metadata"]},
            },
        }
        whole |= {"spec": body["spec"]} if "spec" in body else {}
        if metadata.get("deletionTimestamp") and not metadata.get("finalizers"):
            self.drop(path)
            return whole
        return self.put(whole)


def kind_of(kind: str) -> GroupKind:
    groups = {"Network": "operator.openshift.io", "NetworkAttachmentDefinition": "k8s.cni.cncf.io"}
    return GroupKind(groups.get(kind, "k8s.ovn.org" if kind.endswith("DefinedNetwork") else ""), kind)


def path_of(obj: JsonObject) -> str:
    metadata, version = obj["metadata"], obj["apiVersion"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    place = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
    return f"{root}{place}/{PLURALS[obj['kind']]}/{metadata['name']}"


def namespace(name: str, **labels: Any) -> JsonObject:
    primary = {"k8s.ovn.org/primary-user-defined-network": ""}
    metadata = {"name": name, "labels": {"kubernetes.io/metadata.name": name, **primary, **labels}}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def pod(name: str, node: str = "n1", place: str = "blue", second: Any = 0, **annotations: Any) -> JsonObject:
    metadata: JsonObject = {"name": name, "namespace": place, "creationTimestamp": f"2026-01-01T00:00:{second:02d}Z"}
    metadata |= {"annotations": annotations} if annotations else {}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"nodeName": node}, "status": {}}
