"""Pods for rules about networks: the nodes that they run on, and their attachments.

Source: ovn-kubernetes, annotation ``k8s.ovn.org/pod-networks``.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster_view import POD
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.parse_values import dig, text_of

POD_NETWORKS: Final = "k8s.ovn.org/pod-networks"
_MAX_TEXT: Final = 256 * 1024
_DONE: Final = frozenset({"Succeeded", "Failed"})


class Pod(NamedTuple):
    """One pod. ``attachments`` are those (``namespace/name``) that its node has configured or will configure."""

    namespace: str
    name: str
    node: str
    done: bool
    host_network: bool
    attachments: frozenset[str]

    @property
    def key(self) -> str:
        """Namespace and name."""
        return f"{self.namespace}/{self.name}"

    @property
    def runs(self) -> bool:
        """Whether it has a node and has not completed."""
        return bool(self.node) and not self.done


def pod_of(obj: JsonObject) -> Pod:
    """Return the pod that a core/v1 Pod describes. Never raises."""
    ref = ref_of(obj)
    return Pod(
        namespace=ref.namespace,
        name=ref.name,
        node=text_of(dig(obj, "spec", "nodeName")),
        done=text_of(dig(obj, "status", "phase")) in _DONE,
        host_network=dig(obj, "spec", "hostNetwork") is True,
        attachments=_attachments(dig(obj, "metadata", "annotations", POD_NETWORKS)),
    )


def pods_by_namespace(inventory: Inventory) -> Mapping[str, tuple[Pod, ...]]:
    """Return the known pods of each namespace, by name."""
    return inventory.derived(_by_namespace, POD)


def pods_of_node(inventory: Inventory, node: str) -> Iterator[Pod]:
    """Iterate over the known pods that run on a node, by namespace and name."""
    known = pods_by_namespace(inventory)
    return (pod for namespace in sorted(known) for pod in known[namespace] if pod.runs and pod.node == node)


def _by_namespace(inventory: Inventory) -> Mapping[str, tuple[Pod, ...]]:
    found: dict[str, list[Pod]] = {}
    for obj in inventory.objects(POD) or ():
        pod = pod_of(obj)
        found.setdefault(pod.namespace, []).append(pod)
    return {namespace: tuple(sorted(pods, key=lambda pod: pod.name)) for namespace, pods in found.items()}


def _attachments(text: object) -> frozenset[str]:
    if not isinstance(text, str) or len(text) > _MAX_TEXT:
        return frozenset()
    try:
        decoded = json.loads(text)
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(decoded) if isinstance(decoded, dict) else frozenset()
