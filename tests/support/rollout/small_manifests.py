"""Small manifests in the operator's folders: just the fields that an upgrade depends on."""

from typing import Any

from ovnguard.reconciler.rollout.commands.manifest_options import phases_of
from ovnguard.reconciler.rollout.plan import folders
from ovnguard.reconciler.rollout.plan.model import Flavour, Folder
from ovnguard.reconciler.rollout.plan.phase_manifests import PhaseManifests

OVN = "openshift-ovn-kubernetes"
HOSTED = "clusters-blue"
_PROBE = {"exec": {"command": ["ready"]}}
_CONTAINERS = {
    ("ovnkube-node", Folder.LEGACY): {"ovn-controller": "", "ovnkube-node": "ovnkube"},
    ("ovnkube-node", Folder.SINGLE): {"ovn-controller": "", "ovnkube-node": "ovnkube --enable-interconnect"},
    ("ovnkube-node", Folder.FINAL): {"ovn-controller": "", "nbdb": "", "ovnkube-controller": "--enable-interconnect"},
    ("ovnkube-master", Folder.LEGACY): {"nbdb": "", "ovnkube-master": "ovnkube"},
    ("ovnkube-master", Folder.SINGLE): {"nbdb": "", "ovnkube-master": "ovnkube --enable-interconnect"},
    ("ovnkube-control-plane", Folder.FINAL): {"ovnkube-cluster-manager": "ovnkube"},
    ("ovnkube-upgrades-prepuller", Folder.FINAL): {"ovnkube-upgrades-prepuller": "sleep"},
}
_WORKLOADS = {
    folders.NODE_FILE: "ovnkube-node",
    folders.MASTER_FILE: "ovnkube-master",
    folders.CONTROL_PLANE_FILE: "ovnkube-control-plane",
}


def workload(name: str, folder: Folder, release: str, flavour: Flavour = Flavour.SELF_HOSTED) -> dict[str, Any]:
    """A workload of a phase: a container for each name, with its command."""
    here = Folder.FINAL if name == "ovnkube-upgrades-prepuller" else folder
    listed = [{"name": each, "command": [command]} for each, command in _CONTAINERS[name, here].items()]
    probed = [{**each, "readinessProbe": _PROBE} for each in listed]
    kind = {"ovnkube-control-plane": "Deployment"}.get(name, "DaemonSet")
    hosted = flavour is Flavour.MANAGED and name in ("ovnkube-master", "ovnkube-control-plane")
    kind = "StatefulSet" if hosted and name == "ovnkube-master" else kind
    replicas = {} if kind == "DaemonSet" else {"replicas": 2}
    made = _object("apps/v1", kind, name, hosted=hosted)
    made["metadata"].setdefault("annotations", {})["release.openshift.io/version"] = release
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": probed}}
    return {**made, "spec": {**replicas, "selector": {"matchLabels": {"app": name}}, "template": template}}


def small_manifests(release: str, flavour: Flavour = Flavour.SELF_HOSTED) -> PhaseManifests:
    """The manifests of all phases of a release."""
    listed: dict[Folder, tuple[str, ...]] = {}
    objects: dict[str, tuple[dict[str, Any], ...]] = {}
    for folder in phases_of(release):
        common = {"common/000-ns.yaml": (_settings(),), folders.PREPULLER_PATH: (_prepuller(release),)}
        own = {folders.path(flavour, folder, file): file for file in folders.FILES[flavour][folder]}
        objects |= common | {path: tuple(_objects(file, folder, release, flavour)) for path, file in own.items()}
        listed[folder] = (*common, *own)
    return PhaseManifests(listed, objects)


def _settings() -> dict[str, Any]:
    return {**_object("v1", "ConfigMap", "settings"), "data": {}}


def _prepuller(release: str) -> dict[str, Any]:
    return workload("ovnkube-upgrades-prepuller", Folder.FINAL, release)


def _objects(file: str, folder: Folder, release: str, flavour: Flavour) -> list[dict[str, Any]]:
    hosted = flavour is Flavour.MANAGED
    link = folders.link_of(folder, file)
    source = folder if link is None else Folder(link.split("/")[1])
    if file in _WORKLOADS:
        return [workload(_WORKLOADS[file], source, release, flavour)]
    if file == folders.SERVICE_FILE:
        return [_object("v1", "Service", "ovnkube-master-external" if hosted else "ovnkube-db", hosted=hosted)]
    if file == folders.ROUTE_FILE:
        return [_object("route.openshift.io/v1", "Route", "ovnkube-sbdb", hosted=hosted)]
    if file == folders.ALERTS_FILE:
        rules = _object("monitoring.coreos.com/v1", "PrometheusRule", "master-rules", hosted=hosted)
        return [{**rules, "spec": {"groups": [{"name": str(folder)}]}}]
    short = file.removeprefix("monitor-").removesuffix(".yaml")
    monitor = _object("monitoring.coreos.com/v1", "ServiceMonitor", f"monitor-ovn-{short}-metrics", hosted=hosted)
    return [monitor, _object("v1", "Service", f"ovn-kubernetes-{short}", hosted=hosted)]


def _object(api_version: str, kind: str, name: str, *, hosted: bool = False) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "namespace": HOSTED if hosted else OVN}
    if hosted:
        metadata["annotations"] = {"network.operator.openshift.io/cluster-name": "management"}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": {}}
