"""Every subnet of a primary Layer2 network needs an address for its gateway and another for the management ports."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.addresses.addressing import AddressError, subnet_addresses
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.declared.parse_paths import subnet_path
from ovnguard.validators.network.model import Role, Topology
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each subnet without these two addresses."""
    network = ctx.network
    if network is None:
        return
    for index, subnet in enumerate(network.subnets):
        found = subnet_addresses(subnet.cidr, network.default_gateway_ips, network.infrastructure_subnets)
        if isinstance(found, AddressError):
            yield FieldError(ErrorType.INVALID, subnet_path(network, index), str(subnet.cidr), found.text)


RULE = Rule(
    id="OVNG-L2-004",
    kinds=NETWORK_KINDS,
    topologies=(Topology.LAYER2,),
    role=Role.PRIMARY,
    severity=Severity.ERROR,
    design="OKEP-5094, 'Ports, switches and routers topology'",
    message="every subnet must have an address for the gateway and one for the management ports",
    hint="use a larger subnet, or larger infrastructureSubnets",
    check=check,
)
