"""The transport of a network is fixed at its creation, also where an attachment declares it.

Nodes build other routers, routes and SNAT for each transport, and would adopt an edited configuration one by one;
upstream does not compare it with the previous one. The rule ignores attachments that OVN-Kubernetes rendered, because
it restores them.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import NAD
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Updates of attachments that no controller rendered before the update; an owner that the update adds does not
    count.
    """
    if not ctx.is_update or ctx.old is None:
        return False
    return not (ctx.rendered and ctx.old_rendered)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for the transport, else one for the options; nothing where a configuration cannot be read."""
    old, new = ctx.old_network, ctx.network
    if old is None or new is None:
        return
    config = dig(ctx.object, "spec", "config")
    if old.transport is not new.transport:
        detail = f"transport is immutable: it was {old.transport} and would be {new.transport}"
        yield FieldError(ErrorType.INVALID, CONFIG_FIELD, config, detail)
    elif old.no_overlay != new.no_overlay:
        yield FieldError(ErrorType.INVALID, CONFIG_FIELD, config, "outboundSNAT is immutable")


RULE = Rule(
    id="OVNG-NET-050",
    kinds=(NAD,),
    severity=Severity.ERROR,
    design="OpenShift enhancement no-overlay-mode, 'Workflow Description'",
    message="transport and outboundSNAT of an attachment are immutable",
    hint="delete the attachment and create it again",
    applies=applies,
    check=check,
    ratchets=False,
)
