"""The links of a ClusterNetworkConnect need subnets of their own, with room for all networks and nodes.

Where they overlap another subnet, packets for that subnet go to the links. If two ClusterNetworkConnects have the same
subnet, a router has two ports with one address, which OVN does not refuse. OVN-Kubernetes then connects nothing.

Each Layer3 network takes a part of the subnets, in which each node id has two addresses; Layer2 networks share parts.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.connections import (
    SELECTORS,
    SUBNETS,
    ConnectSubnet,
    network_connect,
    network_connects,
)
from ovnguard.validators.network.cluster_view import CLUSTER_NETWORK_CONNECT
from ovnguard.validators.network.model import Network, Topology
from ovnguard.validators.network.rules.addresses.subnet_overlaps import internal_with_transit, of_cluster, own_subnets
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.transit.used_subnets import TRANSIT, Obstacle, overlap

connect_rule: Final = partial(
    Rule,
    kinds=(CLUSTER_NETWORK_CONNECT,),
    severity=Severity.ERROR,
    design="OKEP-5224; ovn-kubernetes, clustermanager, network connect controller",
)
"""The common parts of rules about ClusterNetworkConnects."""


def _overlap(subnet: ConnectSubnet, other: str) -> FieldError:
    return FieldError(ErrorType.INVALID, subnet.path, str(subnet.cidr), f"overlaps {other}")


def check_cluster(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each subnet, naming the first subnet of the cluster that it overlaps."""
    used = (*of_cluster(ctx.facts), *internal_with_transit(ctx.facts))
    for subnet in network_connect(ctx.object).subnets:
        other = next((each for each in used if overlap(subnet.cidr, each.subnet)), None)
        if other is not None:
            yield _overlap(subnet, str(other))


_RULE_CLUSTER = connect_rule(
    id="OVNG-NET-064",
    message="the subnets of a ClusterNetworkConnect must not overlap those of the cluster",
    hint="choose connectSubnets that nothing else uses",
    check=check_cluster,
    needs=(Need.OPERATOR_NETWORK,),
)


def check_networks(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each subnet, naming the first selected network that it overlaps."""
    connect = network_connect(ctx.object)
    networks = connect.networks(ctx.inventory)
    for subnet in connect.subnets:
        used = ((network, each) for network in networks for each in _own(network))
        found = next(((name, each) for name, each in used if overlap(subnet.cidr, each.subnet)), None)
        if found is not None:
            yield _overlap(subnet, f"{found[1]} of network {found[0].name}")


def _own(network: Network) -> Iterator[Obstacle]:
    yield from (placed.obstacle for placed in own_subnets(network))
    yield from (Obstacle(TRANSIT, net) for net in network.transit_subnets)


_RULE_NETWORKS = connect_rule(
    id="OVNG-NET-065",
    message="the subnets of a ClusterNetworkConnect must not overlap those of the networks that it selects",
    hint="choose connectSubnets that no selected network uses for pods, join or transit addresses",
    check=check_networks,
    needs=(Need.NETWORKS,),
)


def check_others(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each subnet, naming the first ClusterNetworkConnect and a network that both select."""
    mine = network_connect(ctx.object)
    names = {network.name for network in mine.networks(ctx.inventory)}
    others = [each for each in network_connects(ctx.inventory) if each.name != mine.name]
    for subnet in mine.subnets:
        for other in others:
            found = next((each.cidr for each in other.subnets if overlap(subnet.cidr, each.cidr)), None)
            both = () if found is None else (each.name for each in other.networks(ctx.inventory) if each.name in names)
            network = next(iter(both), None)
            if network is not None:
                text = f"{found} of ClusterNetworkConnect {other.name}, and both select network {network}"
                yield _overlap(subnet, text)
                break


_RULE_OTHERS = connect_rule(
    id="OVNG-NET-066",
    message="ClusterNetworkConnects that select the same network must not have overlapping subnets",
    hint="choose connectSubnets that no other ClusterNetworkConnect of the network has",
    check=check_others,
    needs=(Need.NETWORKS, Need.NETWORK_CONNECTS),
)


def check_capacity(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for the networks, and one for the nodes, that have no place in the first subnet."""
    connect = network_connect(ctx.object)
    networks = connect.networks(ctx.inventory)
    layer3s = sum(network.topology is Topology.LAYER3 for network in networks)
    for subnet in connect.subnets[:1]:
        links = 1 << (subnet.cidr.max_prefixlen - subnet.part - 1)
        wanted, parts = layer3s - (layer3s - len(networks)) // links, 1 << (subnet.part - subnet.cidr.prefixlen)
        if wanted > parts:
            text = f"{len(networks)} networks need {wanted} parts of {SUBNETS}, and {subnet.cidr} has {parts}"
            yield FieldError(ErrorType.INVALID, SELECTORS, detail=text)
        highest = ctx.facts.max_node_id
        if layer3s and highest is not None and highest >= links:
            text = (
                f"a part with prefix length {subnet.part} has links for node ids up to {links - 1}, not for {highest}"
            )
            yield FieldError(ErrorType.INVALID, subnet.path, str(subnet.cidr), text)


_RULE_CAPACITY = connect_rule(
    id="OVNG-NET-067",
    message="the subnets of a ClusterNetworkConnect must have room for all networks and nodes",
    hint="choose larger connectSubnets, or another networkPrefix: a shorter one has more nodes and fewer networks",
    check=check_capacity,
    needs=(Need.NETWORKS,),
)


RULES = (_RULE_CLUSTER, _RULE_NETWORKS, _RULE_OTHERS, _RULE_CAPACITY)
