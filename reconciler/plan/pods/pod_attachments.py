"""The networks that a pod without a record attaches to: the default one, its namespace's own, and those it requests.

Source: ovn-kubernetes ``pkg/util/multi_network.go``; label ``k8s.ovn.org/primary-user-defined-network``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reconciler.plan.attachment_names import network_names
from reconciler.plan.pods.pod_objects import PodObject, Pods
from validators.network.cluster.inventory import Inventory, inventory_of
from validators.network.cluster.network_namespaces import primary_of
from validators.network.cluster_view import ClusterView
from validators.network.model import DEFAULT_NETWORK, IPAddress, Network, Role


@dataclass(frozen=True, slots=True)
class DesiredAttachment:
    """A pod and the attachment by which it joins a network; ``wanted`` are the addresses that the pod requests.

    ``isolated``: the attachment to the default network of a pod with another primary network.
    """

    pod: PodObject
    attachment: str
    wanted: tuple[IPAddress, ...] = ()
    isolated: bool = False


def desired_attachments(
    view: ClusterView, pods: Pods, networks: Sequence[Network]
) -> Mapping[str, tuple[DesiredAttachment, ...]]:
    """Return the attachments of pods without a record to ``networks``, by network name and in order of creation."""
    inventory = inventory_of(view)
    roles = {network.name: network.role for network in networks}
    found: dict[str, list[DesiredAttachment]] = {}
    for pod in pods.unrecorded:
        for network, desired in _desired(inventory, pod, roles):
            found.setdefault(network, []).append(desired)
    return {network: tuple(dict.fromkeys(each)) for network, each in found.items()}


def _desired(
    inventory: Inventory, pod: PodObject, roles: Mapping[str, Role]
) -> Iterator[tuple[str, DesiredAttachment]]:
    primary = primary_of(inventory, pod.namespace)
    if DEFAULT_NETWORK in roles:
        yield DEFAULT_NETWORK, DesiredAttachment(pod, DEFAULT_NETWORK, isolated=primary is not None)
    if primary is not None and primary.name in roles:
        yield primary.name, DesiredAttachment(pod, f"{pod.namespace}/{primary.source.name}")
    network_of = network_names(inventory)
    for request in pod.requested:
        name = network_of(request.attachment)
        if roles.get(name) is Role.SECONDARY:
            yield name, DesiredAttachment(pod, request.attachment, request.wanted)
