"""Subnets of a network must not overlap the pod and service subnets of the cluster."""

from collections.abc import Iterator

from validators.field import FieldError
from validators.network.obstacles import CLUSTER, HYBRID, SERVICE, Obstacle
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.internal_subnets import applies
from validators.network.rules.overlaps import overlaps_with, own_subnets


def check(ctx: Context) -> Iterator[FieldError]:
    """One error for each subnet that overlaps a cluster, service or hybrid overlay subnet."""
    if ctx.network is None:
        return
    others = [Obstacle(CLUSTER, net) for net in ctx.facts.cluster_subnets or ()]
    others += [Obstacle(SERVICE, net) for net in ctx.facts.service_subnets or ()]
    others += [Obstacle(HYBRID, net) for net in ctx.facts.hybrid_subnets]
    yield from overlaps_with(own_subnets(ctx.network), others)


RULE = Rule(
    id="OVNG-NET-002",
    severity=Severity.ERROR,
    design="ovn-kubernetes, util.subnetOverlapCheck",
    message="subnets must not overlap the cluster's pod and service subnets",
    hint="choose subnets outside of clusterNetwork and serviceNetwork of the operator Network",
    applies=applies,
    check=check,
    needs=(Need.OPERATOR_NETWORK,),
)
