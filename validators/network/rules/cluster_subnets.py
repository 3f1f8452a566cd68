"""Subnets of a network must not overlap the pod and service subnets of the cluster."""

from collections.abc import Iterator
from typing import Final

from validators.field import FieldError
from validators.network.facts import ClusterFacts
from validators.network.obstacles import CLUSTER, HYBRID, SERVICE, Obstacle
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.internal_subnets import applies
from validators.network.rules.overlaps import UsedBy, overlaps_with


def check(ctx: Context) -> Iterator[FieldError]:
    """One error for each subnet that overlaps a cluster, service or hybrid overlay subnet."""
    if ctx.network is not None:
        yield from overlaps_with(ctx.network, _OF_CLUSTER(ctx.facts))


def _of_cluster(facts: ClusterFacts) -> Iterator[Obstacle]:
    yield from (Obstacle(CLUSTER, net) for net in facts.cluster_subnets or ())
    yield from (Obstacle(SERVICE, net) for net in facts.service_subnets or ())
    yield from (Obstacle(HYBRID, net) for net in facts.hybrid_subnets)


_OF_CLUSTER: Final = UsedBy(_of_cluster)

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
