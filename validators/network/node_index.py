"""All known nodes, by what must be theirs alone and by the subnets they are in; what room networks have for more.

Built once for a view, so that one node or network is held against thousands with a few look-ups.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from validators.network.addressing import MIN_NODE_ID
from validators.network.facts import facts_of, host_networks
from validators.network.inventory import NETWORK_KINDS, Inventory
from validators.network.model import Network, Role, Topology
from validators.network.node import CHASSIS_ID, NODE_ID, Node
from validators.network.parse_operator import operator_network
from validators.network.prefix_index import PrefixIndex
from validators.network.view import NODE, OPERATOR_NETWORK
from validators.records import dataclass


@dataclass(frozen=True, slots=True)
class NodeIndex:
    """Names of nodes by node id and by chassis (key: annotation and value), and by zone; all nodes' subnets."""

    numbers: Mapping[tuple[str, object], tuple[str, ...]]
    zones: Mapping[str, tuple[str, ...]]
    hosts: PrefixIndex[str]


def node_index(inventory: Inventory) -> NodeIndex:
    """Return the index of the known nodes; of what is not known there is nothing in it."""
    return inventory.derived(_index, NODE, OPERATOR_NETWORK)


def numbers_of(node: Node) -> Iterator[tuple[str, object]]:
    """Iterate over annotation and value of what no two nodes may share."""
    if node.node_id is not None:
        yield NODE_ID, node.node_id
    if node.chassis_id:
        yield CHASSIS_ID, node.chassis_id


class Room:
    """How far networks go: the names of those that go no further than a number."""

    def __init__(self, limits: Iterable[tuple[int, str]]) -> None:
        self._limits = sorted(limits)

    def below(self, number: int) -> Sequence[str]:
        """Return names of the networks whose limit is below ``number``, tightest first."""
        return [name for _, name in self._limits[: bisect_left(self._limits, (number, ""))]]


@dataclass(frozen=True, slots=True)
class Rooms:
    """``shares``: node subnets of Layer3 networks. ``joins`` and ``transits``: highest node id that has addresses."""

    shares: Room
    joins: Room
    transits: Room


def rooms(inventory: Inventory) -> Rooms:
    """Return what room the known networks have, the default one too."""
    return inventory.derived(_rooms, OPERATOR_NETWORK, *NETWORK_KINDS)


def highest_id(node: Node, nodes: int) -> int:
    """Return the id of a node, or the highest that it may be given as one of ``nodes``."""
    return node.node_id if node.node_id is not None else MIN_NODE_ID + nodes - 1


def node_subnets(network: Network) -> int | None:
    """Return for how many nodes a Layer3 network has subnets, of the IP family with fewest; None without subnets."""
    by_family: dict[int, int] = {}
    for subnet in network.subnets:
        shares = 0 if subnet.host_prefix is None else 1 << (subnet.host_prefix - subnet.cidr.prefixlen)
        by_family[subnet.cidr.version] = by_family.get(subnet.cidr.version, 0) + shares
    return min(by_family.values(), default=None)


_Limits = list[tuple[int, str]]
_ROUTED: Final = (Topology.LAYER2, Topology.LAYER3)


def _index(inventory: Inventory) -> NodeIndex:
    nodes = facts_of(inventory).nodes or ()
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


def _rooms(inventory: Inventory) -> Rooms:
    shares: _Limits = []
    joins: _Limits = []
    transits: _Limits = []
    defaults = (operator_network(obj).network for obj in inventory.objects(OPERATOR_NETWORK) or ())
    for network in (*(each for each in defaults if each is not None), *(inventory.networks() or ())):
        families = {subnet.cidr.version for subnet in network.subnets}
        if network.topology is Topology.LAYER3 and (held := node_subnets(network)) is not None:
            shares.append((held, network.name))
        if network.role is Role.PRIMARY and network.topology in _ROUTED:
            joins += [(net.num_addresses - 1, network.name) for net in network.join_subnets if net.version in families]
        transits += [(net.num_addresses // 2 - 1, network.name) for net in network.transit_subnets]
    return Rooms(Room(shares), Room(joins), Room(transits))
