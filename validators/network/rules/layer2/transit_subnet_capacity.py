"""Every node has a pair of addresses in the transit subnet: base + 2 * node id, and the next one."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.declared.parse_paths import transit_path
from ovnguard.validators.network.model import Role, Topology
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.layer2.transit_subnet_valid import applies
from ovnguard.validators.network.transit.transit_subnet import room_fault


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each transit subnet that is too small."""
    if ctx.network is None:
        return
    for net in ctx.network.transit_subnets:
        fault = room_fault(net, ctx.facts.max_node_id)
        # a subnet without room for any node is not a transit subnet; OVNG-L2-001 reports that even when the nodes are
        # unknown
        if fault is not None and room_fault(net, None) is None:
            yield FieldError(ErrorType.INVALID, transit_path(ctx.network), str(net), fault)


RULE = Rule(
    id="OVNG-L2-003",
    kinds=NETWORK_KINDS,
    topologies=(Topology.LAYER2,),
    role=Role.PRIMARY,
    severity=Severity.ERROR,
    design="OKEP-5094, 'Transit router'",
    message="transit subnets must have a pair of addresses for every node id",
    hint="remove the annotation: ovnguard selects transit subnets that are large enough",
    applies=applies,
    check=check,
    needs=(Need.NODES,),
)
