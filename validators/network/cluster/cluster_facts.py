"""Facts about the cluster around a network: its nodes and subnets, settings of the operator Network, the hosts' MTU."""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Network
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.addresses.addressing import MIN_NODE_ID
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster.inventory import Inventory, inventory_of
from ovnguard.validators.network.cluster_view import (
    CONFIG_MAP,
    NODE,
    OPERATOR_NETWORK,
    OPERATOR_NETWORK_NAME,
    ClusterView,
)
from ovnguard.validators.network.declared.node import Node, node_of
from ovnguard.validators.network.declared.parse_operator import (
    CONFIG,
    InternalSubnets,
    NoOverlayChoice,
    hybrid_subnets,
    internal_subnets,
    no_overlay_choice,
    operator_network,
    ref_of,
)
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPAddress, IPNetwork, ManagedBGP, Routing, Transport
from ovnguard.validators.network.parse_values import Reader, decimal, dig

_NO_INTERNAL: Final = InternalSubnets()


class ClusterFacts(NamedTuple):
    """Facts about the cluster; an unknown fact is None, and no rule guesses it.

    ``join_subnets``, ``transit_subnets`` and ``masquerade_subnets`` contain one subnet per family: the operator
    Network's, else the built-in default. ``max_node_id`` is the highest id that a node has or will get. ``default_mtu``
    is the default network's MTU in octets, None where the operator Network does not specify it. ``hybrid_subnets``
    belong to nodes outside of OVN. If ``operator_known``, a ``managed_bgp`` of None means that the cluster has no
    fabric. ``advertises``: routeAdvertisements is Enabled.
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
    advertises: bool = False

    @property
    def ip_versions(self) -> tuple[int, ...]:
        """The IP versions of the default network's subnets, else of the nodes' shares of them, none if unknown."""
        shares = (each for node in self.nodes or () for each in node.host_subnets.get(DEFAULT_NETWORK, ()))
        return tuple(sorted({subnet.version for subnet in self.cluster_subnets or shares}))


def cluster_facts(view: ClusterView) -> ClusterFacts:
    """Return what ``view`` knows about nodes and about the operator Network.

    Nodes without a valid name are ignored; among several with the same name, the last counts. An invalid operator
    Network is ignored; several that disagree count as unknown.
    """
    return facts_of(inventory_of(view))


def facts_of(inventory: Inventory) -> ClusterFacts:
    """Like `cluster_facts`, for callers that have the inventory of a view. Depends on Nodes and operator Networks."""
    return inventory.followed(facts, NODE, OPERATOR_NETWORK)


def facts(now: ObservedObjects, before: ClusterFacts | None) -> ClusterFacts:
    """Follow Nodes and operator Networks."""
    made = _facts(_nodes(now), _operator(now.objects(OPERATOR_NETWORK)))
    return before if before is not None and before == made else made


def _facts(nodes: tuple[Node, ...] | None, operator: "_Operator | None") -> ClusterFacts:
    if operator is None:
        return ClusterFacts(nodes=nodes, max_node_id=_max_node_id(nodes))
    subnets, services, internal, bgp, mtu, hybrid, advertises = operator
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
        advertises=advertises,
    )


def host_networks(nodes: Sequence[Node]) -> Iterator[tuple[str, IPNetwork]]:
    """Iterate over (node name, subnet) for every subnet and address of the nodes' interfaces."""
    for node in nodes:
        gateway = node.gateway.addresses if node.gateway else ()
        for interface in (*node.host_cidrs, *node.primary_addresses, *gateway):
            yield node.name, interface.network
        hops = node.gateway.next_hops if node.gateway else ()
        for address in (*node.internal_ips, *node.encap_ips, *hops):
            yield node.name, host_route(address)


def host_route(address: IPAddress) -> IPNetwork:
    """Return the subnet that contains only ``address``."""
    return IPv4Network(address) if isinstance(address, IPv4Address) else IPv6Network(address)


_Operator = tuple[
    tuple[IPNetwork, ...],
    tuple[IPNetwork, ...],
    InternalSubnets,
    ManagedBGP | None,
    int | None,
    tuple[IPNetwork, ...],
    bool,
]


def _in_force(objects: Sequence[JsonObject] | None) -> Iterator[JsonObject]:
    """The operator Networks that the cluster network operator reads; it ignores every other name."""
    return (obj for obj in objects or () if ref_of(obj).name == OPERATOR_NETWORK_NAME)


def _operator(objects: Sequence[JsonObject] | None) -> _Operator | None:
    """The content on which all valid operator Networks agree; None when they disagree, or when none exists."""
    found: set[_Operator] = set()
    for obj in _in_force(objects):
        network = operator_network(obj).network
        if network is not None:
            internal = internal_subnets(obj, Reader())
            subnets = tuple(subnet.cidr for subnet in network.subnets)
            bgp = no_overlay_choice(obj).managed_bgp
            hybrid = hybrid_subnets(obj, Reader())
            found.add((subnets, network.service_subnets, internal, bgp, network.mtu, hybrid, _advertises(obj)))
    return found.pop() if len(found) == 1 else None


def _nodes(now: ObservedObjects) -> tuple[Node, ...] | None:
    if not now.knows(NODE):
        return None
    read = now.followed(_readings, NODE)
    by_name = {node.name: node for node in map(read.__getitem__, map(id, now.objects(NODE))) if node is not None}
    return tuple(by_name[name] for name in sorted(by_name))


def _readings(now: ObservedObjects, before: dict[int, Node | None] | None) -> dict[int, Node | None]:
    """The parsed Nodes by the ``id()`` of their objects; unchanged ones are not parsed again."""
    known = before or {}
    return {id(obj): known[id(obj)] if id(obj) in known else node_of(obj).node for obj in now.objects(NODE)}


def _max_node_id(nodes: tuple[Node, ...] | None) -> int | None:
    """Nodes without an id get the lowest free ones, so the highest id is at least the number of nodes."""
    if not nodes:
        return None
    recorded = (node.node_id for node in nodes if node.node_id is not None)
    return max([MIN_NODE_ID + len(nodes) - 1, *recorded])


_KEYS: Final = tuple(CONFIG.split("."))


class OperatorFacts(NamedTuple):
    """One operator Network. ``advertises``: routeAdvertisements is Enabled; ``frr``: FRR is among the providers."""

    choice: NoOverlayChoice
    advertises: bool
    frr: bool
    ipsec_full: bool

    @property
    def no_overlay(self) -> bool:
        """Whether the default network is in no-overlay mode."""
        return self.choice.transport is Transport.NO_OVERLAY

    def routed(self, routing: Routing) -> bool:
        """Whether it is in no-overlay mode with this routing."""
        options = self.choice.options
        return self.no_overlay and options is not None and options.routing is routing


def operator_facts(obj: JsonObject) -> OperatorFacts:
    """Return the facts of an operator Network. Never raises."""
    providers = dig(obj, "spec", "additionalRoutingCapabilities", "providers")
    ipsec = dig(obj, *_KEYS, "ipsecConfig")
    return OperatorFacts(
        choice=no_overlay_choice(obj),
        advertises=_advertises(obj),
        frr=isinstance(providers, list) and "FRR" in providers,
        # Before the mode existed, an empty object meant Full.
        ipsec_full=isinstance(ipsec, dict) and (dig(ipsec, "mode") or "Full") == "Full",
    )


def _advertises(obj: JsonObject) -> bool:
    return dig(obj, *_KEYS, "routeAdvertisements") == "Enabled"


def known_operator(inventory: Inventory) -> OperatorFacts | None:
    """Return the facts of the cluster's operator Network; None when it is unknown, or when several disagree."""
    return inventory.derived(_known_operator, OPERATOR_NETWORK)


def _known_operator(inventory: Inventory) -> OperatorFacts | None:
    found = {operator_facts(obj) for obj in _in_force(inventory.objects(OPERATOR_NETWORK))}
    return found.pop() if len(found) == 1 else None


# The prober of the cluster network operator writes the MTU of the hosts to ConfigMap openshift-network-operator/mtu,
# key mtu; no other object of the API contains it. Source: cluster-network-operator, pkg/util (MTU_CM_NAME).

# The octets that the network operator subtracts from the hosts' MTU for an overlay, without and with encrypted pod
# traffic.
OVERLAY_MARGIN: Final = 100
IPSEC_MARGIN: Final = 146
# The octets that Geneve adds over IPv4 and over IPv6; with less room ovnkube does not start on a node.
GENEVE_HEADERS: Final = {4: 58, 6: 78}

_PLACE: Final = ("openshift-network-operator", "mtu")


def host_mtu(inventory: Inventory) -> int | None:
    """Return the hosts' MTU in octets; None when it is unknown, or when the prober found none."""
    return inventory.derived(_host_mtu, CONFIG_MAP)


def _host_mtu(inventory: Inventory) -> int | None:
    for obj in inventory.objects(CONFIG_MAP) or ():
        ref = ref_of(obj)
        if (ref.namespace, ref.name) == _PLACE:
            return decimal(dig(obj, "data", "mtu"), 1, 99_999)
    return None
