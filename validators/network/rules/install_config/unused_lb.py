"""Without userDNS Enabled, the installer ignores names of load balancers and creates its own."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import INSTALL_CONFIG
from ovnguard.validators.network.ovnkube_settings.install_dns import API, API_INT, PROPOSED, load_balancers
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at each name."""
    named = load_balancers(ctx.object)
    for key, name in ((API, named.api), (API_INT, named.api_int)) if named is not None and not named.enabled else ():
        if name:
            yield FieldError(ErrorType.INVALID, f"{PROPOSED}.{key}", name, RULE.message)


RULE = Rule(
    id="OVNG-DNS-005",
    kinds=(INSTALL_CONFIG,),
    severity=Severity.WARNING,
    design="OpenShift enhancement custom-dns, 'API Extensions'",
    message="the load balancer name has no effect without userDNS Enabled",
    hint="set userDNS: Enabled, or remove the name",
    check=check,
)
