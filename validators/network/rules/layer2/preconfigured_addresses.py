"""Primary Layer2 networks choose addresses of their own only if ovnkube has the feature on.

Without it the cluster manager leaves these fields out of the attachments, and all conditions of the network are True.
"""

from collections.abc import Iterator, Sequence

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD
from ovnguard.validators.network.declared.parse_paths import block_path
from ovnguard.validators.network.model import IPAddress, IPNetwork, Topology
from ovnguard.validators.network.ovnkube_settings.allocation import preconfigured_addresses
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Networks that choose addresses."""
    return any(_chosen(ctx))


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning for each field, if the feature is off."""
    network = ctx.own_network
    if network is None or preconfigured_addresses(ctx.inventory) is not False:
        return
    block = block_path(network)
    for key, values in _chosen(ctx):
        field = CONFIG_FIELD if block == CONFIG_FIELD else f"{block}.{key}"
        detail = f"{key} has no effect: ovnkube runs without --enable-preconfigured-udn-addresses"
        yield FieldError(ErrorType.INVALID, field, ",".join(map(str, values)), detail)


def _chosen(ctx: RuleContext) -> Iterator[tuple[str, Sequence[IPNetwork | IPAddress]]]:
    network = ctx.own_network
    if network is None:
        return
    fields: tuple[tuple[str, Sequence[IPNetwork | IPAddress]], ...] = (
        ("reservedSubnets", network.reserved_subnets),
        ("infrastructureSubnets", network.infrastructure_subnets),
        ("defaultGatewayIPs", network.default_gateway_ips),
    )
    yield from ((key, values) for key, values in fields if values)


RULE = Rule(
    id="OVNG-L2-041",
    kinds=NETWORK_KINDS,
    topologies=(Topology.LAYER2,),
    own_network=True,
    severity=Severity.WARNING,
    design="OKEP-5233; ovn-kubernetes, util.IsPreconfiguredUDNAddressesEnabled",
    message="addresses that a network chooses require preconfigured addresses in ovnkube",
    hint="start ovnkube with --enable-preconfigured-udn-addresses, or remove the field",
    applies=applies,
    check=check,
    needs=(Need.PRECONFIGURED,),
)
