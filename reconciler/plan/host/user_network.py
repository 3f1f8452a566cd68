"""A primary user-defined network on a node: management port, VRF, its routes, and the rules that select them.

Source: ovn-kubernetes ``pkg/node/gateway_udn.go``; enhancement "no-overlay mode" for networks without overlay.
"""

from collections.abc import Iterable
from ipaddress import ip_network
from typing import Final

from ovnguard.reconciler.plan.host.host_network import HostNetwork, HostNetworkFamily, single
from ovnguard.reconciler.plan.host.host_plan import ISOLATED, Abilities
from ovnguard.reconciler.plan.host.items import LAST_METRIC, Item, Neighbour, Route, Rule, Vrf
from ovnguard.reconciler.plan.host.nft import Hook, Match, NftChain, NftRule, NftSet, elements_of
from ovnguard.reconciler.plan.rows.names import MAX_DEVICE_NAME, vrf_name
from ovnguard.validators.network.model import Topology

# A network's routing table and packet mark are these numbers plus its id.
TABLE_BASE: Final = 1000
MARK_BASE: Final = 4096
PRIORITY: Final = 2000
PORT_PREFIX: Final = "ovn-k8s-mp"
_ANY: Final = {4: ip_network("0.0.0.0/0"), 6: ip_network("::/0")}


def port_name(network_id: int) -> str:
    """Return the name of a network's management port."""
    return f"{PORT_PREFIX}{network_id}"[:MAX_DEVICE_NAME]


def user_items(on_host: HostNetwork, network_id: int, abilities: Abilities) -> Iterable[Item]:
    """Return the items of a primary network; without VRF devices, rules by interface select the table instead."""
    table, name = TABLE_BASE + network_id, on_host.network.name
    vrf = vrf_name(on_host.network, network_id) if abilities.vrf else ""
    if vrf:
        yield Vrf(vrf, table, name)
    yield from on_host.port_items(vrf)
    routed = on_host.is_routed and on_host.network.topology is Topology.LAYER3 and on_host.is_local_mode
    yield from on_host.addresses(bare=routed or not vrf)
    for each in on_host.families:
        if each.masquerade is not None:
            # not requested: where pods share the last three octets, snooping would forward the query to them only
            yield Neighbour(on_host.port, each.masquerade, on_host.router_mac, name)
        yield from _routes(on_host, each, table, routed=routed)
        if not vrf:
            yield Rule(PRIORITY, each.version, table, incoming=on_host.port, network=name)
            if not routed:
                yield on_host.route(each.subnet, on_host.port, table=table)
        yield from _rules(on_host, each, table, MARK_BASE + network_id)


def isolation(host_networks: Iterable[HostNetwork]) -> tuple[list[NftSet], list[NftChain]]:
    """Return the rules that keep the node's own packets out of networks with routable pod addresses."""
    subnets = [
        cluster
        for on_host in host_networks
        if on_host.is_routed
        for each in on_host.families
        for cluster in each.clusters
    ]
    versions = [version for version in (4, 6) if any(each.version == version for each in subnets)]
    if not versions:
        return [], []
    sets = [
        NftSet(f"{ISOLATED}{version}", version, elements_of(each for each in subnets if each.version == version))
        for version in versions
    ]
    # answers to connections of pods are permitted
    new = Match("ct state", "new")
    rules = [
        NftRule((new, Match(f"{'ip' if each.version == 4 else 'ip6'} daddr", f"@{each.name}")), "drop") for each in sets
    ]
    return sets, [NftChain("udn-bgp-drop", tuple(rules), Hook("filter", "output", 0))]


def _routes(on_host: HostNetwork, each: HostNetworkFamily, table: int, *, routed: bool) -> Iterable[Route]:
    bridge, port = on_host.gateway.bridge_id, on_host.port
    for services in on_host.services:
        if services.version == each.version:
            yield on_host.route(services, bridge, each.next_hop, table=table, mtu=on_host.mtu)
    out = on_host.next_hop(each.version)
    if out is not None:
        yield on_host.route(_ANY[each.version], bridge, out, table=table, mtu=on_host.mtu)
    if each.masquerade is not None:
        # answers to pods go into OVN
        yield on_host.route(single(each.masquerade), port, table=table, mtu=on_host.mtu)
    yield on_host.route(single(each.kept_source), port, each.gateway, table=table)
    if routed:
        # BGP routes lead to other nodes' pods, so neither the address nor a route covers the whole network
        yield on_host.route(single(each.gateway), port, table=table)
        yield on_host.route(each.subnet, port, each.gateway, table=table)
    elif on_host.network.topology is Topology.LAYER3 and not on_host.is_routed:
        yield from (on_host.route(cluster, port, each.gateway, table=table) for cluster in each.clusters)
    # no packet of the network falls through to the node's own table
    yield Route(table, _ANY[each.version], metric=LAST_METRIC, network=on_host.network.name)


def _rules(on_host: HostNetwork, each: HostNetworkFamily, table: int, mark: int) -> Iterable[Rule]:
    name = on_host.network.name
    yield Rule(PRIORITY, each.version, table, mark=mark, network=name)
    if on_host.is_routed:
        yield from (Rule(PRIORITY, each.version, table, cluster, network=name) for cluster in each.clusters)
    if each.masquerade is not None:
        # answers to packets that were translated on their way to the node, which also occurs without overlay
        yield Rule(PRIORITY, each.version, table, single(each.masquerade), network=name)
