"""A primary network can only have the cluster's IP families, because its pods reach services and nodes through it."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.declared.parse_paths import subnets_path
from ovnguard.validators.network.model import Role
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each family that the cluster lacks. Text: ovn-kubernetes, util.ValidateNetConf."""
    network = ctx.own_network
    supported = {net.version for net in ctx.facts.cluster_subnets or ()}
    if network is None or not supported:
        return
    for version in sorted({subnet.cidr.version for subnet in network.subnets} - supported):
        detail = (
            f"network {network.name} is attempting to use ipv{version} subnets "
            f"but the cluster does not support ipv{version}"
        )
        shown = ",".join(str(subnet.cidr) for subnet in network.subnets)
        yield FieldError(ErrorType.INVALID, subnets_path(network), shown, detail)


RULE = Rule(
    id="OVNG-L2-029",
    kinds=NETWORK_KINDS,
    own_network=True,
    role=Role.PRIMARY,
    severity=Severity.ERROR,
    design="ovn-kubernetes, util.ValidateNetConf",
    message="the IP families of a primary network must be those of the cluster",
    hint="remove the subnets of the other family, or make the network secondary",
    check=check,
    needs=(Need.OPERATOR_NETWORK,),
)
