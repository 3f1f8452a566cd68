"""Routing Managed: what the cluster manager writes so that the nodes exchange routes with each other.

One FRRConfiguration lists every node as a neighbour; one RouteAdvertisements for the default network and one for all
ClusterUserDefinedNetworks use it. `advertisements` makes from them what each node advertises and accepts.

Source: OpenShift enhancement "no-overlay mode"; ovn-kubernetes ``pkg/clustermanager/managedbgp``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ovnguard.reconciler.plan.bgp.frr_documents import frr_configuration, neighbor
from ovnguard.reconciler.plan.bgp.reflectors import REFLECTOR, ROLE, Reflection, labelled, reflecting
from ovnguard.reconciler.plan.rows.model import Remark
from ovnguard.reconciler.plan.rows.routing_model import MANAGED_CUDN, MANAGED_DEFAULT, MANAGED_NAME
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.addresses.addressing import AddressError, nth_address
from ovnguard.validators.network.cluster.route_advertisements import (
    MANAGED_LABEL,
    RouteAdvertisement,
    route_advertisement,
)
from ovnguard.validators.network.cluster_view import CUDN
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import (
    FULL_MESH,
    ROUTE_REFLECTOR,
    IPAddress,
    ManagedBGP,
    Network,
    Routing,
    Transport,
)

_NO_REFLECTOR: Final = f"no routes: label at least two nodes with {ROLE}={REFLECTOR}"
_ONE_REFLECTOR: Final = (
    f"without its only route reflector, no node learns routes: label a second node with {ROLE}={REFLECTOR}"
)
_BY_LABEL: Final = {"matchLabels": {MANAGED_LABEL: ""}}


@dataclass(frozen=True, slots=True)
class Managed:
    """The managed objects: FRRConfigurations as ``sources``, RouteAdvertisements as ``objects`` and as values.

    ``router_ids`` are those of nodes for which FRR finds none.
    """

    sources: tuple[JsonObject, ...] = field(default=(), hash=False)
    objects: tuple[JsonObject, ...] = field(default=(), hash=False)
    advertisements: tuple[RouteAdvertisement, ...] = ()
    router_ids: Mapping[str, str] = field(default_factory=dict, hash=False)
    notes: tuple[Remark, ...] = ()
    errors: tuple[Remark, ...] = ()


def is_managed(network: Network) -> bool:
    """Whether the cluster manager makes the routes of ``network``."""
    options = network.no_overlay if network.transport is Transport.NO_OVERLAY else None
    if options is None or options.routing is not Routing.MANAGED:
        return False
    return network.is_default or network.source.kind == CUDN.kind


def managed_of(networks: Sequence[Network], nodes: Sequence[Node], settings: Settings) -> Managed:
    """Return the managed objects for ``networks``, none when no network needs them."""
    found = [network for network in networks if is_managed(network)]
    if not found:
        return Managed()
    bgp = next((each.managed_bgp for each in networks if each.is_default and each.managed_bgp), settings.routing.bgp)
    fault = _fault(bgp)
    if bgp is None or fault:
        return Managed(errors=tuple(Remark(fault, network.name) for network in found))
    subject, members = found[0].name, sorted(nodes, key=lambda node: node.name)
    notes: list[Remark] = []
    errors: list[Remark] = []
    addresses = _addresses(subject, members, notes, errors)
    router_ids = _router_ids(subject, members, settings, notes)
    sources: tuple[JsonObject, ...] = (_full_mesh(bgp.asn, addresses, frr_namespace(settings)),)
    if bgp.topology == ROUTE_REFLECTOR:
        if not labelled(members):
            return Managed(errors=tuple(Remark(_NO_REFLECTOR, network.name) for network in found))
        notes += (Remark(_ONE_REFLECTOR, network.name) for network in found if len(labelled(members)) == 1)
        subnets = [(cidr, length or cidr.prefixlen) for network in found for cidr, length in network.subnets]
        fabric = Reflection(bgp.asn, frr_namespace(settings), addresses, subnets, router_ids)
        routing = settings.routing
        sources = tuple(fabric.objects(reflecting(members, routing.configurations, routing.sessions)))
    objects = tuple(_advertisements(found))
    return Managed(
        sources=sources,
        objects=objects,
        advertisements=tuple(map(route_advertisement, objects)),
        router_ids=router_ids,
        notes=tuple(notes),
        errors=tuple(errors),
    )


def frr_namespace(settings: Settings) -> str:
    """Return the namespace of the FRRConfigurations."""
    return settings.routing.frr_namespace or settings.frr_namespace


def _fault(bgp: ManagedBGP | None) -> str:
    """The reason why there can be no fabric."""
    if bgp is None:
        return "routing is Managed, but there is no bgpManagedConfig"
    if bgp.topology not in (FULL_MESH, ROUTE_REFLECTOR):
        known = f'only "{FULL_MESH}" and "{ROUTE_REFLECTOR}" are supported'
        return f'unsupported managed BGP topology "{bgp.topology}", {known}'
    return ""


def _addresses(
    network: str, nodes: Sequence[Node], notes: list[Remark], errors: list[Remark]
) -> Mapping[IPAddress, str]:
    """Every node's first InternalIP of each family with its node, sorted as texts, as the cluster manager does."""
    owners: dict[IPAddress, str] = {}
    for node in nodes:
        if not node.internal_ips:
            notes.append(Remark("waiting for an InternalIP in status.addresses", network, node.name))
        for address in node.internal_ips:
            if address in owners:
                text = f"InternalIP {address} is also node {owners[address]}'s"
                errors.append(Remark(text, network, node.name))
            owners.setdefault(address, node.name)
    return {address: owners[address] for address in sorted(owners, key=str)}


def _router_ids(network: str, nodes: Sequence[Node], settings: Settings, notes: list[Remark]) -> Mapping[str, str]:
    """Router ids of nodes without IPv4 address, from which FRR would derive one: the join addresses of their ids."""
    found: dict[str, str] = {}
    join = next((subnet for subnet in settings.default_join_subnets if subnet.version == 4), None)
    for node in nodes:
        if not node.internal_ips or any(address.version == 4 for address in node.internal_ips):
            continue
        address = nth_address(join, node.node_id) if join is not None and node.node_id is not None else None
        if address is None or isinstance(address, AddressError):
            text = "a node without IPv4 address has a BGP router id only with k8s.ovn.org/node-id in the join subnet"
            notes.append(Remark(text, network, node.name))
        else:
            found[node.name] = str(address)
    return found


def _full_mesh(asn: int, addresses: Mapping[IPAddress, str], namespace: str) -> JsonObject:
    """The one FRRConfiguration for all nodes."""
    neighbors = [neighbor(str(address), asn) for address in addresses]
    metadata = {"name": MANAGED_NAME, "namespace": namespace, "labels": {MANAGED_LABEL: ""}}
    spec = {"bgp": {"routers": [{"asn": asn, "neighbors": neighbors}]}, "nodeSelector": {}, "raw": {}}
    return frr_configuration(metadata, spec)


def _advertisements(networks: Sequence[Network]) -> Iterator[JsonObject]:
    if any(network.is_default for network in networks):
        yield _advertisement(MANAGED_DEFAULT, {"networkSelectionType": "DefaultNetwork"})
    if not all(network.is_default for network in networks):
        cudns = {
            "clusterUserDefinedNetworkSelector": {"networkSelector": _BY_LABEL},
            "networkSelectionType": "ClusterUserDefinedNetworks",
        }
        yield _advertisement(MANAGED_CUDN, cudns)


def _advertisement(name: str, selector: JsonObject) -> JsonObject:
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "RouteAdvertisements",
        "metadata": {"name": name},
        "spec": {
            "advertisements": ["PodNetwork"],
            "frrConfigurationSelector": _BY_LABEL,
            "networkSelectors": [selector],
            "nodeSelector": {},
        },
    }
