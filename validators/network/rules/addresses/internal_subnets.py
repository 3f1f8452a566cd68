"""Subnets of a network must not overlap OVN-Kubernetes' internal subnets, nor each other."""

from collections.abc import Iterator

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.model import LAYER3, Topology
from ovnguard.validators.network.rules.addresses.subnet_overlaps import (
    internal,
    internal_with_transit,
    is_free,
    overlaps_among,
    overlaps_with,
    own_subnets,
)
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Layer2 and Layer3 networks, secondary ones too; a Localnet network has no routers whose subnets could overlap."""
    return ctx.network is not None and not ctx.network.is_default


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each subnet that overlaps an internal subnet or another subnet of its network."""
    if ctx.network is None:
        return
    if is_free(ctx.network, ctx.facts):
        return
    # a Layer2 network avoids the transit switch's subnet by its own transit subnet
    used = internal_with_transit if ctx.network.topology is LAYER3 else internal
    own = own_subnets(ctx.network)
    yield from overlaps_with(own, tuple(used(ctx.facts)))
    yield from overlaps_among(own)


RULE = Rule(
    id="OVNG-NET-001",
    kinds=NETWORK_KINDS,
    topologies=(Topology.LAYER2, Topology.LAYER3),
    severity=Severity.ERROR,
    design="ovn-kubernetes, util.subnetOverlapCheck",
    message="subnets must not overlap internal subnets of the cluster",
    hint="choose other subnets or joinSubnets; both families of joinSubnets are in use even when only one is set",
    applies=applies,
    check=check,
)
