"""Writes of Pods by the accounts of zones and of the leader: what ovnguard records, and what an account that somebody
took tries. The tests judge them with ovnguard's own evaluator, and send them to a real API server.
"""

import json
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject

POLICY = "components/own/pod-records.yaml"
ZONE, LEADER = "ovnguard-reconciler", "ovnguard-reconciler-cluster"
MINE, OTHER, PLACE = "worker-a", "worker-b", "tenant"
RECORD = "k8s.ovn.org/pod-networks"
ENTRY: Final[JsonObject] = {"metadata": {"annotations": {RECORD: json.dumps({"default": {"role": "primary"}})}}}
NOTHING_ELSE = f"ovnguard changes nothing of a pod but the annotation {RECORD}"


def elsewhere(node: str, pod: str) -> str:
    """What the policy says to the zone of ``node`` about a pod of another one."""
    return f'the zone of node "{node}" writes only records of pods of its own node, not of {PLACE}/{pod}'


def pod(name: str, node: str) -> JsonObject:
    """A Pod of a tenant, with a record."""
    metadata = {"name": name, "namespace": PLACE, "labels": {"app": "x"}, "annotations": {"note": "a", RECORD: "{}"}}
    spec = {"nodeName": node, "containers": [{"name": "main", "image": "none"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


CHANGES: Final[tuple[JsonObject, ...]] = (
    {"metadata": {"annotations": {"note": "b"}}},
    {"metadata": {"annotations": {"note": None}}},
    {"metadata": {"annotations": {"k8s.v1.cni.cncf.io/networks": "other/secret"}}},
    {"metadata": {"annotations": {RECORD: None}}},
    {"metadata": {"labels": {"app": "y"}}},
    {"metadata": {"labels": {"app": None}}},
    {"metadata": {"finalizers": ["a.b/c"]}},
    {"status": {"phase": "Succeeded"}},
    {"status": {"podIPs": [{"ip": "10.0.0.9"}], "podIP": "10.0.0.9"}},
    {"status": {"conditions": [{"type": "Ready", "status": "True"}]}},
)
"""Merge patches of the status of a Pod that an account tries next to a record."""

WAYS: Final[tuple[tuple[str, str, Any, str, str], ...]] = (
    ("PATCH", "mine", {"spec": {"activeDeadlineSeconds": 1}}, "patch", "pods"),
    ("PATCH", "mine", ENTRY, "patch", "pods"),
    ("DELETE", "mine", None, "delete", "pods"),
    ("POST", "", pod("new", MINE), "create", "pods"),
    ("PUT", "mine/status", pod("mine", MINE), "update", "pods/status"),
    ("POST", "mine/eviction", {"metadata": {"name": "mine"}}, "create", "pods/eviction"),
    ("POST", "mine/ephemeralcontainers", {}, "create", "pods/ephemeralcontainers"),
)
"""Requests for which an account has no right: method, path below the Pods, body, verb and resource."""


def merged(before: JsonObject, change: JsonObject) -> JsonObject:
    """What a merge patch makes of an object."""
    found = dict(before)
    for key, value in change.items():
        if value is None:
            found.pop(key, None)
        else:
            found[key] = merged(found.get(key) or {}, value) if isinstance(value, dict) else value
    return found


def with_entry(change: JsonObject) -> JsonObject:
    """A change next to a record."""
    metadata = change.get("metadata", {})
    annotations = {**ENTRY["metadata"]["annotations"], **metadata.get("annotations", {})}
    return {**change, "metadata": {**metadata, "annotations": annotations}}
