"""Subnets of a network must not overlap those that OVN-Kubernetes uses itself, nor each other."""

from collections.abc import Iterator
from typing import Final

from validators.field import FieldError
from validators.network.facts import ClusterFacts
from validators.network.model import Topology
from validators.network.obstacles import JOIN, MASQUERADE, TRANSIT, Obstacle
from validators.network.rules.base import Context, Rule, Severity
from validators.network.rules.overlaps import UsedBy, overlaps_inside, overlaps_with


def applies(ctx: Context) -> bool:
    """Layer2 and Layer3 networks, secondary ones too; a localnet has no routers whose subnets could collide."""
    return ctx.network is not None and not ctx.network.is_default and ctx.network.topology is not Topology.LOCALNET


def check(ctx: Context) -> Iterator[FieldError]:
    """One error for each subnet that overlaps an internal one or another of its own network."""
    if ctx.network is None:
        return
    # a Layer2 network moves out of the way of the transit switch with a transit subnet of its own
    used = _WITH_TRANSIT if ctx.network.topology is Topology.LAYER3 else _INTERNAL
    yield from overlaps_with(ctx.network, used(ctx.facts))
    yield from overlaps_inside(ctx.network)


def _internal(facts: ClusterFacts) -> Iterator[Obstacle]:
    yield from (Obstacle(JOIN, net) for net in facts.join_subnets)
    yield from (Obstacle(MASQUERADE, net) for net in facts.masquerade_subnets)


def _with_transit(facts: ClusterFacts) -> Iterator[Obstacle]:
    yield from _internal(facts)
    yield from (Obstacle(TRANSIT, net) for net in facts.transit_subnets)


_INTERNAL: Final = UsedBy(_internal)
_WITH_TRANSIT: Final = UsedBy(_with_transit)

RULE = Rule(
    id="OVNG-NET-001",
    severity=Severity.ERROR,
    design="ovn-kubernetes, util.subnetOverlapCheck",
    message="subnets must not overlap internal subnets of the cluster",
    hint="choose other subnets or joinSubnets; both families of joinSubnets are in use even when only one is set",
    applies=applies,
    check=check,
)
