"""Infrastructure subnets of one IP family leave the gateway and the management port of the other without protection.

Without infrastructure subnets OVN-Kubernetes reserves both addresses of both families; with one, only the subnet. The
first pods then get the addresses of the gateway and the management port of the other family.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD
from ovnguard.validators.network.declared.parse_paths import block_path
from ovnguard.validators.network.model import Role, Topology
from ovnguard.validators.network.ovnkube_settings.allocation import preconfigured_addresses
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning for each IP family without infrastructure subnets, unless ovnkube does not use them at all."""
    network = ctx.own_network
    if network is None or not network.infrastructure_subnets or preconfigured_addresses(ctx.inventory) is False:
        return
    families = {each.version for each in network.infrastructure_subnets}
    block, parts = block_path(network), ",".join(map(str, network.infrastructure_subnets))
    field = CONFIG_FIELD if block == CONFIG_FIELD else f"{block}.infrastructureSubnets"
    for subnet in network.subnets:
        if subnet.cidr.version not in families:
            detail = f"pods get the addresses of the gateway and the management port in {subnet.cidr}"
            yield FieldError(ErrorType.INVALID, field, parts, detail)


RULE = Rule(
    id="OVNG-L2-042",
    kinds=NETWORK_KINDS,
    topologies=(Topology.LAYER2,),
    role=Role.PRIMARY,
    own_network=True,
    severity=Severity.WARNING,
    design="OKEP-5233; ovn-kubernetes, pkg/allocator/ip",
    message="infrastructure subnets should be of all IP families of the network",
    hint="add infrastructure subnets of the other IP family; OVN-Kubernetes reserves its addresses only there",
    check=check,
)
