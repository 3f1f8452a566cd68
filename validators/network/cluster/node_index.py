"""All known nodes, indexed by their unique values and their subnets, and the room of networks for more nodes.

Each view has one, so a few look-ups compare a node or network with thousands. The index follows changes.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.addresses.addressing import MIN_NODE_ID
from ovnguard.validators.network.addresses.prefix_index import PrefixIndex
from ovnguard.validators.network.cluster.cluster_facts import facts, host_networks
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Inventory, declared
from ovnguard.validators.network.cluster_view import NODE, OPERATOR_NETWORK
from ovnguard.validators.network.declared.node import CHASSIS_ID, NODE_ID, Node
from ovnguard.validators.network.declared.parse_operator import operator_network
from ovnguard.validators.network.model import LAYER2, LAYER3, PRIMARY, Network

Limit: TypeAlias = tuple[int, str]
"""The limit of a network, and its name."""


class NodeIndex(NamedTuple):
    """Names of nodes by node id and by chassis (key: annotation and value), and by zone; all nodes' subnets."""

    numbers: Mapping[tuple[str, object], tuple[str, ...]]
    zones: Mapping[str, tuple[str, ...]]
    hosts: PrefixIndex[str]


def node_index(inventory: Inventory) -> NodeIndex:
    """Return the index of the known nodes; unknown kinds contribute nothing."""
    return inventory.followed(_index, NODE, OPERATOR_NETWORK).found


def numbers_of(node: Node) -> Iterator[tuple[str, object]]:
    """Iterate over (annotation, value) of the values that no two nodes may share."""
    if node.node_id is not None:
        yield NODE_ID, node.node_id
    if node.chassis_id:
        yield CHASSIS_ID, node.chassis_id


class Room:
    """The limits of networks, to find the networks whose limit is below a number. Immutable."""

    def __init__(self, limits: Iterable[Limit]) -> None:
        self._limits = sorted(limits)

    def below(self, number: int) -> Sequence[str]:
        """Return names of the networks whose limit is below ``number``, tightest first."""
        return [name for _, name in self._limits[: bisect_left(self._limits, (number, ""))]]


class Rooms(NamedTuple):
    """``shares``: node subnets of Layer3 networks. ``joins`` and ``transits``: highest node id that has addresses."""

    shares: Room
    joins: Room
    transits: Room


def rooms(inventory: Inventory) -> Rooms:
    """Return the room of the known networks, including the default one."""
    return inventory.followed(_rooms, OPERATOR_NETWORK, *NETWORK_KINDS)


def highest_id(node: Node, nodes: int) -> int:
    """Return the id of a node, or the highest id that it may get as one of ``nodes``."""
    return node.node_id if node.node_id is not None else MIN_NODE_ID + nodes - 1


def node_subnets(network: Network) -> int | None:
    """Return the number of nodes that a Layer3 network has subnets for, in the IP family with the fewest; None without
    subnets.
    """
    by_family: dict[int, int] = {}
    for subnet in network.subnets:
        shares = 0 if subnet.host_prefix is None else 1 << (subnet.host_prefix - subnet.cidr.prefixlen)
        by_family[subnet.cidr.version] = by_family.get(subnet.cidr.version, 0) + shares
    return min(by_family.values(), default=None)


_ROUTED: Final = (LAYER2, LAYER3)


class _Indexed(NamedTuple):
    """The index, and the nodes that it contains."""

    nodes: tuple[Node, ...]
    found: NodeIndex


def _index(now: ObservedObjects, before: _Indexed | None) -> _Indexed:
    nodes = now.followed(facts, NODE, OPERATOR_NETWORK).nodes or ()
    # most node changes concern their status, which this index does not use
    return before if before is not None and before.nodes == nodes else _Indexed(nodes, _index_of(nodes))


def _index_of(nodes: tuple[Node, ...]) -> NodeIndex:
    numbers: dict[tuple[str, object], list[str]] = {}
    zones: dict[str, list[str]] = {}
    for node in nodes:
        for number in numbers_of(node):
            numbers.setdefault(number, []).append(node.name)
        if node.zone:
            zones.setdefault(node.zone, []).append(node.name)
    return NodeIndex(
        {number: tuple(names) for number, names in numbers.items()},
        {zone: tuple(names) for zone, names in zones.items()},
        PrefixIndex((subnet, name) for name, subnet in host_networks(nodes)),
    )


def _rooms(now: ObservedObjects, _: object) -> Rooms:
    read = now.followed(declared, *NETWORK_KINDS).networks.values()
    networks = (each for each in read if each is not None)
    return Rooms(*map(Room, _limits((*_defaults(now.objects(OPERATOR_NETWORK)), *networks))))


def _defaults(objects: Iterable[JsonObject]) -> Iterator[Network]:
    read = (operator_network(obj).network for obj in objects)
    return (network for network in read if network is not None)


def _limits(networks: Iterable[Network]) -> tuple[list[Limit], list[Limit], list[Limit]]:
    """Limits of shares, of join subnets and of transit subnets."""
    shares: list[Limit] = []
    joins: list[Limit] = []
    transits: list[Limit] = []
    for network in networks:
        families = {subnet.cidr.version for subnet in network.subnets}
        if network.topology is LAYER3 and (held := node_subnets(network)) is not None:
            shares.append((held, network.name))
        if network.role is PRIMARY and network.topology in _ROUTED:
            joins += [(net.num_addresses - 1, network.name) for net in network.join_subnets if net.version in families]
        transits += [(net.num_addresses // 2 - 1, network.name) for net in network.transit_subnets]
    return shares, joins, transits
