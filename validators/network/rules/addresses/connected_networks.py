"""Networks that a ClusterNetworkConnect connects must be able to reach each other.

A packet for a subnet that overlaps the pod's own network stays in this network, a packet needs an IP family that both
networks and the links have, and OVN-Kubernetes does not connect networks without an overlay. It sets ``Accepted`` to
False.
"""

from collections.abc import Iterator
from itertools import islice, pairwise

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.connections import SELECTORS, SUBNETS, network_connect
from ovnguard.validators.network.model import Network, Transport
from ovnguard.validators.network.rules.addresses.connect_subnets import connect_rule
from ovnguard.validators.network.rules.base import Need, RuleContext
from ovnguard.validators.network.transit.used_subnets import overlap

_MOST = 3


def _selected(ctx: RuleContext) -> tuple[Network, ...]:
    return network_connect(ctx.object).networks(ctx.inventory)


def _error(detail: str) -> FieldError:
    return FieldError(ErrorType.INVALID, SELECTORS, detail=detail)


def check_overlaps(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each pair of networks that overlap, up to a limit."""
    subnets = sorted(
        ((subnet.cidr, network.name) for network in _selected(ctx) for subnet in network.subnets),
        key=lambda each: (each[0].version, int(each[0].network_address), each[0].prefixlen),
    )
    found = (
        f"subnet {one} of network {name} overlaps {other} of network {another}"
        for (one, name), (other, another) in pairwise(subnets)
        if name != another and overlap(one, other)
    )
    yield from map(_error, islice(found, _MOST))


_RULE_OVERLAPS = connect_rule(
    id="OVNG-NET-068",
    message="networks that a ClusterNetworkConnect selects must not overlap",
    hint="select networks whose subnets do not overlap",
    check=check_overlaps,
    needs=(Need.NETWORKS,),
)


def check_families(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for two networks without a common IP family, and one for each family that the links lack."""
    alone: dict[int, str] = {}
    for network in _selected(ctx):
        versions = {subnet.cidr.version for subnet in network.subnets}
        for version in versions if len(versions) == 1 else ():
            alone.setdefault(version, network.name)
    if len(alone) == 2:
        yield _error(f"network {alone[4]} has only IPv4 subnets, and network {alone[6]} has only IPv6 subnets")
    linked = {subnet.cidr.version for subnet in network_connect(ctx.object).subnets}
    for family, name in sorted(alone.items()):
        if linked and family not in linked:
            text = f"network {name} has only IPv{family} subnets, and {SUBNETS} has none"
            yield FieldError(ErrorType.INVALID, SUBNETS, detail=text)


_RULE_FAMILIES = connect_rule(
    id="OVNG-NET-069",
    message="networks that a ClusterNetworkConnect selects must have a common IP family, which its subnets have too",
    hint="select networks of one IP family or dual-stack networks, and set connectSubnets of their families",
    check=check_families,
    needs=(Need.NETWORKS,),
)


def check_transports(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each network, up to a limit."""
    found = (each for each in _selected(ctx) if each.transport in (Transport.NO_OVERLAY, Transport.EVPN))
    yield from (
        _error(f"network {each.name} has transport {each.transport}, which cannot be connected")
        for each in islice(found, _MOST)
    )


_RULE_TRANSPORTS = connect_rule(
    id="OVNG-NET-070",
    message="a ClusterNetworkConnect must select only networks with an overlay",
    hint="select networks by a label that networks without an overlay do not have",
    check=check_transports,
    needs=(Need.NETWORKS,),
)


RULES = (_RULE_OVERLAPS, _RULE_FAMILIES, _RULE_TRANSPORTS)
