"""Every node has an address in the join subnet: base + node id."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.addresses.addressing import join_holds
from ovnguard.validators.network.cluster_view import CUDN, NAD, OPERATOR_NETWORK, UDN
from ovnguard.validators.network.declared.parse_paths import join_path
from ovnguard.validators.network.model import Role, Topology
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.transit.used_subnets import JOIN, USER_JOIN


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each join subnet that is too small, of the families that the network uses."""
    network, highest = ctx.network, ctx.facts.max_node_id
    if network is None or highest is None:
        return
    kind = JOIN if network.is_default else USER_JOIN
    for net in network.join_subnets:
        if not join_holds(net, highest) and network.has_family(net.version):
            detail = f'{kind} "{net}" has {net.num_addresses} addresses, node ids up to {highest} need {highest + 1}'
            yield FieldError(ErrorType.INVALID, join_path(network, net.version), str(net), detail)


RULE = Rule(
    id="OVNG-NET-010",
    kinds=(OPERATOR_NETWORK, CUDN, UDN, NAD),
    topologies=(Topology.LAYER2, Topology.LAYER3),
    role=Role.PRIMARY,
    severity=Severity.ERROR,
    design="ovn-kubernetes, join address of a gateway router",
    message="the join subnet must have an address for every node id",
    hint="choose a larger join subnet",
    check=check,
    needs=(Need.NODES,),
)
