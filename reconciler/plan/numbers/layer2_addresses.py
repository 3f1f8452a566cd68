"""All addresses of a primary Layer2 network, computed once before any row.

An impossible address is an error text per network or per node, so rows contain only valid addresses.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.plan.numbers.families import (
    FAMILY,
    cluster_versions,
    join_subnets,
    numbered,
    of_version,
    of_versions,
)
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.addresses.addressing import (
    MASQUERADE_HOST,
    MASQUERADE_NEXT_HOP,
    AddressError,
    IPInterface,
    MasqueradePair,
    TransitPair,
    mac_of,
    masquerade_pair,
    subnet_addresses,
    transit_pair,
)
from ovnguard.validators.network.declared.node import ROUTER_PORT_KEYS, Node
from ovnguard.validators.network.model import TRANSIT_ANNOTATION, IPAddress, IPNetwork, Network

# The value of the annotation layer2-topology-version for transit routers.
TRANSIT_ROUTER_VERSION: Final = "2.0"


@dataclass(frozen=True, slots=True)
class FamilyAddresses:
    """One IP family of a network: the same in every zone.

    ``next_hop`` and ``host`` are fixed masquerade addresses: the dummy next hop of the masquerade subnet, and the
    node as pods' replies see it.
    """

    version: int
    subnet: IPNetwork
    gateway: IPInterface
    management: IPInterface
    transit: IPNetwork
    masquerade_subnet: IPNetwork
    masquerade: MasqueradePair
    next_hop: IPAddress
    host: IPAddress


@dataclass(frozen=True, slots=True)
class Link:
    """One IP family of one node's link between transit router and gateway router."""

    version: int
    transit: TransitPair


@dataclass(frozen=True, slots=True)
class Layer2:
    """A primary Layer2 network that can be planned; ``families`` has IPv4 first.

    ``joins`` are the join subnets, and ``management_ips`` what nodes see instead of pods, of `cluster_versions`.
    ``default_mac``, of management ports without a recorded one, follows from the first subnet in the order of the
    object, every other MAC from IPv4 if present.
    """

    network: Network
    names: Names
    ids: NetworkIds
    router_key: int
    families: tuple[FamilyAddresses, ...]
    joins: tuple[IPNetwork, ...]
    management_ips: tuple[IPInterface, ...]
    default_mac: str

    def management_mac(self, node: Node) -> str:
        """The MAC of a node's own port."""
        return node.management_macs.get(self.network.name) or self.default_mac

    def of_family(self, version: int) -> FamilyAddresses | None:
        """The addresses of an IP family, or None when the network has none."""
        return next((family for family in self.families if family.version == version), None)


@dataclass(frozen=True, slots=True)
class Peer:
    """A node in one network: its links, one per family of the network, and its addresses in all join subnets.

    ``is_legacy``: the node still has the topology before transit routers. ``port_key`` is the key of its gateway
    router's port on the switch there, None when none is recorded. ``is_unknown``: the node records neither topology,
    so other nodes have no ports for its gateway router yet.
    """

    node: Node
    links: tuple[Link, ...]
    joins: tuple[IPInterface, ...]
    is_legacy: bool = False
    port_key: int | None = None
    is_unknown: bool = False

    def of_family(self, version: int) -> Link:
        """The link of a family of the network."""
        return next(link for link in self.links if link.version == version)

    def join(self, version: int) -> IPAddress:
        """The join address of the node's gateway router."""
        return next(each.ip for each in self.joins if each.version == version)


def layer2_of(network: Network, ids: NetworkIds, settings: Settings) -> Layer2 | AddressError:
    """Return all addresses of a primary Layer2 network that do not depend on a node, or why it has none."""
    if not network.subnets:
        return AddressError("the subnet attribute must be defined for layer2 primary user defined networks")
    if ids.router_key is None:
        return AddressError(f"layer2 network {network.name} has no tunnel key for its transit router")
    by_version = {subnet.cidr.version: subnet.cidr for subnet in network.subnets}
    if len(by_version) != len(network.subnets):
        return AddressError("a Layer2 network has at most one subnet of each IP family")
    families = []
    for version in sorted(by_version):
        family = _family(network, by_version[version], ids, settings)
        if isinstance(family, AddressError):
            return family
        families.append(family)
    first = network.subnets[0].cidr.version
    mac = next(mac_of(family.management.ip) for family in families if family.version == first)
    joins, management = join_subnets(network, settings), _management_ips(network, ids, settings)
    return Layer2(network, Names(network.name), ids, ids.router_key, tuple(families), joins, management, mac)


def _management_ips(network: Network, ids: NetworkIds, settings: Settings) -> tuple[IPInterface, ...]:
    masquerades = of_versions(settings.masquerade_subnets, cluster_versions(network, settings))
    pairs = (masquerade_pair(each, ids.network_id) for each in masquerades)
    return tuple(pair.management_port for pair in pairs if not isinstance(pair, AddressError))


def peer_of(layer2: Layer2, node: Node) -> Peer | AddressError:
    """Return a node's links in the network, or why it has none; the node must have a node id."""
    if node.node_id is None:
        raise ValueError(f"node {node.name} has no id")
    joins = numbered(node.node_id, layer2.joins)
    if isinstance(joins, AddressError):
        return joins
    links = []
    for family in layer2.families:
        pair = transit_pair(family.transit, node.node_id)
        if isinstance(pair, AddressError):
            return pair
        links.append(Link(family.version, pair))
    key = node.router_port_keys.get(layer2.network.name)
    unknown = not node.router_port_keys and node.topology_version != TRANSIT_ROUTER_VERSION
    return Peer(node, tuple(links), joins, is_legacy(node), key, unknown)


def router_mac(layer2: Layer2, node: Node) -> str:
    """Return the MAC of the router that a node reaches on the switch; before transit routers, its gateway router."""
    peer = peer_of(layer2, node) if is_legacy(node) and node.node_id is not None else None
    return mac_of(peer.joins[0].ip if isinstance(peer, Peer) else layer2.families[0].gateway.ip)


def is_legacy(node: Node) -> bool:
    """Whether a node still has the Layer2 topology before transit routers.

    Such a node records keys of gateway router ports, but not yet the version of the new topology. The cluster manager
    uses the same rule to keep allocating these keys (OKEP-5094, "Upgrade Strategy").
    """
    return bool(node.router_port_keys) and node.topology_version != TRANSIT_ROUTER_VERSION


def upgrade_faults(layer2: Layer2, peers: Iterable[Peer]) -> dict[str, AddressError]:
    """Return, by node, why it cannot take part while nodes of both topologies exist.

    Nodes of the earlier topology reach others by ports on the switch, so each needs a key for its port; and nodes of
    the new topology answer there with the last address of the join subnet, which must be unused.
    """
    members = tuple(peers)
    if not any(peer.is_legacy for peer in members):
        return {}
    no_key = AddressError(f"{ROUTER_PORT_KEYS} contains no key of the network")
    faults = {peer.node.name: no_key for peer in members if peer.port_key is None}
    for join in layer2.joins:
        last = join.num_addresses - 2
        for peer in members:
            if peer.node.node_id == last:
                text = "cannot use the last IP of the join subnet as fake join IP, node {} has nodeID {}"
                faults[peer.node.name] = AddressError(text.format(peer.node.name, last))
    return faults


def _family(network: Network, subnet: IPNetwork, ids: NetworkIds, settings: Settings) -> FamilyAddresses | AddressError:
    version = subnet.version
    transit = of_version(network.transit_subnets, version)
    if transit is None:
        return AddressError(f"no {FAMILY[version]} transit subnet is recorded, waiting for {TRANSIT_ANNOTATION}")
    masquerade = of_version(settings.masquerade_subnets, version)
    if of_version(join_subnets(network, settings), version) is None or masquerade is None:
        return AddressError(f"the cluster has no {FAMILY[version]} join and masquerade subnets")
    own = subnet_addresses(subnet, network.default_gateway_ips, network.infrastructure_subnets)
    pair = masquerade_pair(masquerade, ids.network_id)
    if isinstance(own, AddressError):
        return own
    if isinstance(pair, AddressError):
        return pair
    return FamilyAddresses(
        version=version,
        subnet=subnet,
        gateway=own.gateway,
        management=own.management,
        transit=transit,
        masquerade_subnet=masquerade,
        masquerade=pair,
        # the fixed addresses are below every network's pair, so they exist
        next_hop=masquerade.network_address + MASQUERADE_NEXT_HOP,
        host=masquerade.network_address + MASQUERADE_HOST,
    )
