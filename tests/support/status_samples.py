"""A cluster in which all is well, as `ovnguard-reconciler status` reads it; tests change one thing each."""

import base64
import copy
import json
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from ovnguard.reconciler.loop.status.zone_counts import Counts
from ovnguard.reconciler.loop.status.zone_report import ZoneReport, mark_of, to_json
from ovnguard.reconciler.status.snapshot import (
    AUTHORITY,
    MUTATING,
    REPORTS,
    VALIDATING,
    WEBHOOK_PODS,
    Listed,
    Snapshot,
    sources,
)
from ovnguard.webhook.certificates.self_signed import issue, make_authority
from tests.support.fake_cluster import ID, KEYS, TRANSIT, cudn, node
from tests.support.manifests.kustomized import overlay

NOW = datetime(2026, 1, 8, 12, tzinfo=UTC)
NODES = ("worker-a", "worker-b", "worker-c")
_MADE = NOW - timedelta(hours=3)
_AUTHORITY = make_authority(_MADE)
_SERVED = issue(_AUTHORITY, ["localhost"], _MADE)
_KINDS = {"Deployment": "deployments", "DaemonSet": "daemonsets"}
_REGISTRATIONS = {"ValidatingWebhookConfiguration": VALIDATING, "MutatingWebhookConfiguration": MUTATING}
HOLDER = "worker-a_7_0a1b2c3d"
Lists = dict[str, list[dict[str, Any]]]


def ago(**age: float) -> str:
    """A time before now, as Kubernetes writes it."""
    return (NOW - timedelta(**age)).strftime("%Y-%m-%dT%H:%M:%SZ")


def written(obj: dict[str, Any], **age: float) -> dict[str, Any]:
    """The object as the API server stores it that long ago."""
    obj["metadata"]["managedFields"] = [{"manager": "someone", "operation": "Apply", "time": ago(**age)}]
    return obj


def report(name: str, text: ZoneReport, **age: float) -> dict[str, Any]:
    """The report of a zone."""
    metadata = {"name": f"ovnguard-zone-{name}", "namespace": "ovnguard-system"}
    return written({"metadata": metadata, "data": {"report.json": to_json(text, "", 300.0)}}, **age)


def zone(name: str, marks: str, **changed: Any) -> ZoneReport:
    """What a zone reports in which all is well."""
    values = {"mode": "own", "counts": Counts(213, None, 0, 0, 2, 2), "release": "0.1.0", "ready": marks, "networks": 2}
    return ZoneReport(name, **{**values, **changed})


def condition(kind: str, status: str, reason: str, message: str) -> dict[str, Any]:
    return {"type": kind, "status": status, "reason": reason, "message": message}


def network(name: str, second: int = 0) -> dict[str, Any]:
    """A network that is ready everywhere."""
    numbers = {ID: str(7 + second), TRANSIT: f"100.{88 + 2 * second}.0.0/16", KEYS: "[16711690,16715780]"}
    obj = cudn(name, f"10.{20 + second}.0.0/16", second, **numbers)
    obj["metadata"] |= {"uid": f"uid-{name}", "generation": 1}
    obj["status"] = {"conditions": [condition("ZonesReady", "True", "Ready", "3 of 3 zones are ready.")]}
    return obj


def pod(name: str, **age: float) -> dict[str, Any]:
    """A pod on worker-a that has no address."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "blue", "uid": name, "creationTimestamp": ago(days=1)},
        "spec": {"nodeName": "worker-a"},
        "status": {
            "phase": "Pending",
            "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": ago(**age)}],
        },
    }


def decision(second: int, verdict: str = "denied", **fields: Any) -> str:
    """A line of the webhook's log."""
    line = {
        "time": ago(minutes=2, seconds=second),
        "message": "decision",
        "gvk": "k8s.ovn.org/v1, Kind=ClusterUserDefinedNetwork",
        "namespace": "",
        "name": "red",
        "operation": "CREATE",
        "user": "alice",
        "verdict": verdict,
        "reason": "rules",
        "rules": ["OVNG-NET-005"],
    }
    return json.dumps({**line, **fields})


def workload(obj: dict[str, Any]) -> dict[str, Any]:
    """A workload whose controller has started all Pods."""
    obj = copy.deepcopy(obj)
    obj["metadata"]["generation"] = 1
    wanted = obj["spec"].get("replicas", 1)
    counts = (
        {"readyReplicas": wanted} if obj["kind"] == "Deployment" else {"numberReady": 3, "desiredNumberScheduled": 3}
    )
    for container in obj["spec"]["template"]["spec"]["containers"]:
        container["image"] = "registry.example.com/ovnguard:0.1.0"
    return {**obj, "status": {"observedGeneration": 1, **counts}}


def well(name: str = "own") -> Lists:
    """The lists of a cluster with an overlay in which all is well."""
    return copy.deepcopy(_well(name))


@cache
def _well(name: str) -> Lists:
    lists: Lists = {each: [] for each in sources("ovnguard-system")}
    for obj in overlay(name):
        if obj["kind"] in _KINDS:
            lists[_KINDS[obj["kind"]]].append(workload(obj))
        elif obj["kind"] in _REGISTRATIONS:
            registration = copy.deepcopy(obj)
            for hook in registration["webhooks"]:
                hook["clientConfig"]["caBundle"] = base64.b64encode(_AUTHORITY.certificate_pem).decode()
            lists[_REGISTRATIONS[obj["kind"]]].append(registration)
    lists[AUTHORITY] = [{"metadata": {"name": AUTHORITY}, "data": {"tls.crt": _SERVED.certificate_pem.decode()}}]
    lease = {"metadata": {"name": "ovnguard-reconciler-cluster"}, "spec": {"holderIdentity": HOLDER}}
    lists["leases"] = [written({**lease, "kind": "Lease"}, seconds=1)]
    lists["nodes"] = [node(each, number) for number, each in enumerate(NODES, 2)]
    space = {"name": "blue", "labels": {"t": "blue", "k8s.ovn.org/primary-user-defined-network": ""}}
    lists["namespaces"] = [{"apiVersion": "v1", "kind": "Namespace", "metadata": space}]
    networks = lists["clusteruserdefinednetworks"] = [network("blue"), network("green", 1)]
    marks = "".join(map(mark_of, networks))
    lists[REPORTS] = [report(each, zone(each, marks), seconds=12) for each in NODES]
    lists[WEBHOOK_PODS] = [{"metadata": {"name": f"ovnguard-webhook-{each}"}} for each in "xy"]
    return lists


_PINK: dict[str, Any] = {
    "gvk": "k8s.ovn.org/v1, Kind=UserDefinedNetwork",
    "name": "pink",
    "namespace": "team",
    "user": "bob",
    "rules": [],
    "reason": "schema",
}
LOGS: dict[str, str | None] = {
    "ovnguard-webhook-x": "\n".join((decision(10), decision(50, "allowed"), "gunicorn says something", "")),
    "ovnguard-webhook-y": f"{decision(0, **_PINK)}\n",
}


def snapshot(lists: Lists, faults: dict[str, str] | None = None, logs: dict[str, str | None] = LOGS) -> Snapshot:
    """One look at them, in which the lists of ``faults`` are refused."""
    refused = {name: Listed(fault=text) for name, text in (faults or {}).items()}
    found = {name: Listed(tuple(items)) for name, items in lists.items()} | refused
    return Snapshot("ovnguard-system", NOW, found, logs, "0.1.0", "v1.34.2")
