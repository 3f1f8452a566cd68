"""Subnets of a network must not overlap those that OVN-Kubernetes uses itself, nor each other."""

from collections.abc import Iterator

from validators.field import FieldError
from validators.network.model import Topology
from validators.network.obstacles import JOIN, MASQUERADE, TRANSIT, Obstacle
from validators.network.rules.base import Context, Rule, Severity
from validators.network.rules.overlaps import overlaps_among, overlaps_with, own_subnets


def applies(ctx: Context) -> bool:
    """Layer2 and Layer3 networks, secondary ones too; a localnet has no routers whose subnets could collide."""
    return ctx.network is not None and not ctx.network.is_default and ctx.network.topology is not Topology.LOCALNET


def check(ctx: Context) -> Iterator[FieldError]:
    """One error for each subnet that overlaps an internal one or another of its own network."""
    if ctx.network is None:
        return
    internal = [Obstacle(JOIN, net) for net in ctx.facts.join_subnets]
    internal += [Obstacle(MASQUERADE, net) for net in ctx.facts.masquerade_subnets]
    if ctx.network.topology is Topology.LAYER3:
        # a Layer2 network moves out of the way with a transit subnet of its own
        internal += [Obstacle(TRANSIT, net) for net in ctx.facts.transit_subnets]
    own = own_subnets(ctx.network)
    yield from overlaps_with(own, internal)
    yield from overlaps_among(own)


RULE = Rule(
    id="OVNG-NET-001",
    severity=Severity.ERROR,
    design="ovn-kubernetes, util.subnetOverlapCheck",
    message="subnets must not overlap internal subnets of the cluster",
    hint="choose other subnets or joinSubnets; both families of joinSubnets are in use even when only one is set",
    applies=applies,
    check=check,
)
