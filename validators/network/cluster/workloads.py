"""DaemonSets, Deployments and StatefulSets of ovnkube from a view: unparsed and untrusted.

Sources: cluster-network-operator, release 4.14, ``pkg/network/ovn_kubernetes.go``, the end of a rollout.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from validators.network.cluster.inventory import Inventory
from validators.network.cluster_view import GroupKind
from validators.network.parse_values import MAX_ITEMS, dig, mapping, text_of

_HUNG: Final = "networkoperator.openshift.io/rollout-hung"
_CONTAINERS: Final = ("initContainers", "containers")


def named(inventory: Inventory, kind: GroupKind, namespace: str, name: str) -> Mapping[str, Any] | None:
    """Return the object of ``kind`` with that name; None when it is absent or ``kind`` is unknown."""
    for each in inventory.objects(kind) or ():
        metadata = mapping(each, "metadata")
        if metadata.get("name") == name and metadata.get("namespace") == namespace:
            return each
    return None


def containers(workload: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Iterate over (path, container) of a workload's pods, init containers first."""
    spec = mapping(workload, "spec", "template", "spec")
    for key in _CONTAINERS:
        listed = spec.get(key)
        for index, each in enumerate(listed[:MAX_ITEMS] if isinstance(listed, list) else ()):
            if isinstance(each, Mapping):
                yield f"spec.template.spec.{key}[{index}]", each


def texts(container: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Iterate over (path below the container, text) of command and arguments, in order of execution."""
    for key in ("command", "args"):
        listed = container.get(key)
        for index, each in enumerate(listed[:MAX_ITEMS] if isinstance(listed, list) else ()):
            if isinstance(each, str):
                yield f"{key}[{index}]", each


def count(value: object, *keys: str) -> int:
    """Return a counter of a status; 0 when it is absent or not an integer."""
    found = dig(value, *keys)
    return found if isinstance(found, int) and not isinstance(found, bool) else 0


def rolling(workload: Mapping[str, Any], kind: str, *, hung_counts: bool = False) -> str:
    """Return why the rollout of ``workload`` is unfinished, or the empty string.

    ``hung_counts``: a rollout that the operator marked as hung counts as finished when at most one node, or a tenth of
    the nodes, is outstanding.
    """
    status = mapping(workload, "status")
    daemon = kind == "DaemonSet"
    wanted = count(status, "desiredNumberScheduled") if daemon else _replicas(workload)
    updated = count(status, "updatedNumberScheduled" if daemon else "updatedReplicas")
    available = count(status, "numberAvailable" if daemon else "availableReplicas")
    if (
        hung_counts
        and _HUNG in mapping(workload, "metadata", "annotations")
        and wanted - updated <= max(1, wanted // 10)
    ):
        return ""
    if count(workload, "metadata", "generation") > count(status, "observedGeneration"):
        return "its newest generation is not observed yet"
    if updated < wanted:
        return f"{updated} out of {wanted} updated"
    if available == 0 or (count(status, "numberUnavailable") > 0 if daemon else available < wanted):
        return f"{available} out of {wanted} available"
    return ""


def _replicas(workload: Mapping[str, Any]) -> int:
    return count(workload, "spec", "replicas") if dig(workload, "spec", "replicas") is not None else 1


def container_named(workload: object, *names: str) -> Iterator[Mapping[str, Any]]:
    """Iterate over the containers with these names."""
    return (each for _, each in containers(workload) if text_of(each.get("name")) in names)
