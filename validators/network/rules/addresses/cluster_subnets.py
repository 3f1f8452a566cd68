"""Subnets of a network must not overlap the pod and service subnets of the cluster."""

from collections.abc import Iterator

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.model import Topology
from ovnguard.validators.network.rules.addresses.internal_subnets import applies
from ovnguard.validators.network.rules.addresses.subnet_overlaps import is_free, of_cluster, overlaps_with, own_subnets
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """Yield one error for each subnet that overlaps a cluster, service or hybrid overlay subnet."""
    if ctx.network is not None and not is_free(ctx.network, ctx.facts):
        yield from overlaps_with(own_subnets(ctx.network), tuple(of_cluster(ctx.facts)))


RULE = Rule(
    id="OVNG-NET-002",
    kinds=NETWORK_KINDS,
    topologies=(Topology.LAYER2, Topology.LAYER3),
    severity=Severity.ERROR,
    design="ovn-kubernetes, util.subnetOverlapCheck",
    message="subnets must not overlap the cluster's pod and service subnets",
    hint="choose subnets outside of clusterNetwork and serviceNetwork of the operator Network",
    applies=applies,
    check=check,
    needs=(Need.OPERATOR_NETWORK,),
)
