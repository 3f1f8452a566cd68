"""An externally published cluster also needs a load balancer for the name api.

Only with publish Internal does no external API server exist, and api may point to the internal one.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import INSTALL_CONFIG
from ovnguard.validators.network.ovnkube_settings.install_dns import API, PROPOSED, load_balancers
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the name."""
    named = load_balancers(ctx.object)
    if named is not None and named.enabled and named.is_external and not named.api:
        yield FieldError(ErrorType.REQUIRED, f"{PROPOSED}.{API}", detail=RULE.message)


RULE = Rule(
    id="OVNG-DNS-002",
    kinds=(INSTALL_CONFIG,),
    severity=Severity.ERROR,
    design="OpenShift enhancement custom-dns, 'Workflow Description'",
    message="userDNS Enabled requires a load balancer for api, unless publish is Internal",
    hint=(
        "create an internet-facing network load balancer, point api at it and set its name here, or set "
        "publish: Internal"
    ),
    check=check,
)
