"""Without a topology, an attachment belongs to the default network, whatever its name and other keys."""

from collections.abc import Iterator
from typing import Final

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import NAD
from ovnguard.validators.network.declared.netconf import NetConf
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD, config_of
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity

# The remaining keys are CNI's, or about log files and devices.
_OF_NETWORKS: Final = (
    "role",
    "mtu",
    "subnets",
    "excludeSubnets",
    "joinSubnet",
    "transitSubnet",
    "vlanID",
    "allowPersistentIPs",
    "physicalNetworkName",
    "transport",
    "evpn",
    "uplink",
)


def applies(ctx: RuleContext) -> bool:
    """Configurations without a topology that describe a network."""
    return any(_ignored(config_of(ctx.object)))


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning that names the keys."""
    shown = shortlist(_ignored(config_of(ctx.object)))
    detail = f"without topology, this is an attachment to the default network, and these keys have no effect: {shown}"
    yield FieldError(ErrorType.INVALID, CONFIG_FIELD, "", detail)


def _ignored(config: NetConf | None) -> Iterator[str]:
    if config is not None and not config.plugin.get("topology"):
        yield from (key for key in _OF_NETWORKS if config.plugin.get(key))


RULE = Rule(
    id="OVNG-L2-039",
    kinds=(NAD,),
    severity=Severity.WARNING,
    design="ovn-kubernetes, config.ParseNetConf",
    message="a CNI configuration that describes a network should have a topology",
    hint="set topology to layer2, layer3 or localnet, or remove the other keys",
    applies=applies,
    check=check,
)
