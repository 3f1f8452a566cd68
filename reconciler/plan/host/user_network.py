"""A primary user-defined network on a node: management port, VRF, its routes, and the rules that lead to them.

Source: ovn-kubernetes ``pkg/node/gateway_udn.go``; enhancement "no-overlay mode" for networks without overlay.
"""

from collections.abc import Iterable
from ipaddress import ip_network
from typing import Final

from reconciler.plan.host.host_network import Local, Place, single
from reconciler.plan.host.host_plan import ISOLATED, Abilities
from reconciler.plan.host.items import LAST_METRIC, Item, Neighbour, Route, Rule, Vrf
from reconciler.plan.host.nft import Hook, Match, NftChain, NftRule, NftSet, elements_of
from validators.network.addresses.addressing import mac_of
from validators.network.model import Network, Topology, Transport

# A network's routing table and packet mark are these and its id.
TABLE_BASE: Final = 1000
MARK_BASE: Final = 4096
PRIORITY: Final = 2000
PORT_PREFIX: Final = "ovn-k8s-mp"
# Longest name of a network device (IFNAMSIZ without its final zero byte).
_NAME: Final = 15
_ANY: Final = {4: ip_network("0.0.0.0/0"), 6: ip_network("::/0")}


def port_name(network_id: int) -> str:
    """Return the name of a network's management port."""
    return f"{PORT_PREFIX}{network_id}"[:_NAME]


def vrf_name(network: Network, network_id: int) -> str:
    """Return the name of a network's VRF: that of a ClusterUserDefinedNetwork if it can be a device's."""
    name = network.source.name
    if network.source.kind == "ClusterUserDefinedNetwork" and len(name) <= _NAME and name != "default":
        return name
    return f"mp{network_id}-udn-vrf"


def user_items(place: Place, network_id: int, abilities: Abilities) -> Iterable[Item]:
    """Return the items of a primary network; without VRF devices rules by interface lead to the table instead."""
    table, name = TABLE_BASE + network_id, place.network.name
    vrf = vrf_name(place.network, network_id) if abilities.vrf else ""
    if vrf:
        yield Vrf(vrf, table, name)
    yield from place.port_items(vrf)
    routed = _is_routed(place) and place.network.topology is Topology.LAYER3 and place.is_local_mode
    yield from place.addresses(bare=routed or not vrf)
    first = next((each for each in place.families if each.version == 4), place.families[0])
    for each in place.families:
        if each.masquerade is not None:
            # not asked for: where pods have the same last three octets, snooping gives the question to them alone
            yield Neighbour(place.port, each.masquerade, mac_of(first.gateway), name)
        yield from _routes(place, each, table, routed=routed)
        if not vrf:
            yield Rule(PRIORITY, each.version, table, incoming=place.port, network=name)
            if not routed:
                yield place.route(each.subnet, place.port, table=table)
        yield from _rules(place, each, table, MARK_BASE + network_id)


def isolation(places: Iterable[Place]) -> tuple[list[NftSet], list[NftChain]]:
    """Return what keeps the node's own packets out of networks whose pods' addresses are known outside."""
    subnets = [cluster for place in places if _is_routed(place) for each in place.families for cluster in each.clusters]
    versions = [version for version in (4, 6) if any(each.version == version for each in subnets)]
    if not versions:
        return [], []
    sets = [
        NftSet(f"{ISOLATED}{version}", version, elements_of(each for each in subnets if each.version == version))
        for version in versions
    ]
    # what pods began may be answered
    new = Match("ct state", "new")
    rules = [
        NftRule((new, Match(f"{'ip' if each.version == 4 else 'ip6'} daddr", f"@{each.name}")), "drop") for each in sets
    ]
    return sets, [NftChain("udn-bgp-drop", tuple(rules), Hook("filter", "output", 0))]


def _is_routed(place: Place) -> bool:
    return place.network.transport is Transport.NO_OVERLAY


def _routes(place: Place, each: Local, table: int, *, routed: bool) -> Iterable[Route]:
    bridge, port = place.gateway.bridge_id, place.port
    for services in place.services:
        if services.version == each.version:
            yield place.route(services, bridge, each.next_hop, table=table, mtu=place.mtu)
    out = place.next_hop(each.version)
    if out is not None:
        yield place.route(_ANY[each.version], bridge, out, table=table, mtu=place.mtu)
    if each.masquerade is not None:
        # answers to pods go into OVN
        yield place.route(single(each.masquerade), port, table=table, mtu=place.mtu)
    yield place.route(single(each.kept_source), port, each.gateway, table=table)
    if routed:
        # other nodes' pods are where BGP says, so neither the address nor a route claims the whole network
        yield place.route(single(each.gateway), port, table=table)
        yield place.route(each.subnet, port, each.gateway, table=table)
    elif place.network.topology is Topology.LAYER3 and not _is_routed(place):
        yield from (place.route(cluster, port, each.gateway, table=table) for cluster in each.clusters)
    # no packet of the network falls through to the node's own table
    yield Route(table, _ANY[each.version], metric=LAST_METRIC, network=place.network.name)


def _rules(place: Place, each: Local, table: int, mark: int) -> Iterable[Rule]:
    name = place.network.name
    yield Rule(PRIORITY, each.version, table, mark=mark, network=name)
    if _is_routed(place):
        yield from (Rule(PRIORITY, each.version, table, cluster, network=name) for cluster in each.clusters)
    if each.masquerade is not None:
        # answers to what was translated on its way to the node: without overlay some of it is, too
        yield Rule(PRIORITY, each.version, table, single(each.masquerade), network=name)
