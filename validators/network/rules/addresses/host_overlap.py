"""When a network's subnets contain node addresses, its pods reach other pods instead of the nodes.

Upstream does not check this. Kubelet probes and host-network pods break first.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.cluster.node_index import node_index
from ovnguard.validators.network.model import Role
from ovnguard.validators.network.rules.addresses.subnet_overlaps import own_spans, own_subnets
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.transit.used_subnets import HOST, OTHER_HOST


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning for each subnet that overlaps a subnet of a node."""
    network = ctx.own_network
    if network is None:
        return
    hosts = node_index(ctx.inventory).hosts
    if not hosts.spans.meet(own_spans(network)):
        return
    for placed in own_subnets(network):
        for subnet, node in hosts.overlapping(placed.obstacle.subnet):
            detail = f'{placed.obstacle} overlaps {HOST} {node} "{subnet}"'
            yield FieldError(
                ErrorType.INVALID,
                placed.field,
                str(placed.obstacle.subnet),
                detail,
                public=f"{placed.obstacle} overlaps {OTHER_HOST}",
            )
            break


RULE = Rule(
    id="OVNG-L2-032",
    kinds=NETWORK_KINDS,
    own_network=True,
    role=Role.PRIMARY,
    severity=Severity.WARNING,
    design="OKEP-5094, 'Transit subnet conflict'; management ports",
    message="subnets of a primary network should not overlap those of the nodes",
    hint="choose other subnets",
    check=check,
    needs=(Need.NODES,),
)
