"""Objects of an interconnect upgrade as manifests: a cluster of one master whose nodes are in the first phase."""

import copy
from typing import Any

from reconciler.rollout.plan.manifests.render import manifests_of
from reconciler.rollout.plan.manifests.values import ManifestValues

OVN = "openshift-ovn-kubernetes"
SINGLE, LEGACY = "self-hosted/single-zone-interconnect", "self-hosted/no-interconnect"
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "m", "labels": {"node-role.kubernetes.io/master": "", "kubernetes.io/os": "linux"}},
    "status": {"addresses": [{"type": "InternalIP", "address": "10.0.0.1"}], "conditions": []},
}
CONFIG_MAP = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "ovn-interconnect-configuration", "namespace": OVN},
    "data": {"zone-mode": "singlezone"},
}


def workload(path: str, version: str, done: int) -> dict[str, Any]:
    """The first object of a manifest, rolled out to ``done`` of four nodes."""
    document = copy.deepcopy(manifests_of(path, ManifestValues(version, "ovn:1", ("10.0.0.1",)))[0].document)
    counts = {"desiredNumberScheduled": 4, "updatedNumberScheduled": done, "numberAvailable": done}
    return {**document, "status": {**counts, "numberUnavailable": 4 - done}}


FIRST_PHASE = (
    CONFIG_MAP,
    workload(f"{SINGLE}/ovnkube-node.yaml", "4.14.20", 3),
    workload(f"{LEGACY}/ovnkube-master.yaml", "4.13.9", 4),
)
