"""Parameters of a load balancer are for one platform; other platforms do not read them."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.platform import known_platform
from ovnguard.validators.network.cluster_view import CONFIG_INGRESS, INGRESS_CONTROLLER
from ovnguard.validators.network.ovnkube_settings.cluster_dns import parameters_for, suits
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """IngressControllers and the cluster's Ingress with parameters."""
    return parameters_for(ctx.object) is not None


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the type of the parameters."""
    chosen, platform = parameters_for(ctx.object), known_platform(ctx.inventory)
    if chosen is not None and platform and not suits(chosen.type, platform):
        detail = f"{RULE.message}, and this cluster runs on {platform}"
        yield FieldError(ErrorType.INVALID, chosen.field, chosen.type, detail)


RULE = Rule(
    id="OVNG-DNS-019",
    kinds=(CONFIG_INGRESS, INGRESS_CONTROLLER),
    severity=Severity.WARNING,
    design="OpenShift enhancement custom-dns, 'Variation'",
    message="load balancer parameters of another platform are ignored",
    hint="set the parameters of your platform, or none",
    applies=applies,
    check=check,
    needs=(Need.INFRASTRUCTURE,),
)
