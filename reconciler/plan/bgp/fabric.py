"""The BGP fabric of a no-overlay default network that the cluster manages: a full mesh of all nodes in one AS.

Upstream writes one FRRConfiguration that lists every node as a neighbour, and for a RouteAdvertisements one more per
node with the prefixes to advertise and accept; frr-k8s merges both on the node. This module returns the same objects as
documents, and the merged result per node as a `Router`, from which `frr_conf` renders the file.

Source: OpenShift enhancement "no-overlay mode"; ovn-kubernetes ``pkg/clustermanager/managedbgp`` and
``routeadvertisements``.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from reconciler.plan.model import Remark
from reconciler.plan.settings import Settings
from validators.base.json_types import JsonObject
from validators.network.addresses.addressing import AddressError, nth_address
from validators.network.declared.node import NODE_SUBNETS, Node
from validators.network.model import DEFAULT_NETWORK, IPAddress, IPNetwork, Network, Routing, Transport

BASE_NAME: Final = "ovnk-managed-bgp"
MANAGED_LABEL: Final = "k8s.ovn.org/managed-bgp"
ADVERTISEMENTS_KEY: Final = "k8s.ovn.org/route-advertisements"
ADVERTISEMENTS: Final = "ovnk-managed-bgp-default"
FULL_MESH: Final = "full-mesh"


@dataclass(frozen=True, slots=True)
class Accepted:
    """Accepted prefixes: subnets of ``prefix`` of exactly this length."""

    prefix: IPNetwork
    length: int


@dataclass(frozen=True, slots=True)
class Neighbor:
    """One session, which uses and carries only the family of ``address``."""

    address: IPAddress
    asn: int
    advertise: tuple[IPNetwork, ...] = ()
    accept: tuple[Accepted, ...] = ()


@dataclass(frozen=True, slots=True)
class Router:
    """BGP of one node; ``router_id`` is empty where FRR chooses it."""

    node: str
    asn: int
    prefixes: tuple[IPNetwork, ...]
    neighbors: tuple[Neighbor, ...]
    router_id: str = ""


@dataclass(frozen=True, slots=True)
class Fabric:
    """Routers by node name, the FRRConfiguration documents behind them, notes and errors."""

    routers: Mapping[str, Router] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    documents: tuple[JsonObject, ...] = ()
    notes: tuple[Remark, ...] = ()
    errors: tuple[Remark, ...] = ()


def fabric_of(networks: Sequence[Network], nodes: Sequence[Node], settings: Settings) -> Fabric:
    """Return the managed fabric of the default network over all ``nodes``; an empty one when it has none."""
    network = next((each for each in networks if each.is_default), None)
    if network is None or network.transport is not Transport.NO_OVERLAY or network.no_overlay is None:
        return Fabric()
    if network.no_overlay.routing is Routing.UNMANAGED:
        text = "routing is Unmanaged: FRR is configured by the FRRConfiguration objects of the administrator"
        return Fabric(notes=(Remark(text, network.name),))
    if network.managed_bgp is None:
        return Fabric(errors=(Remark("routing is Managed, but there is no bgpManagedConfig", network.name),))
    if network.managed_bgp.topology != FULL_MESH:
        text = f'unsupported managed BGP topology "{network.managed_bgp.topology}", only "{FULL_MESH}" is supported'
        return Fabric(errors=(Remark(text, network.name),))
    return _mesh(network, network.managed_bgp.asn, sorted(nodes, key=lambda node: node.name), settings)


def _mesh(network: Network, asn: int, nodes: Sequence[Node], settings: Settings) -> Fabric:
    notes: list[Remark] = []
    errors: list[Remark] = []
    addresses = _addresses(network, nodes, notes, errors)
    routers = {}
    for node in nodes:
        prefixes = _prefixes(network, node, notes, errors)
        routers[node.name] = Router(
            node=node.name,
            asn=asn,
            prefixes=prefixes,
            neighbors=_neighbors(network, node, asn, addresses, prefixes),
            router_id=_router_id(node, settings),
        )
    documents = (
        _base(asn, addresses, settings),
        *(_generated(router, settings) for router in routers.values() if router.prefixes),
    )
    return Fabric(MappingProxyType(routers), documents, tuple(notes), tuple(errors))


def _addresses(
    network: Network, nodes: Sequence[Node], notes: list[Remark], errors: list[Remark]
) -> tuple[IPAddress, ...]:
    """Every node's first InternalIP of each family, sorted as texts, as the managed BGP controller sorts them."""
    owners: dict[IPAddress, str] = {}
    for node in nodes:
        if not node.internal_ips:
            notes.append(Remark("waiting for an InternalIP in status.addresses", network.name, node.name))
        for address in node.internal_ips:
            if address in owners:
                text = f"InternalIP {address} is also node {owners[address]}'s"
                errors.append(Remark(text, network.name, node.name))
            owners.setdefault(address, node.name)
    return tuple(sorted(owners, key=str))


def _prefixes(network: Network, node: Node, notes: list[Remark], errors: list[Remark]) -> tuple[IPNetwork, ...]:
    """The node's pod subnets that the network may allocate to a node; annotations are untrusted."""
    recorded = node.host_subnets.get(DEFAULT_NETWORK, ())
    if not recorded:
        notes.append(Remark(f"waiting for {NODE_SUBNETS}", network.name, node.name))
    good = []
    for subnet in recorded:
        if any(_gives(each.cidr, each.host_prefix, subnet) for each in network.subnets):
            good.append(subnet)
        else:
            text = f"{NODE_SUBNETS}: {subnet} is not a node's share of the network's subnets, so it is not advertised"
            errors.append(Remark(text, network.name, node.name))
    return tuple(sorted(set(good), key=str))


def _gives(cidr: IPNetwork, host_prefix: int | None, share: IPNetwork) -> bool:
    if cidr.version != share.version or share.prefixlen != (host_prefix or cidr.prefixlen):
        return False
    return share.network_address in cidr


def _neighbors(
    network: Network, node: Node, asn: int, addresses: Sequence[IPAddress], prefixes: Sequence[IPNetwork]
) -> tuple[Neighbor, ...]:
    """All addresses except the node's own; without prefixes of its family, a session stays empty."""
    neighbors = []
    for address in addresses:
        if address in node.own_addresses:
            continue
        advertise = tuple(prefix for prefix in prefixes if prefix.version == address.version)
        accept = tuple(
            Accepted(subnet.cidr, subnet.host_prefix or subnet.cidr.prefixlen)
            for subnet in network.subnets
            if advertise and subnet.cidr.version == address.version
        )
        neighbors.append(Neighbor(address, asn, advertise, accept))
    return tuple(neighbors)


def _router_id(node: Node, settings: Settings) -> str:
    """The router id when FRR cannot derive one from an IPv4 address: the join address of the node's id."""
    if node.node_id is None or any(address.version == 4 for address in node.internal_ips):
        return ""
    join = next((subnet for subnet in settings.default_join_subnets if subnet.version == 4), None)
    address = nth_address(join, node.node_id) if join else None
    return "" if address is None or isinstance(address, AddressError) else str(address)


def _base(asn: int, addresses: Sequence[IPAddress], settings: Settings) -> JsonObject:
    neighbors = [{"address": str(address), "asn": asn} for address in addresses]
    metadata = {"name": BASE_NAME, "namespace": settings.frr_namespace, "labels": {MANAGED_LABEL: ""}}
    return _document(metadata, {}, {"asn": asn, "neighbors": neighbors})


def _generated(router: Router, settings: Settings) -> JsonObject:
    """The FRRConfiguration that the default network's RouteAdvertisements adds on one node.

    Upstream lets the API server generate the name; in a plan, it follows from the identity.
    """
    identity = f"{ADVERTISEMENTS}/{BASE_NAME}/{router.node}"
    metadata = {
        "name": f"ovnk-generated-{hashlib.sha256(identity.encode()).hexdigest()[:10]}",
        "namespace": settings.frr_namespace,
        "labels": {ADVERTISEMENTS_KEY: ADVERTISEMENTS},
        "annotations": {ADVERTISEMENTS_KEY: identity},
    }
    body: JsonObject = {
        "asn": router.asn,
        "prefixes": [str(prefix) for prefix in router.prefixes],
        "neighbors": [_generated_neighbor(neighbor) for neighbor in router.neighbors if neighbor.advertise],
    }
    if router.router_id:
        body["id"] = router.router_id
    return _document(metadata, {"matchLabels": {"kubernetes.io/hostname": router.node}}, body)


def _generated_neighbor(neighbor: Neighbor) -> JsonObject:
    accepted = [{"prefix": str(each.prefix), "ge": each.length, "le": each.length} for each in neighbor.accept]
    return {
        "address": str(neighbor.address),
        "asn": neighbor.asn,
        "toAdvertise": {"allowed": {"mode": "filtered", "prefixes": [str(each) for each in neighbor.advertise]}},
        "toReceive": {"allowed": {"mode": "filtered", "prefixes": accepted}},
    }


def _document(metadata: JsonObject, node_selector: JsonObject, router: JsonObject) -> JsonObject:
    return {
        "apiVersion": "frrk8s.metallb.io/v1beta1",
        "kind": "FRRConfiguration",
        "metadata": metadata,
        "spec": {"nodeSelector": node_selector, "bgp": {"routers": [router]}},
    }
