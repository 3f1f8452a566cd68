"""What an object can say about itself to get a milder verdict: labels, owners, managers and the like.

To add a claim, add a function that changes the metadata to `CLAIMS`.
"""

import copy
from collections.abc import Callable, Mapping
from typing import Any, Final

JsonObject = dict[str, Any]
Claim = Callable[[JsonObject], None]
"""Changes the metadata of an object."""


def claiming(obj: JsonObject, claim: Claim) -> JsonObject:
    """Return the object with a claim about itself."""
    found = copy.deepcopy(obj)
    claim(found.setdefault("metadata", {}))
    return found


def with_owner(obj: JsonObject, **owner: Any) -> JsonObject:
    """Return an object with other values in its first owner reference."""
    found = copy.deepcopy(obj)
    found["metadata"]["ownerReferences"][0].update(owner)
    return found


def _labels(meta: JsonObject) -> None:
    claimed = {
        "app.kubernetes.io/managed-by": "ovn-kubernetes",
        "k8s.ovn.org/user-defined-network": "",
        "k8s.ovn.org/managed-bgp": "",
        "k8s.ovn.org/route-advertisements": "",
        "k8s.ovn.org/generated": "true",
        "ovnguard.io/exempt": "true",
        "ovnguard.io/managed-by": "ovnguard",
        "olm.managed": "true",
    }
    meta["labels"] = {**claimed, **(meta.get("labels") or {})}


def _annotations(meta: JsonObject) -> None:
    claimed = {
        "ovnguard.io/exempt": "true",
        "ovnguard.io/accepted": "true",
        "k8s.ovn.org/network-name": "default",
        "k8s.ovn.org/generated": "true",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "release.openshift.io/create-only": "true",
    }
    meta["annotations"] = {**claimed, **(meta.get("annotations") or {})}


def _owner(api: str, kind: str, name: str = "") -> Claim:
    def claim(meta: JsonObject) -> None:
        owner = {"apiVersion": api, "kind": kind, "name": name or meta.get("name", "x"), "uid": "forged"}
        meta["ownerReferences"] = [{**owner, "controller": True, "blockOwnerDeletion": True}]

    return claim


def _finalizers(meta: JsonObject) -> None:
    meta["finalizers"] = ["k8s.ovn.org/user-defined-network-protection", "ovnguard.io/network"]


def _managers(meta: JsonObject) -> None:
    entry = {"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}, "operation": "Update"}
    names = ("ClusterManager", "ovnguard", "cluster-network-operator", "clustermanager-routeadvertisements-controller")
    meta["managedFields"] = [{**entry, "manager": name, "time": "2026-01-02T03:04:05Z"} for name in names]


def _generated_name(meta: JsonObject) -> None:
    meta["generateName"] = f"{meta.get('name', 'x')}-"


def _deletion(meta: JsonObject) -> None:
    meta["deletionTimestamp"] = "2026-01-02T03:04:05Z"
    meta["deletionGracePeriodSeconds"] = 0


CLAIMS: Final[Mapping[str, Claim]] = {
    "labels": _labels,
    "annotations": _annotations,
    "finalizers": _finalizers,
    "managed fields": _managers,
    "generated name": _generated_name,
    "deletion": _deletion,
    "controller of a ClusterUserDefinedNetwork": _owner("k8s.ovn.org/v1", "ClusterUserDefinedNetwork"),
    "controller of a UserDefinedNetwork": _owner("k8s.ovn.org/v1", "UserDefinedNetwork"),
    "controller of another network": _owner("k8s.ovn.org/v1", "ClusterUserDefinedNetwork", "other"),
    "controller of the operator Network": _owner("operator.openshift.io/v1", "Network", "cluster"),
    "controller of a Deployment": _owner("apps/v1", "Deployment"),
    "controller of a RouteAdvertisements": _owner("k8s.ovn.org/v1", "RouteAdvertisements"),
}
