"""Objects of an interconnect upgrade as manifests: a cluster of one master whose nodes are in the first phase."""

import copy
from typing import Any

from ovnguard.reconciler.rollout.plan.model import Folder
from tests.support.rollout import small_manifests

OVN = "openshift-ovn-kubernetes"
SINGLE = "self-hosted/single-zone-interconnect"
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


def workload(folder: Folder, name: str, version: str, done: int) -> dict[str, Any]:
    """A workload of a phase, rolled out to ``done`` of four nodes."""
    document = copy.deepcopy(small_manifests.workload(name, folder, version))
    counts = {"desiredNumberScheduled": 4, "updatedNumberScheduled": done, "numberAvailable": done}
    return {**document, "status": {**counts, "numberUnavailable": 4 - done}}


FIRST_PHASE = (
    CONFIG_MAP,
    workload(Folder.SINGLE, "ovnkube-node", "4.14.20", 3),
    workload(Folder.LEGACY, "ovnkube-master", "4.13.9", 4),
)
