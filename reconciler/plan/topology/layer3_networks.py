"""The Layer3 networks that can be planned, their nodes, and the missing facts of the others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from ovnguard.reconciler.plan.inputs.plannable_nodes import PlannableNodes, Waiting, counted
from ovnguard.reconciler.plan.inputs.uplinks import UplinkGateways
from ovnguard.reconciler.plan.numbers.layer3_addresses import (
    AddressOrSubnet,
    Layer3,
    Layer3Peer,
    clash,
    held_shares,
    held_transits,
    layer3_of,
    layer3_peer_of,
)
from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.rows.model import ActiveNodes, Remark
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.egress_service import served
from ovnguard.reconciler.plan.topology.layer3 import layer3_rows
from ovnguard.reconciler.plan.topology.layer3_zone import Layer3Zone
from ovnguard.validators.network.addresses.addressing import AddressError
from ovnguard.validators.network.declared.node import CHASSIS_ID, GATEWAY_CONFIG, NODE_SUBNETS, Node
from ovnguard.validators.network.model import IPAddress, Network, Topology

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ClusterContext:
    """The inputs of every zone of a network: settings, and all addresses of all nodes by IP version.

    ``parts`` are, by network, the settings that affect only this network, ``activity`` the nodes of networks that are
    not rendered on all, ``uplinks`` the gateways of networks.
    """

    settings: Settings
    addresses: Mapping[int, tuple[IPAddress, ...]]
    parts: Mapping[str, object]
    activity: Mapping[str, ActiveNodes]
    uplinks: UplinkGateways

    def has_rows(self, network: str, node: str) -> bool:
        """Whether the network has rows in the zone of ``node``."""
        active = self.activity.get(network)
        return active is None or active.has_rows(node)

    def remotes(self, network: str, node: str, peers: Mapping[str, _T]) -> Iterator[_T]:
        """Iterate over those of ``peers`` that the zone of ``node`` has ports and routes for."""
        active = self.activity.get(network)
        for name, peer in peers.items():
            if name != node and (active is None or name in active.nodes):
                yield peer

    def inputs_of(self, network: Network, node: Node) -> object:
        """Return the inputs that affect only this network in the zone of ``node``."""
        part = self.parts.get(network.name)
        return (part, self.uplinks.state(network, node.name)) if network.uplink else part


@dataclass(frozen=True, slots=True)
class PlannedLayer3:
    """A Layer3 network with the addresses of every node that has any."""

    layer3: Layer3
    peers: Mapping[str, Layer3Peer]

    @property
    def uses_services(self) -> bool:
        """Whether its pods reach services of the default network through separate routes."""
        return self.layer3.is_primary and not self.layer3.network.is_default

    def is_planned_on(self, node: Node, cluster: ClusterContext) -> bool:
        """Whether the network has rows in the zone of ``node``."""
        has_rows = cluster.has_rows(self.layer3.network.name, node.name)
        return has_rows and node.name in self.peers and not lacks(self.layer3, node)

    def rows(self, node: Node, cluster: ClusterContext, protection: Row) -> tuple[Row, ...]:
        """Return the network's rows in the zone of ``node``, where it is planned; ``protection`` is the Copp row."""
        remotes = tuple(cluster.remotes(self.layer3.network.name, node.name, self.peers))
        gateway = cluster.uplinks.gateway(self.layer3.network, node) if self.layer3.is_primary else None
        local = self.peers[node.name]
        zone = Layer3Zone(self.layer3, local, gateway, remotes, cluster.settings)
        return layer3_rows(zone, protection)

    def service_pods(self, node: Node, cluster: ClusterContext) -> tuple[IPAddress, ...]:
        """Return the addresses of the node's own pods that EgressServices serve."""
        if not self.layer3.network.is_default or not self.is_planned_on(node, cluster):
            return ()
        remotes = cluster.remotes(self.layer3.network.name, node.name, self.peers)
        found = served(cluster.settings.egress_services, self.layer3, self.peers[node.name], remotes)
        return tuple(each.address for each in found if each.is_local)


def lacks(layer3: Layer3, node: Node) -> str:
    """Return the missing annotation that the network needs on this node, or ''."""
    if not node.host_subnets.get(layer3.network.name):
        return NODE_SUBNETS
    if not node.chassis_id:
        return CHASSIS_ID
    return GATEWAY_CONFIG if layer3.is_primary and node.gateway is None else ""


def layer3s_of(
    networks: Sequence[Network],
    ids: Mapping[str, NetworkIds],
    settings: Settings,
    members: PlannableNodes,
    errors: list[Remark],
    waiting: Waiting,
    memo: Memo,
) -> tuple[PlannedLayer3, ...]:
    """Return the Layer3 networks that can be planned, the default network among them."""
    found, activity = [], settings.activity
    # the zones also depend on whether there is a Layer2 network
    zones = tuple(node.name for node in members.zones)
    for network in networks:
        if network.topology is not Topology.LAYER3:
            continue
        numbers = ids[network.name]
        layer3 = memo.of("addresses", network, numbers, partial(layer3_of, network, numbers, settings))
        if isinstance(layer3, AddressError):
            errors.append(Remark(layer3.text, network.name))
            continue
        active = activity.get(network.name)
        make = partial(_planned, layer3, members, active)
        planned, failed, lacking = memo.of("links", network, numbers, make, (active, zones))
        if failed or lacking:
            for remark in (*failed, *lacking):
                waiting.add(remark.node, network.name)
            errors += counted(failed)
            # for the default network node by node, for others the first node and a count
            waiting.notes += lacking if network.is_default else counted(lacking)
        found.append(planned)
    return tuple(found)


def _planned(
    layer3: Layer3, members: PlannableNodes, active: ActiveNodes | None
) -> tuple[PlannedLayer3, list[Remark], list[Remark]]:
    """The network with the addresses of all nodes, errors about nodes without, and what other nodes lack."""
    links, name = _links(layer3, members, active), layer3.network.name
    peers = {node: each for node, each in links.items() if isinstance(each, Layer3Peer)}
    failed = [Remark(each.text, name, node) for node, each in links.items() if isinstance(each, AddressError)]
    lacking = [
        Remark(f"waiting for {missing}", name, node.name)
        for node in members.wanted_zones(active)
        if (missing := lacks(layer3, node))
    ]
    return PlannedLayer3(layer3, peers), failed, lacking


def _links(
    layer3: Layer3, members: PlannableNodes, active: ActiveNodes | None
) -> Mapping[str, Layer3Peer | AddressError]:
    """Addresses of all nodes that have subnets; of two nodes with the same one, the later one has none."""
    links: dict[str, Layer3Peer | AddressError] = {}
    holders: dict[AddressOrSubnet, str] = {}
    for node in members.linked(active):
        peer = layer3_peer_of(layer3, node)
        if peer is None:
            continue
        conflict = clash(peer, holders) if isinstance(peer, Layer3Peer) else None
        links[node.name] = peer if conflict is None else AddressError(conflict)
        if conflict is None and isinstance(peer, Layer3Peer):
            holders.update(dict.fromkeys((*held_shares(peer), *held_transits(peer)), node.name))
    return links
