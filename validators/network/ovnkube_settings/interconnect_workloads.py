"""The workloads of an interconnect upgrade, and what each phase still waits for.

Sources: OpenShift enhancement "upgrades from 4.13 to 4.14 with OVN interconnect"; cluster-network-operator, release
4.14, ``pkg/network/ovn_kubernetes.go``: the flag that shows interconnect, the container that shows a zone per node, the
end of a rollout. With HyperShift, ovnkube-master runs in another cluster, so its absence proves nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster.platform import platform
from ovnguard.validators.network.cluster.workloads import container_named, named, texts
from ovnguard.validators.network.cluster_view import DAEMON_SET, DEPLOYMENT, STATEFUL_SET, GroupKind
from ovnguard.validators.network.ovnkube_settings.interconnect import NAMESPACE
from ovnguard.validators.network.parse_values import dig, mapping, text_of

NODE: Final = "ovnkube-node"
MASTER: Final = "ovnkube-master"
CONTROL_PLANE: Final = "ovnkube-control-plane"
PREPULLER: Final = "ovnkube-upgrades-prepuller"
SINGLE_ZONE: Final = "singlezone"
MULTI_ZONE: Final = "multizone"
VERSION_ANNOTATION: Final = "release.openshift.io/version"
HUNG_ANNOTATION: Final = "networkoperator.openshift.io/rollout-hung"
FLAG: Final = "--enable-interconnect"
_SCRIPT: Final = "ovnkube-lib.sh"
# Rollouts of these count as finished when they hang with few nodes left; masters and control planes never do.
_MAY_HANG: Final = frozenset({NODE, PREPULLER})


@dataclass(frozen=True, slots=True)
class Workload:
    """One observed workload. ``version`` is the annotation of its release, ``hung`` the operator's mark of a rollout
    without progress; ``desired`` are the scheduled pods of a DaemonSet, the replicas of the other kinds.
    """

    kind: str
    namespace: str
    name: str
    version: str | None = None
    interconnect: bool = False
    zone_mode: str = SINGLE_ZONE
    desired: int = 0
    updated: int = 0
    available: int = 0
    unavailable: int = 0
    generation: int = 0
    observed_generation: int = 0
    hung: bool = False

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    @property
    def multizone(self) -> bool:
        """Whether its template gives each node a zone of its own."""
        return self.zone_mode == MULTI_ZONE

    @property
    def progressing(self) -> bool:
        """Whether its rollout is unfinished."""
        return bool(self.rolling)

    @property
    def observed(self) -> bool:
        """Whether its counters belong to its newest generation."""
        return self.generation <= self.observed_generation

    @property
    def hangs(self) -> bool:
        """Whether the operator marked the rollout as hung and at most one node, or a tenth of them, is outstanding.

        Counters of an earlier generation prove nothing about the rollout that has just begun, so they do not count.
        """
        few = self.desired - self.updated <= max(1, self.desired // 10)
        return self.hung and self.name in _MAY_HANG and self.observed and few

    @property
    def rolling(self) -> str:
        """Why the rollout is unfinished; empty when it is finished, or hangs on few nodes."""
        if not self.observed:
            return "its newest generation is not observed yet"
        if self.hangs:
            return ""
        if self.updated < self.desired:
            return f"{self.updated} out of {self.desired} updated"
        daemon = self.kind == DAEMON_SET.kind
        if self.available == 0 or (self.unavailable > 0 if daemon else self.available < self.desired):
            return f"{self.available} out of {self.desired} available"
        return ""


class Workloads(Protocol):
    """The workloads of an upgrade; None for an absent or unknown one."""

    @property
    def node(self) -> Workload | None:
        """DaemonSet ovnkube-node."""

    @property
    def master(self) -> Workload | None:
        """DaemonSet ovnkube-master, or the StatefulSet of a hosted cluster."""

    @property
    def control_plane(self) -> Workload | None:
        """Deployment ovnkube-control-plane."""


@dataclass(frozen=True, slots=True)
class WorkloadsInView:
    """The workloads that a view contains."""

    node: Workload | None = None
    master: Workload | None = None
    control_plane: Workload | None = None


def observed(inventory: Inventory) -> WorkloadsInView:
    """Return the state of the workloads."""
    return inventory.derived(_observed, DAEMON_SET, DEPLOYMENT, STATEFUL_SET)


def ovnkube_node(inventory: Inventory) -> Workload | None:
    """Return DaemonSet ovnkube-node, or None when it is unknown."""
    return observed(inventory).node


def _observed(inventory: Inventory) -> WorkloadsInView:
    return WorkloadsInView(
        _in_view(inventory, DAEMON_SET, NODE),
        _in_view(inventory, DAEMON_SET, MASTER) or _in_view(inventory, STATEFUL_SET, MASTER),
        _in_view(inventory, DEPLOYMENT, CONTROL_PLANE),
    )


def _in_view(inventory: Inventory, kind: GroupKind, name: str) -> Workload | None:
    obj = named(inventory, kind, NAMESPACE, name)
    return None if obj is None else workload_of(obj, kind.kind)


def workload_of(obj: Mapping[str, Any], kind: str) -> Workload:
    """Read a DaemonSet, StatefulSet or Deployment; a counter that is not a number counts as 0."""
    metadata, status = mapping(obj, "metadata"), mapping(obj, "status")
    name, annotations = text_of(metadata.get("name")), mapping(metadata, "annotations")
    daemon, deployment = kind == DAEMON_SET.kind, kind == DEPLOYMENT.kind
    multizone = deployment or (name == NODE and any(container_named(obj, "nbdb")))
    return Workload(
        kind,
        text_of(metadata.get("namespace")),
        name,
        text_of(annotations.get(VERSION_ANNOTATION)) or None,
        deployment or runs_interconnect(obj, kind),
        MULTI_ZONE if multizone else SINGLE_ZONE,
        _count(status, "desiredNumberScheduled") if daemon else _replicas(obj),
        _count(status, "updatedNumberScheduled" if daemon else "updatedReplicas"),
        _count(status, "numberAvailable" if daemon else "availableReplicas"),
        _count(status, "numberUnavailable" if daemon else "unavailableReplicas"),
        _count(metadata, "generation"),
        _count(status, "observedGeneration"),
        HUNG_ANNOTATION in annotations,
    )


def runs_interconnect(obj: Mapping[str, Any], kind: str) -> bool:
    """Whether a container starts the binary with the flag, or through the script that adds it (except in a
    StatefulSet).
    """
    signs = (FLAG,) if kind == STATEFUL_SET.kind else (FLAG, _SCRIPT)
    ovnkube = container_named(obj, NODE, "ovnkube-controller", MASTER)
    return any(sign in text for container in ovnkube for _, text in texts(container) for sign in signs)


def _count(value: object, key: str) -> int:
    found = dig(value, key)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def _replicas(workload: Mapping[str, Any]) -> int:
    return _count(mapping(workload, "spec"), "replicas") if dig(workload, "spec", "replicas") is not None else 1


def first_phase_left(seen: Workloads) -> Iterator[str]:
    """Iterate over the pending steps of the first phase: every node and master must run interconnect."""
    for each in filter(None, (seen.node, seen.master)):
        if not each.interconnect:
            yield f"{each} does not run with {FLAG} yet"
        elif each.rolling:
            yield f"{each} is rolling out ({each.rolling})"


def is_hosted(inventory: Inventory) -> bool:
    """Whether masters and control plane run in another cluster (HyperShift), which this view does not show."""
    found = platform(inventory)
    return found is not None and found.control_plane == "External"


def second_phase_left(seen: Workloads, *, hosted: bool = False) -> Iterator[str]:
    """Iterate over the pending steps of the second phase: multizone nodes, then the control plane.

    ``hosted``: the absence of a control plane proves nothing.
    """
    if seen.node is not None and not (seen.node.interconnect and seen.node.multizone):
        yield f"{seen.node} is not multizone yet"
    elif seen.node is not None and seen.node.rolling:
        yield f"{seen.node} is rolling out ({seen.node.rolling})"
    if seen.control_plane is None and not hosted:
        yield "Deployment ovnkube-control-plane does not exist yet"
    elif seen.control_plane is not None and seen.control_plane.rolling:
        yield f"{seen.control_plane} is rolling out ({seen.control_plane.rolling})"
    if seen.master is not None and not seen.master.interconnect:
        yield f"{seen.master} does not run with {FLAG} yet"
    elif seen.master is not None and seen.master.rolling:
        yield f"{seen.master} is rolling out ({seen.master.rolling})"
