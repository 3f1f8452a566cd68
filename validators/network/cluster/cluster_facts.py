"""What a view knows about the cluster around a network: nodes, and the subnets that are the cluster's own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Network
from typing import Final

from validators.base.json_types import JsonObject
from validators.network.addresses.addressing import MIN_NODE_ID
from validators.network.cluster.incremental import Changes, Snapshot
from validators.network.cluster.inventory import Inventory, inventory_of
from validators.network.cluster_view import NODE, OPERATOR_NETWORK, ClusterView
from validators.network.declared.node import Node, node_of
from validators.network.declared.parse_operator import (
    InternalSubnets,
    hybrid_subnets,
    internal_subnets,
    no_overlay_choice,
    operator_network,
)
from validators.network.model import IPAddress, IPNetwork, ManagedBGP
from validators.network.parse_values import Reader

_NO_INTERNAL: Final = InternalSubnets()


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    """Facts about the cluster; what is not known is None, and no rule guesses it.

    ``join_subnets``, ``transit_subnets`` and ``masquerade_subnets`` hold one subnet of each family: the operator
    Network's, else the built-in default. ``max_node_id`` is the highest id that a node has or will be given.
    ``default_mtu`` is the default network's MTU in octets, None where the operator Network states none.
    ``hybrid_subnets`` are those of nodes outside of OVN.
    ``operator_known`` tells whether the operator Network is known, so that a ``managed_bgp`` of None means there is
    none.
    """

    nodes: tuple[Node, ...] | None = None
    max_node_id: int | None = None
    operator_known: bool = False
    cluster_subnets: tuple[IPNetwork, ...] | None = None
    service_subnets: tuple[IPNetwork, ...] | None = None
    join_subnets: tuple[IPNetwork, ...] = _NO_INTERNAL.join
    transit_subnets: tuple[IPNetwork, ...] = _NO_INTERNAL.transit
    masquerade_subnets: tuple[IPNetwork, ...] = _NO_INTERNAL.masquerade
    managed_bgp: ManagedBGP | None = None
    default_mtu: int | None = None
    hybrid_subnets: tuple[IPNetwork, ...] = ()


def cluster_facts(view: ClusterView) -> ClusterFacts:
    """Return what ``view`` knows about nodes and about the operator Network.

    Nodes without a usable name are left out, of several with one name the last counts. An operator Network that cannot
    be read is left out, too; several that disagree count as not known.
    """
    return facts_of(inventory_of(view))


def facts_of(inventory: Inventory) -> ClusterFacts:
    """As `cluster_facts`, for who has the inventory of a view. Looks at Nodes and operator Networks."""
    return inventory.followed(facts, NODE, OPERATOR_NETWORK)


def facts(now: Snapshot, before: ClusterFacts | None, _: Changes | None) -> ClusterFacts:
    """Follow Nodes and operator Networks."""
    made = _facts(_nodes(now), _operator(now.objects(OPERATOR_NETWORK)))
    return before if before is not None and before == made else made


def _facts(nodes: tuple[Node, ...] | None, operator: "_Operator | None") -> ClusterFacts:
    if operator is None:
        return ClusterFacts(nodes=nodes, max_node_id=_max_node_id(nodes))
    subnets, services, internal, bgp, mtu, hybrid = operator
    return ClusterFacts(
        nodes=nodes,
        max_node_id=_max_node_id(nodes),
        operator_known=True,
        cluster_subnets=subnets,
        service_subnets=services,
        join_subnets=internal.join,
        transit_subnets=internal.transit,
        masquerade_subnets=internal.masquerade,
        managed_bgp=bgp,
        default_mtu=mtu,
        hybrid_subnets=hybrid,
    )


def host_networks(nodes: Sequence[Node]) -> Iterator[tuple[str, IPNetwork]]:
    """Iterate over (node name, subnet) of everything that the nodes' own interfaces reach or have as address."""
    for node in nodes:
        gateway = node.gateway.addresses if node.gateway else ()
        for interface in (*node.host_cidrs, *node.primary_addresses, *gateway):
            yield node.name, interface.network
        hops = node.gateway.next_hops if node.gateway else ()
        for address in (*node.internal_ips, *node.encap_ips, *hops):
            yield node.name, host_route(address)


def host_route(address: IPAddress) -> IPNetwork:
    """Return the subnet that holds ``address`` alone."""
    return IPv4Network(address) if isinstance(address, IPv4Address) else IPv6Network(address)


_Operator = tuple[
    tuple[IPNetwork, ...], tuple[IPNetwork, ...], InternalSubnets, ManagedBGP | None, int | None, tuple[IPNetwork, ...]
]


def _operator(objects: Sequence[JsonObject] | None) -> _Operator | None:
    """What all operator Networks that can be read agree on; None when they do not, or when there is none."""
    found: set[_Operator] = set()
    for obj in objects or ():
        network = operator_network(obj).network
        if network is not None:
            internal = internal_subnets(obj, Reader())
            subnets = tuple(subnet.cidr for subnet in network.subnets)
            bgp = no_overlay_choice(obj).managed_bgp
            hybrid = hybrid_subnets(obj, Reader())
            found.add((subnets, network.service_subnets, internal, bgp, network.mtu, hybrid))
    return found.pop() if len(found) == 1 else None


def _nodes(now: Snapshot) -> tuple[Node, ...] | None:
    if not now.knows(NODE):
        return None
    read = now.followed(_readings, NODE)
    by_name = {node.name: node for node in map(read.__getitem__, map(id, now.objects(NODE))) if node is not None}
    return tuple(by_name[name] for name in sorted(by_name))


def _readings(now: Snapshot, before: dict[int, Node | None] | None, _: Changes | None) -> dict[int, Node | None]:
    """What each Node says by its ``id()``; those that did not change are not read again."""
    known = before or {}
    return {id(obj): known[id(obj)] if id(obj) in known else node_of(obj).node for obj in now.objects(NODE)}


def _max_node_id(nodes: tuple[Node, ...] | None) -> int | None:
    """Nodes without an id get the lowest free ones, so ids reach at least as far as the nodes are many."""
    if not nodes:
        return None
    recorded = (node.node_id for node in nodes if node.node_id is not None)
    return max([MIN_NODE_ID + len(nodes) - 1, *recorded])
