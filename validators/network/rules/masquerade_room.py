"""Every primary user-defined network owns two addresses of the masquerade subnet, chosen by its network id."""

from collections.abc import Iterator

from validators.field import ErrorType, FieldError
from validators.network.addressing import masquerade_holds
from validators.network.model import Role, Topology
from validators.network.parse_paths import subnets_path
from validators.network.rules.base import Context, Rule, Severity


def applies(ctx: Context) -> bool:
    """Primary networks beside the default one."""
    network = ctx.network
    primary = network is not None and network.role is Role.PRIMARY and not network.is_default
    return primary and network is not None and network.topology is not Topology.LOCALNET


def check(ctx: Context) -> Iterator[FieldError]:
    """One error for each masquerade subnet without addresses for the network's id, or for id 1 when it has none yet."""
    network = ctx.network
    if network is None:
        return
    number = network.network_id or 1
    families = {subnet.cidr.version for subnet in network.subnets}
    for net in ctx.facts.masquerade_subnets:
        if net.version in families and not masquerade_holds(net, number):
            shown = ",".join(str(subnet.cidr) for subnet in network.subnets)
            detail = f'masquerade subnet "{net}" of the cluster has no addresses for network id {number}'
            yield FieldError(ErrorType.INVALID, subnets_path(network), shown, detail)


RULE = Rule(
    id="OVNG-NET-012",
    severity=Severity.ERROR,
    design="ovn-kubernetes, masquerade addresses of user-defined networks",
    message="the cluster's masquerade subnet must have addresses for the network",
    hint="set gatewayConfig.ipv4.internalMasqueradeSubnet of the operator Network to a /18 or wider, IPv6 to a /114",
    applies=applies,
    check=check,
)
