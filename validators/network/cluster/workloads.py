"""DaemonSets, Deployments and StatefulSets of ovnkube from a view: unparsed and untrusted."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster_view import GroupKind
from ovnguard.validators.network.parse_values import MAX_ITEMS, mapping, text_of

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


def container_named(workload: object, *names: str) -> Iterator[Mapping[str, Any]]:
    """Iterate over the containers with these names."""
    return (each for _, each in containers(workload) if text_of(each.get("name")) in names)
