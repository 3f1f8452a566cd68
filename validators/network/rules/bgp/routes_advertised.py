"""No-overlay mode depends on BGP: without route advertisements, no node learns the pod subnets of the others.

The released CRD refuses the combination. The proposal leaves this step to the administrator and has no rule.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK
from ovnguard.validators.network.declared.parse_operator import CONFIG, no_overlay_choice
from ovnguard.validators.network.model import Transport
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at routeAdvertisements."""
    value = dig(ctx.object, *CONFIG.split("."), "routeAdvertisements")
    choice = no_overlay_choice(ctx.object)
    proposed = choice.spelling == "enhancement" and choice.transport is Transport.NO_OVERLAY
    if proposed and value != "Enabled":
        yield FieldError(ErrorType.INVALID, f"{CONFIG}.routeAdvertisements", value or "", RULE.message)


RULE = Rule(
    id="OVNG-NET-009",
    kinds=(OPERATOR_NETWORK,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Workflow Description'",
    message="routeAdvertisements should be Enabled when defaultNetworkTransport is NoOverlay",
    hint="set routeAdvertisements: Enabled and additionalRoutingCapabilities.providers: [FRR]",
    check=check,
)
