"""The networks that a pod without a record attaches to: the default one, its namespace's own, and those it requests.

Source: ovn-kubernetes ``pkg/util/multi_network.go``, also for addresses that a pod requests on its primary network;
label ``k8s.ovn.org/primary-user-defined-network``.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ovnguard.reconciler.plan.inputs.attachment_names import network_names
from ovnguard.reconciler.plan.pods.pod_objects import PodObject, Pods
from ovnguard.validators.network.cluster.inventory import Inventory, inventory_of
from ovnguard.validators.network.cluster.network_namespaces import namespaces, primary_of
from ovnguard.validators.network.cluster_view import ClusterView
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPAddress, Network, Role, Topology, has_chosen_addresses
from ovnguard.validators.network.ovnkube_settings.allocation import preconfigured_addresses


@dataclass(frozen=True, slots=True)
class DesiredAttachment:
    """A pod and the attachment by which it joins a network; ``wanted`` are the addresses that the pod requests.

    ``isolated``: the attachment to the default network of a pod with another primary network. ``mac`` is what the pod
    gets where the network has no subnets, '' where nobody allocates there.
    """

    pod: PodObject
    attachment: str
    wanted: tuple[IPAddress, ...] = ()
    isolated: bool = False
    mac: str = ""


def desired_attachments(
    view: ClusterView, pods: Pods, networks: Sequence[Network]
) -> Mapping[str, tuple[DesiredAttachment, ...]]:
    """Return the attachments of pods without a record to ``networks``, by network name and in order of creation."""
    inventory = inventory_of(view)
    known = {network.name: network for network in networks}
    choosing = preconfigured_addresses(inventory) is True or any(map(has_chosen_addresses, networks))
    space_of = cache(lambda namespace: _space(inventory, namespace, known))
    network_of = network_names(inventory)
    found: dict[str, list[DesiredAttachment]] = {}
    for pod in pods.unrecorded:
        for network, desired in _desired(pod, space_of(pod.namespace), network_of, known, choosing=choosing):
            found.setdefault(network, []).append(desired)
    return {network: tuple(each) for network, each in found.items()}


@dataclass(frozen=True, slots=True)
class _Space:
    """A namespace: the primary network of its pods, None for the default one, and whether they wait for one."""

    primary: Network | None
    waits: bool


def _space(inventory: Inventory, namespace: str, known: Collection[str]) -> _Space:
    primary = primary_of(inventory, namespace)
    return _Space(primary, _waits(inventory, namespace, primary, known))


def _desired(
    pod: PodObject, space: _Space, network_of: Callable[[str], str], known: Mapping[str, Network], *, choosing: bool
) -> Iterator[tuple[str, DesiredAttachment]]:
    """``choosing``: OVN-Kubernetes lets pods of primary Layer2 networks choose their addresses."""
    primary = space.primary
    if DEFAULT_NETWORK in known and not space.waits:
        yield DEFAULT_NETWORK, DesiredAttachment(pod, DEFAULT_NETWORK, isolated=primary is not None)
    if primary is not None and primary.name in known:
        chosen = pod.chosen if choosing and primary.topology is Topology.LAYER2 else ()
        yield primary.name, DesiredAttachment(pod, f"{pod.namespace}/{primary.source.name}", chosen)
    times: Counter[str] = Counter()
    for request in pod.requested:
        name = network_of(request.attachment)
        if name in known and known[name].role is Role.SECONDARY:
            number = times[request.attachment]
            times[request.attachment] += 1
            attachment = f"{request.attachment}/{number}" if number else request.attachment
            yield name, DesiredAttachment(pod, attachment, request.wanted)


def _waits(inventory: Inventory, namespace: str, primary: Network | None, known: Collection[str]) -> bool:
    """Whether OVN-Kubernetes gives pods no port yet: their namespace has the label for a primary network, but none."""
    space = namespaces(inventory).by_name.get(namespace)
    return space is not None and space.has_primary_label and (primary is None or primary.name not in known)
