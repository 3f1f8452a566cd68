"""All addresses of a Layer3 network, computed once before any row.

Each node has its own subnets, which the cluster manager records on it; a cluster router with a port in every node's
subnets is the pods' gateway. An impossible address is an error text per network or per node.

Source: ovn-kubernetes ``layer3_user_defined_network_controller.go`` and ``master.go``; enhancement "no-overlay mode".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

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
    join_address,
    mac_of,
    masquerade_pair,
    subnet_addresses,
)
from ovnguard.validators.network.declared.node import NODE_SUBNETS, TRANSIT_IFADDR, Node
from ovnguard.validators.network.model import IPAddress, IPNetwork, Network, Role, Subnet, Transport

# What only one node of a network may have: its subnets and its addresses on the transit switch.
AddressOrSubnet: TypeAlias = IPNetwork | IPAddress
# Join and transit address 1 is the cluster router's; nodes come after.
_CLUSTER_ROUTER = 1


@dataclass(frozen=True, slots=True)
class Backbone:
    """One IP family of the path between a primary network's cluster router and the outside.

    ``own`` is None for the default network, which uses the nodes' addresses outside. ``next_hop`` and ``host`` are
    fixed masquerade addresses.
    """

    cluster_join: IPInterface
    masquerade_subnet: IPNetwork
    own: MasqueradePair | None
    next_hop: IPAddress
    host: IPAddress


@dataclass(frozen=True, slots=True)
class Layer3Family:
    """One IP family of a network: ``clusters`` are its subnets, ``backbone`` is None for secondary networks."""

    version: int
    clusters: tuple[IPNetwork, ...]
    backbone: Backbone | None


@dataclass(frozen=True, slots=True)
class Layer3:
    """A Layer3 network that can be planned; ``families`` has IPv4 first.

    ``joins`` and ``transits`` are the subnets of `cluster_versions`: ``joins`` is empty in secondary networks,
    ``transits`` without an overlay. ``cluster_joins`` are the join addresses of the cluster router.
    """

    network: Network
    names: Names
    ids: NetworkIds
    families: tuple[Layer3Family, ...]
    joins: tuple[IPNetwork, ...]
    cluster_joins: tuple[IPInterface, ...]
    transits: tuple[IPNetwork, ...]

    @property
    def is_primary(self) -> bool:
        """Whether it carries pods' default routes, and so has gateway routers and management ports."""
        return self.network.role is Role.PRIMARY

    @property
    def has_overlay(self) -> bool:
        """Whether packets between nodes travel in tunnels."""
        return self.network.transport is not Transport.NO_OVERLAY

    @property
    def clusters(self) -> tuple[IPNetwork, ...]:
        """All subnets, IPv4 first."""
        return tuple(subnet for family in self.families for subnet in family.clusters)

    def of_family(self, version: int) -> Layer3Family | None:
        """The family, or None when the network has no subnet of it."""
        return next((family for family in self.families if family.version == version), None)


@dataclass(frozen=True, slots=True)
class Share:
    """One subnet of one node, with its gateway and the node's own address in it."""

    subnet: IPNetwork
    gateway: IPInterface
    management: IPInterface

    @property
    def version(self) -> int:
        """The IP version."""
        return self.subnet.version


@dataclass(frozen=True, slots=True)
class Layer3Peer:
    """A node in one network. ``joins`` is empty in secondary networks, ``transits`` without an overlay.

    The MAC of the management port follows from its first address where the node records none.
    """

    node: Node
    shares: tuple[Share, ...]
    joins: tuple[IPInterface, ...]
    transits: tuple[IPInterface, ...]
    management_mac: str

    def join(self, version: int) -> IPAddress:
        """The join address of the node's gateway router."""
        return next(each.ip for each in self.joins if each.version == version)

    def transit(self, version: int) -> IPAddress:
        """The address of the node's cluster router on the transit switch."""
        return next(each.ip for each in self.transits if each.version == version)


def layer3_of(network: Network, ids: NetworkIds, settings: Settings) -> Layer3 | AddressError:
    """Return all addresses of a Layer3 network that do not depend on a node, or why it has none."""
    if not network.subnets:
        return AddressError("a Layer3 network needs subnets")
    families = []
    for version in sorted({subnet.cidr.version for subnet in network.subnets}):
        family = _family(network, version, ids, settings)
        if isinstance(family, AddressError):
            return family
        families.append(family)
    joins = () if network.role is Role.SECONDARY else join_subnets(network, settings)
    cluster = numbered(_CLUSTER_ROUTER, joins)
    if isinstance(cluster, AddressError):
        return cluster
    transits: tuple[IPNetwork, ...] = ()
    if network.transport is not Transport.NO_OVERLAY:
        transits = of_versions(settings.transit_subnets, cluster_versions(network, settings))
    return Layer3(network, Names(network.name), ids, tuple(families), joins, cluster, transits)


def layer3_peer_of(layer3: Layer3, node: Node) -> Layer3Peer | AddressError | None:
    """Return a node's addresses in the network, why it has none, or None while it has no recorded subnets.

    Raises ValueError for a node without id.
    """
    if node.node_id is None:
        raise ValueError(f"node {node.name} has no id")
    shares = []
    for recorded in sorted(node.host_subnets.get(layer3.network.name, ()), key=lambda subnet: subnet.version):
        share = _share(layer3, recorded)
        if isinstance(share, AddressError):
            return share
        shares.append(share)
    if not shares:
        return None
    have = {share.version for share in shares}
    missing = next((family.version for family in layer3.families if family.version not in have), None)
    if missing is not None:
        return AddressError(f"{NODE_SUBNETS} contains no {FAMILY[missing]} subnet of the network")
    joins = numbered(node.node_id, layer3.joins)
    transits = _transits(node, node.node_id, layer3.transits)
    if isinstance(joins, AddressError):
        return joins
    if isinstance(transits, AddressError):
        return transits
    mac = node.management_macs.get(layer3.network.name) or mac_of(shares[0].management.ip)
    return Layer3Peer(node, tuple(shares), joins, transits, mac)


def _transits(node: Node, number: int, subnets: Iterable[IPNetwork]) -> tuple[IPInterface, ...] | AddressError:
    """The node's addresses on transit switches: the recorded ones, else those of its id."""
    recorded = {each.version: each for each in node.transit_addresses}
    found = []
    for subnet in subnets:
        address = recorded.get(subnet.version) or join_address(subnet, number)
        if isinstance(address, AddressError):
            return address
        found.append(address)
    return tuple(found)


def clash(peer: Layer3Peer, holders: Mapping[AddressOrSubnet, str]) -> str | None:
    """Return the conflict when ``holders``, the names of nodes by what they have, contains something of this one."""
    for key, values in ((NODE_SUBNETS, held_shares(peer)), (TRANSIT_IFADDR, held_transits(peer))):
        taken = next((each for each in values if each in holders), None)
        if taken is not None:
            return f"{key}: {taken} is already held by node {holders[taken]}"
    return None


def held_shares(peer: Layer3Peer) -> tuple[AddressOrSubnet, ...]:
    """Return the node's subnets."""
    return tuple(share.subnet for share in peer.shares)


def held_transits(peer: Layer3Peer) -> tuple[AddressOrSubnet, ...]:
    """Return the node's addresses on the transit switch."""
    return tuple(each.ip for each in peer.transits)


def gives(subnets: Iterable[Subnet], share: IPNetwork) -> bool:
    """Whether a network with these subnets may allocate ``share`` to a node."""
    return any(
        each.cidr.version == share.version
        and share.prefixlen == (each.host_prefix or each.cidr.prefixlen)
        and share.network_address in each.cidr
        for each in subnets
    )


def _share(layer3: Layer3, subnet: IPNetwork) -> Share | AddressError:
    if not gives(layer3.network.subnets, subnet):
        return AddressError(f"{NODE_SUBNETS}: {subnet} is not a node's share of the network's subnets")
    own = subnet_addresses(subnet)
    return own if isinstance(own, AddressError) else Share(subnet, own.gateway, own.management)


def _family(network: Network, version: int, ids: NetworkIds, settings: Settings) -> Layer3Family | AddressError:
    clusters = tuple(subnet.cidr for subnet in network.subnets if subnet.cidr.version == version)
    if network.transport is not Transport.NO_OVERLAY and of_version(settings.transit_subnets, version) is None:
        return AddressError(f"the cluster has no {FAMILY[version]} transit subnet")
    if network.role is Role.SECONDARY:
        return Layer3Family(version, clusters, None)
    backbone = _backbone(network, version, ids, settings)
    if isinstance(backbone, AddressError):
        return backbone
    return Layer3Family(version, clusters, backbone)


def _backbone(network: Network, version: int, ids: NetworkIds, settings: Settings) -> Backbone | AddressError:
    join = of_version(join_subnets(network, settings), version)
    masquerade = of_version(settings.masquerade_subnets, version)
    if join is None or masquerade is None:
        return AddressError(f"the cluster has no {FAMILY[version]} join and masquerade subnets")
    cluster = join_address(join, _CLUSTER_ROUTER)
    own = None if network.is_default else masquerade_pair(masquerade, ids.network_id)
    if isinstance(cluster, AddressError):
        return cluster
    if isinstance(own, AddressError):
        return own
    base = masquerade.network_address
    return Backbone(cluster, masquerade, own, base + MASQUERADE_NEXT_HOP, base + MASQUERADE_HOST)
