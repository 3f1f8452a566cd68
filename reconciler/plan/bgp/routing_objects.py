"""RouteAdvertisements, FRRConfigurations and what they select, as inputs of a plan.

These objects are untrusted: a value that cannot be read counts as absent.

Source: ovn-kubernetes, ``pkg/clustermanager/routeadvertisements``.
"""

from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.rows.routing_model import MANAGED_CUDN, MANAGED_DEFAULT, Attachment, RoutingInputs
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.advertised_networks import NAMED_BY, OVNKUBE_NAMESPACES, advertisement_names
from ovnguard.validators.network.cluster.cluster_facts import known_operator
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Inventory, declared, inventory_of
from ovnguard.validators.network.cluster.multimap import grouped
from ovnguard.validators.network.cluster.network_namespaces import namespaces, primaries
from ovnguard.validators.network.cluster.no_overlay import managed_cudns, no_overlay_cudns
from ovnguard.validators.network.cluster.ownership import OwnerKey
from ovnguard.validators.network.cluster.primary_networks import selected
from ovnguard.validators.network.cluster.route_advertisements import route_advertisements
from ovnguard.validators.network.cluster_view import (
    BGP_SESSION_STATE,
    CUDN,
    EGRESS_IP,
    FRR_CONFIGURATION,
    NAD,
    NAMESPACE,
    ClusterView,
)
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.declared.parse_udn import CUDN_PREFIX
from ovnguard.validators.network.model import DEFAULT_NETWORK
from ovnguard.validators.network.parse_values import dig, text_of
from ovnguard.validators.network.selectors import Labels, labels_of

# Where FRR runs: as deployed by OpenShift, and by upstream's manifests.
FRR_NAMESPACES: Final = ("openshift-frr-k8s", "frr-k8s-system")
_MANAGED: Final = frozenset({MANAGED_DEFAULT, MANAGED_CUDN})


def routing_of(view: ClusterView) -> RoutingInputs:
    """Return what ``view`` declares about routes."""
    inventory = inventory_of(view)
    operator = known_operator(inventory)
    attachments = inventory.followed(_attachments, *NETWORK_KINDS).by_network
    labels = inventory.followed(_labels, CUDN)
    no_overlay = (ref_of(obj).name for obj in no_overlay_cudns(inventory))
    return RoutingInputs(
        enabled=operator is None or operator.advertises or operator.no_overlay,
        bgp=operator.choice.managed_bgp if operator is not None else None,
        advertisements=tuple(each for each in route_advertisements(inventory) if each.name not in _MANAGED),
        configurations=tuple(sorted(inventory.objects(FRR_CONFIGURATION) or (), key=_place)),
        labels=dict(labels.values()),
        unused=frozenset(_unused(inventory, labels, attachments)),
        no_overlay={name: name in managed_cudns(inventory) for name in no_overlay},
        attachments=attachments,
        egress=_egress(inventory),
        sessions=_sessions(inventory),
        frr_namespace=_known(inventory, FRR_NAMESPACES),
        ovnkube_namespace=_known(inventory, OVNKUBE_NAMESPACES),
    )


def _place(obj: JsonObject) -> tuple[str, str]:
    ref = ref_of(obj)
    return ref.namespace, ref.name


class _Attachments(NamedTuple):
    """The attachments by network, and those of each object by its ``id()``, None where it is of no use."""

    by_network: Mapping[str, tuple[Attachment, ...]]
    read: Mapping[int, tuple[OwnerKey | None, tuple[str, Attachment] | None]]


def _attachments(now: ObservedObjects, before: _Attachments | None) -> _Attachments:
    """Follow the default network's attachment, and those that were rendered from ClusterUserDefinedNetworks."""
    known = {} if before is None else before.read
    rendered = now.followed(declared, *NETWORK_KINDS).rendered
    read: dict[int, tuple[OwnerKey | None, tuple[str, Attachment] | None]] = {}
    for obj in now.objects(NAD):
        owner, held = rendered.get(id(obj)), known.get(id(obj))
        read[id(obj)] = held if held is not None and held[0] == owner else (owner, _attachment(obj, owner))
    found = grouped(each for _, each in read.values() if each is not None)
    several = {network: tuple(sorted(each)) for network, each in found.items() if len(each) > 1}
    return _Attachments(found | several, read)


def _attachment(obj: JsonObject, owner: OwnerKey | None) -> tuple[str, Attachment] | None:
    """An attachment with the name of its network."""
    ref = ref_of(obj)
    if owner is None and (ref.name != DEFAULT_NETWORK or ref.namespace not in OVNKUBE_NAMESPACES):
        return None
    known = dig(obj, "metadata", "annotations", NAMED_BY) is not None
    names = tuple(advertisement_names(obj)) if known else None
    return DEFAULT_NETWORK if owner is None else owner.network_name, Attachment(ref.namespace, ref.name, names)


def _labels(now: ObservedObjects, before: dict[int, tuple[str, Labels]] | None) -> dict[int, tuple[str, Labels]]:
    """Follow the ClusterUserDefinedNetworks: the network and the labels of each object by its ``id()``."""
    known = before or {}
    return {
        id(obj): known.get(id(obj)) or (f"{CUDN_PREFIX}{ref_of(obj).name}", labels_of(obj)) for obj in now.objects(CUDN)
    }


def _unused(
    inventory: Inventory, networks: Mapping[int, tuple[str, Labels]], attachments: Mapping[str, object]
) -> Iterator[str]:
    """Networks of ClusterUserDefinedNetworks without attachments that select no known namespace."""
    if not inventory.knows(NAMESPACE):
        return
    chosen = inventory.followed(selected, NAMESPACE, CUDN).names
    for obj in inventory.objects(CUDN) or ():
        network, _ = networks[id(obj)]
        # whoever is not there selects many
        if network not in attachments and not chosen.get(id(obj), True):
            yield network


def _egress(inventory: Inventory) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Of each EgressIP, a node has at most one address; the last in the status counts."""
    found: dict[str, dict[str, set[str]]] = {}
    for obj in inventory.objects(EGRESS_IP) or ():
        by_node = dict(_assigned(obj))
        if not by_node:
            continue
        owners = primaries(inventory)
        for space in namespaces(inventory).selected_by(dig(obj, "spec", "namespaceSelector")):
            own = owners.get(space.name, ()) if space.has_primary_label else ()
            network = own[0].name if own else DEFAULT_NETWORK
            for node, prefix in by_node.items():
                found.setdefault(node, {}).setdefault(network, set()).add(prefix)
    return {
        node: {network: tuple(sorted(prefixes)) for network, prefixes in each.items()} for node, each in found.items()
    }


def _assigned(obj: JsonObject) -> Iterator[tuple[str, str]]:
    items = dig(obj, "status", "items")
    for item in items if isinstance(items, list) else ():
        node, text = text_of(dig(item, "node")), text_of(dig(item, "egressIP"))
        try:
            address = ip_address(text)
        except ValueError:
            continue
        if node and "%" not in text:
            yield node, f"{address}/{address.max_prefixlen}"


def _sessions(inventory: Inventory) -> Mapping[str, frozenset[str]] | None:
    """The established sessions of each node, as frr-k8s reports them."""
    states = inventory.objects(BGP_SESSION_STATE)
    if states is None:
        return None
    found: dict[str, set[str]] = {}
    for obj in states:
        if dig(obj, "status", "bgpStatus") == "Established":
            found.setdefault(text_of(dig(obj, "status", "node")), set()).add(text_of(dig(obj, "status", "peer")))
    return {node: frozenset(peers) for node, peers in found.items()}


def _known(inventory: Inventory, names: tuple[str, ...]) -> str:
    """The first of these namespaces that exists; empty when none is known to."""
    known = namespaces(inventory).by_name
    return next((name for name in names if name in known), "")
