"""Every node gets its own subnet from a Layer3 network's subnets.

With dynamic allocation only nodes that use a user-defined network do, and their number is unknown.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import CUDN, NAD, OPERATOR_NETWORK, UDN
from ovnguard.validators.network.declared.parse_paths import subnets_path
from ovnguard.validators.network.model import Subnet, Topology
from ovnguard.validators.network.ovnkube_settings.dynamic_allocation import is_dynamic
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Layer3 networks with subnets, the default one too."""
    return ctx.network is not None and bool(ctx.network.subnets)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each IP family with fewer node subnets than nodes."""
    network, nodes = ctx.network, len(ctx.facts.nodes or ())
    if network is None:
        return
    rendered = network.source.kind in {CUDN.kind, UDN.kind}
    families: dict[int, list[Subnet]] = {}
    for subnet in network.subnets:
        families.setdefault(subnet.cidr.version, []).append(subnet)
    for version, family in sorted(families.items()):
        shares = sum(map(_shares, family))
        if shares < nodes and not (rendered and (ctx.dynamic or is_dynamic(ctx.inventory))):
            shown = ",".join(str(subnet.cidr) for subnet in family)
            detail = f"IPv{version} subnets provide {shares} node subnets, but the cluster has {nodes} nodes"
            yield FieldError(ErrorType.INVALID, subnets_path(network), shown, detail)


def _shares(subnet: Subnet) -> int:
    return 0 if subnet.host_prefix is None else 1 << (subnet.host_prefix - subnet.cidr.prefixlen)


RULE = Rule(
    id="OVNG-NET-011",
    kinds=(OPERATOR_NETWORK, CUDN, UDN, NAD),
    topologies=(Topology.LAYER3,),
    severity=Severity.ERROR,
    design="ovn-kubernetes, allocation of node subnets",
    message="a Layer3 network must have a subnet for every node",
    hint="add a subnet, or use a longer hostSubnet (hostPrefix in the operator Network)",
    applies=applies,
    check=check,
    needs=(Need.NODES,),
)
