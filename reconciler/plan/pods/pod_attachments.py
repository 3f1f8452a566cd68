"""Which networks a pod without record is to be on: the default one, its namespace's own, and those that it asks for.

Source: ovn-kubernetes ``pkg/util/multi_network.go``; label ``k8s.ovn.org/primary-user-defined-network``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reconciler.plan.attachment_names import network_names
from reconciler.plan.pods.pod_objects import PodObject, Pods
from validators.network.cluster.inventory import Inventory, inventory_of
from validators.network.cluster.network_namespaces import namespaces, primaries
from validators.network.cluster_view import NAMESPACE, ClusterView
from validators.network.model import DEFAULT_NETWORK, IPAddress, Network, Role


@dataclass(frozen=True, slots=True)
class Wish:
    """A pod that is to be on a network by this attachment; ``wanted`` are the addresses that it asks for."""

    pod: PodObject
    attachment: str
    wanted: tuple[IPAddress, ...] = ()


def wishes_of(view: ClusterView, pods: Pods, networks: Sequence[Network]) -> Mapping[str, tuple[Wish, ...]]:
    """Return the wishes of pods without record for ``networks``, by network name and in order of creation."""
    inventory = inventory_of(view)
    roles = {network.name: network.role for network in networks}
    found: dict[str, list[Wish]] = {}
    for pod in pods.unrecorded:
        for network, wish in _wishes(inventory, pod, roles):
            found.setdefault(network, []).append(wish)
    return {network: tuple(dict.fromkeys(each)) for network, each in found.items()}


def _wishes(inventory: Inventory, pod: PodObject, roles: Mapping[str, Role]) -> Iterator[tuple[str, Wish]]:
    if DEFAULT_NETWORK in roles:
        yield DEFAULT_NETWORK, Wish(pod, DEFAULT_NETWORK)
    primary = _primary(inventory, pod.namespace)
    if primary is not None and primary.name in roles:
        yield primary.name, Wish(pod, f"{pod.namespace}/{primary.source.name}")
    network_of = network_names(inventory)
    for request in pod.requested:
        name = network_of(request.attachment)
        if roles.get(name) is Role.SECONDARY:
            yield name, Wish(pod, request.attachment, request.wanted)


def _primary(inventory: Inventory, namespace: str) -> Network | None:
    """The primary network of a namespace; a namespace that is known must have the label for it."""
    owners = primaries(inventory).get(namespace, ())
    known = namespaces(inventory).by_name.get(namespace)
    if not owners or (inventory.knows(NAMESPACE) and (known is None or not known.has_primary_label)):
        return None
    return owners[0]
