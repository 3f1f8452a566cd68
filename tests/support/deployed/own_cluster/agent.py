"""What the scheduler, kubelets, the CNI plugin and ovnkube-node do in a cluster that people use, one look at a time."""

import json
from collections.abc import Callable
from typing import Any, Final

from tests.support.deployed.first_pod import RECORD
from tests.support.deployed.own_cluster.cluster import LEADERS, OwnCluster, addresses_of
from tests.support.deployed.own_cluster.permitted_writes import REQUESTED
from tests.support.deployed.running import NAMESPACES, NODES, OURS

PODS: Final = "/api/v1/pods"
UNTOUCHED: Final = {
    "apiVersion": "kwok.x-k8s.io/v1alpha1",
    "kind": "Stage",
    "metadata": {"name": "pods-of-the-agent"},
    "spec": {
        "resourceRef": {"apiGroup": "v1", "kind": "Pod"},
        "selector": {"matchLabels": {"ovnguard.invalid/pods-of-kwok": ""}},
        "next": {"statusTemplate": "phase: Running"},
    },
}
"""The only stage of pods for a kwok that leaves pods to the agent: no pod is in it."""


class Agent:
    """It looks at Nodes and Pods, and does what is left to do; ``plugged`` is called before a pod counts as running."""

    def __init__(self, cluster: OwnCluster, plugged: Callable[[], None]) -> None:
        self._cluster, self._plugged = cluster, plugged
        self._is_moving = bool(cluster.names)

    def step(self) -> None:
        """Look once."""
        nodes = self._cluster.get(NODES)["items"]
        pods = self._cluster.get(PODS)["items"]
        if self._is_moving:
            self._restart()
            self._follow_nodes({each["metadata"]["name"] for each in nodes})
            self._unplug(pods)
        for pod in pods:
            if self._bind(pod, nodes, pods) and self._is_moving:
                self._run(pod)

    def _restart(self) -> None:
        """As kubelets do with containers that ended."""
        processes = self._cluster.processes
        for name in [name for name, child in processes.children.items() if child.process.poll() is not None]:
            (processes.lead if name in LEADERS else processes.join)(name)

    def _follow_nodes(self, names: set[str]) -> None:
        """A Node that somebody made gets its machine and its zone; a deleted one loses the zone."""
        processes, machines = self._cluster.processes, self._cluster.machines
        running = processes.children.keys() - set(LEADERS)
        for name in sorted(names - running):
            if name not in machines.frr:
                machines.add(name)
            self._cluster.equip(name)
            processes.join(name)
        for name in running - names:
            processes.leave(name)
            path = f"{NAMESPACES}/{OURS}/pods/reconciler-{name}?gracePeriodSeconds=0"
            self._cluster.write("controller-manager", "DELETE", path)

    def _bind(self, pod: dict[str, Any], nodes: list[dict[str, Any]], pods: list[dict[str, Any]]) -> bool:
        """Whether a pod has a node; one that has none gets the node with the fewest pods that its selector permits."""
        if pod["spec"].get("nodeName"):
            return True
        wanted = pod["spec"].get("nodeSelector", {}).items()
        taken = [each["spec"].get("nodeName") for each in pods]
        fitting = [
            each["metadata"]["name"]
            for each in nodes
            if wanted <= each["metadata"].get("labels", {}).items() and not each["spec"].get("unschedulable")
        ]
        if fitting and "deletionTimestamp" not in pod["metadata"]:
            self._cluster.bind(*_key(pod), min(fitting, key=taken.count))
        return False

    def _run(self, pod: dict[str, Any]) -> None:
        """Plug a pod in as soon as its address is recorded, and say that it runs; end one that is deleted."""
        key, cluster = _key(pod), self._cluster
        path = f"{NAMESPACES}/{key[0]}/pods/{key[1]}"
        if "deletionTimestamp" in pod["metadata"]:
            if key in cluster.pods:
                cluster.unplug(*key)
            cluster.write("kubelet", "DELETE", f"{path}?gracePeriodSeconds=0")
        elif pod.get("status", {}).get("phase") == "Pending":
            record = json.loads(pod["metadata"].get("annotations", {}).get(RECORD, "{}"))
            on_host = key[0] == OURS or pod["spec"].get("hostNetwork")
            network = "" if on_host else _attachment(pod, record)
            if network and key not in cluster.pods:
                cluster.plug(*key, network)
                self._plugged()
            if network or on_host:
                cluster.write("kubelet", "PATCH", f"{path}/status", {"status": _status(pod, record)})

    def _unplug(self, pods: list[dict[str, Any]]) -> None:
        """Machines of pods that went without a word, such as those deleted by force."""
        for key in self._cluster.pods.keys() - {_key(pod) for pod in pods}:
            self._cluster.unplug(*key)


def _key(pod: dict[str, Any]) -> tuple[str, str]:
    return pod["metadata"]["namespace"], pod["metadata"]["name"]


def _attachment(pod: dict[str, Any], record: dict[str, Any]) -> str:
    """The attachment that the machine of a pod is plugged into, once it has an address there; else nothing.

    It is the first one that the pod requests, else its primary network.
    """
    namespace, _ = _key(pod)
    requested = pod["metadata"].get("annotations", {}).get(REQUESTED, "").split(",")[0]
    primary = (name for name, entry in record.items() if entry.get("role") == "primary")
    wanted = f"{namespace}/{requested.rpartition('/')[2]}" if requested else next(primary, "")
    return wanted if wanted in record else ""


def _status(pod: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """Of a pod whose containers run."""
    names = [each["name"] for each in pod["spec"]["containers"]]
    running = {"ready": True, "started": True, "restartCount": 0, "image": "none", "imageID": "", "state": _RUNNING}
    return {
        "phase": "Running",
        "conditions": [{"type": kind, "status": "True"} for kind in ("PodScheduled", "ContainersReady", "Ready")],
        "containerStatuses": [{"name": name, **running} for name in names],
        **addresses_of(record),
    }


_RUNNING: Final[dict[str, Any]] = {"running": {}}
