"""A primary Layer2 network needs a free transit subnet.

The transit router joins the nodes' parts of the network; its subnet must not overlap any subnet of the network or the
cluster. ovnguard tries the default first, then the private ranges. With none free, the network can never be realised,
and upstream would discover that on every node.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.declared.parse_paths import subnets_path
from ovnguard.validators.network.model import Role, Topology
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity
from ovnguard.validators.network.transit.selected_values import goes_away
from ovnguard.validators.network.transit.transit_subnet import NoFreeTransitSubnet, select_transit
from ovnguard.validators.network.transit.used_subnets import without_hosts


def applies(ctx: RuleContext) -> bool:
    """Primary Layer2 networks without a selected transit subnet."""
    network = ctx.network
    if network is None or network.transit_subnets or not network.subnets:
        return False
    return not ctx.rendered and not goes_away(ctx.old)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the subnets, naming the conflicting subnets."""
    network = ctx.network
    if network is None:
        return
    answer = select_transit(network, ctx.facts, ())
    if isinstance(answer, NoFreeTransitSubnet):
        shown = ",".join(str(subnet.cidr) for subnet in network.subnets)
        yield FieldError(
            ErrorType.INVALID, subnets_path(network), shown, answer.text, public=without_hosts(answer.text)
        )


RULE = Rule(
    id="OVNG-L2-005",
    kinds=NETWORK_KINDS,
    topologies=(Topology.LAYER2,),
    role=Role.PRIMARY,
    severity=Severity.ERROR,
    design="OKEP-5094, 'Transit subnet conflict'",
    message="the network requires a free transit subnet",
    hint="use smaller subnets in the network or in the cluster, so that private address space remains free",
    applies=applies,
    check=check,
)
