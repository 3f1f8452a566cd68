"""No-overlay networks as the API declares them: their options, the fields of these options, and the namespaces they
serve.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.cluster_facts import known_operator
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster.namespace_index import namespace_of
from ovnguard.validators.network.cluster_view import CUDN, NAMESPACE, OPERATOR_NETWORK
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.declared.parse_operator import (
    CONFIG,
    no_overlay_choice,
    options_of,
    ref_of,
    transport_of,
)
from ovnguard.validators.network.model import DEFAULT_NETWORK, NoOverlay, Routing, Transport
from ovnguard.validators.network.parse_values import dig, mapping
from ovnguard.validators.network.selectors import Labels, matches

PRIMARY_LABEL: Final = "k8s.ovn.org/primary-user-defined-network"


class Declared(NamedTuple):
    """What an operator Network or a ClusterUserDefinedNetwork specifies about its network's transport."""

    transport: Transport
    options: NoOverlay | None

    @property
    def no_overlay(self) -> bool:
        """Whether the network is in no-overlay mode."""
        return self.transport is Transport.NO_OVERLAY

    def routed(self, routing: Routing) -> bool:
        """Whether it is in no-overlay mode with this routing."""
        return self.no_overlay and self.options is not None and self.options.routing is routing


def declared(obj: JsonObject) -> Declared:
    """Return what ``obj`` declares; an overlay for objects of any other kind. Never raises."""
    kind = group_kind_of(obj)
    if kind == OPERATOR_NETWORK:
        choice = no_overlay_choice(obj)
        return Declared(choice.transport, choice.options)
    if kind == CUDN:
        network = mapping(obj, "spec", "network")
        options = network.get("noOverlayOptions", network.get("noOverlay"))
        return Declared(transport_of(network.get("transport")), options_of(options))
    return Declared(Transport.GENEVE, None)


def transport_path(obj: JsonObject) -> str:
    """Return the field of the transport, in the object's own spelling."""
    if group_kind_of(obj) == CUDN:
        return "spec.network.transport"
    proposed = dig(obj, *CONFIG.split("."), "defaultNetworkTransport") is not None
    return f"{CONFIG}.{'defaultNetworkTransport' if proposed else 'transport'}"


def options_path(obj: JsonObject) -> str:
    """Return the field of the no-overlay options, in the object's own spelling."""
    if group_kind_of(obj) == CUDN:
        proposed = "noOverlayOptions" in mapping(obj, "spec", "network")
        return f"spec.network.{'noOverlayOptions' if proposed else 'noOverlay'}"
    proposed = "defaultNetworkNoOverlayOptions" in mapping(obj, *CONFIG.split("."))
    return f"{CONFIG}.{'defaultNetworkNoOverlayOptions' if proposed else 'noOverlayConfig'}"


def no_overlay_cudns(inventory: Inventory) -> tuple[JsonObject, ...]:
    """Return the known ClusterUserDefinedNetworks in no-overlay mode, by name."""
    return inventory.followed(_no_overlay_cudns, CUDN).objects


def managed_cudns(inventory: Inventory) -> frozenset[str]:
    """Return the names of those with routing Managed."""
    return inventory.followed(_no_overlay_cudns, CUDN).managed


def serving(inventory: Inventory, labels: Labels) -> str:
    """Return the name of the no-overlay network that serves a namespace with ``labels``; or the empty string.

    A namespace with the label for a primary network does not use the default network.
    """
    for obj in no_overlay_cudns(inventory):
        if serves(obj, labels):
            return ref_of(obj).name
    operator = known_operator(inventory)
    return DEFAULT_NETWORK if operator and operator.no_overlay and PRIMARY_LABEL not in labels else ""


def serves(obj: JsonObject, labels: Labels) -> bool:
    """Whether the network that ``obj`` declares serves namespaces with ``labels``."""
    if group_kind_of(obj) == OPERATOR_NETWORK:
        return PRIMARY_LABEL not in labels
    return PRIMARY_LABEL in labels and matches(dig(obj, "spec", "namespaceSelector"), labels)


def served_namespaces(obj: JsonObject, inventory: Inventory) -> Iterator[JsonObject]:
    """Iterate over the known namespaces that the network of ``obj`` serves, by name."""
    found = [space for space in inventory.objects(NAMESPACE) or () if serves(obj, namespace_of(space).labels)]
    yield from sorted(found, key=lambda space: ref_of(space).name)


class _Chosen(NamedTuple):
    """ClusterUserDefinedNetworks in no-overlay mode, by name, and the names of those with routing Managed.

    ``read``: what each object declares, by its ``id()``.
    """

    read: Mapping[int, Declared]
    objects: tuple[JsonObject, ...]
    managed: frozenset[str]


def _no_overlay_cudns(now: ObservedObjects, before: _Chosen | None) -> _Chosen:
    known = {} if before is None else before.read
    objects = now.objects(CUDN)
    read = {id(obj): known[id(obj)] if id(obj) in known else declared(obj) for obj in objects}
    found = sorted((obj for obj in objects if read[id(obj)].no_overlay), key=_name)
    return _Chosen(read, tuple(found), frozenset(_name(obj) for obj in found if read[id(obj)].routed(Routing.MANAGED)))


def _name(obj: JsonObject) -> str:
    return ref_of(obj).name
