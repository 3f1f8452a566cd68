"""Kubernetes objects of an interconnect upgrade: workloads as the API server shows them, and what surrounds them."""

from collections.abc import Iterator, Mapping
from typing import Any

from ovnguard.reconciler.rollout.plan.model import Flavour, Observed
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.validators.network.ovnkube_settings.interconnect import NAME, NAMESPACE
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import Workload

_CENTRAL = {"ovnkube-control-plane": "ovnkube-cluster-manager"}


def config_map(data: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The ConfigMap of the upgrade with ``data``; None without any."""
    if data is None:
        return None
    metadata = {"name": NAME, "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": dict(data)}


def workload_object(workload: Workload) -> dict[str, Any]:
    """The object that reads as ``workload``."""
    flag = ["--enable-interconnect"] if workload.interconnect else []
    name = _CENTRAL.get(workload.name, workload.name)
    containers: list[dict[str, Any]] = [{"name": name, "command": ["ovnkube", *flag]}]
    if workload.name == "ovnkube-node" and workload.multizone:
        containers = [{"name": "nbdb"}, {"name": "ovnkube-controller", "command": ["ovnkube", *flag]}]
    annotations = {"release.openshift.io/version": workload.version}
    if workload.hung:
        annotations["networkoperator.openshift.io/rollout-hung"] = ""
    return {
        "apiVersion": "apps/v1",
        "kind": workload.kind,
        "metadata": {
            "name": workload.name,
            "namespace": workload.namespace,
            "generation": workload.generation,
            "annotations": annotations,
        },
        "spec": {"replicas": workload.desired, "template": {"spec": {"containers": containers}}},
        "status": {**_counters(workload), "observedGeneration": workload.observed_generation},
    }


def _counters(workload: Workload) -> dict[str, int]:
    if workload.kind == "DaemonSet":
        return {
            "desiredNumberScheduled": workload.desired,
            "updatedNumberScheduled": workload.updated,
            "numberAvailable": workload.available,
            "numberUnavailable": workload.unavailable,
        }
    return {
        "updatedReplicas": workload.updated,
        "availableReplicas": workload.available,
        "unavailableReplicas": workload.unavailable,
    }


def webhook_view(seen: Observed) -> ObjectsView:
    """What the webhook sees: masters and control plane of a hosted cluster are elsewhere."""
    return ObjectsView([*_cluster(seen), *map(workload_object, _workloads(seen))], all_complete=True)


def _workloads(seen: Observed) -> Iterator[Workload]:
    central = () if seen.flavour is Flavour.MANAGED else (seen.master, seen.control_plane)
    yield from filter(None, (seen.node, *central))


def _cluster(seen: Observed) -> Iterator[dict[str, Any]]:
    release = "" if seen.release is None else seen.release.text
    topology = "External" if seen.flavour is Flavour.MANAGED else "HighlyAvailable"
    yield {
        "apiVersion": "config.openshift.io/v1",
        "kind": "ClusterVersion",
        "metadata": {"name": "version"},
        "status": {"desired": {"version": release}},
    }
    yield {
        "apiVersion": "config.openshift.io/v1",
        "kind": "Infrastructure",
        "metadata": {"name": "cluster"},
        "status": {"controlPlaneTopology": topology},
    }
