"""Traffic through a network's own uplink bypasses the host's routing, which local gateway mode requires.

Upstream refuses the network when it renders it.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD, config_of
from ovnguard.validators.network.declared.parse_operator import CONFIG
from ovnguard.validators.network.parse_values import dig, text_of
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Networks with uplinks."""
    return any(_uplinks(ctx))


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each uplink when nodes use local gateway mode. Text: ovn-kubernetes, util.ValidateNetConf."""
    operators = ctx.inventory.objects(OPERATOR_NETWORK) or ()
    if not any(dig(each, *CONFIG.split("."), "gatewayConfig", "routingViaHost") is True for each in operators):
        return
    for path, uplink in _uplinks(ctx):
        yield FieldError(ErrorType.INVALID, path, uplink, f'uplink "{uplink}" is supported only in shared gateway mode')


def _uplinks(ctx: RuleContext) -> Iterator[tuple[str, str]]:
    listed = dig(ctx.object, "spec", "uplinks")
    for index, uplink in enumerate(listed if isinstance(listed, list) else ()):
        name = text_of(dig(uplink, "name")) or text_of(uplink)
        yield f"spec.uplinks[{index}]", name
    config = config_of(ctx.object) if ctx.object.get("kind") == "NetworkAttachmentDefinition" else None
    if config is not None and (uplink := config.plugin.get("uplink")):
        yield CONFIG_FIELD, str(uplink)


RULE = Rule(
    id="OVNG-L2-031",
    kinds=NETWORK_KINDS,
    own_network=True,
    severity=Severity.ERROR,
    design="ovn-kubernetes, util.ValidateNetConf",
    message="uplinks require shared gateway mode",
    hint="remove the uplink, or set gatewayConfig.routingViaHost of the operator Network to false",
    applies=applies,
    check=check,
    needs=(Need.OPERATOR_NETWORK,),
)
