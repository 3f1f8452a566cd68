"""With user-managed DNS the name api-int must resolve before the installation starts.

The nodes find the API server by this name. A DNS record needs the load balancer before the installer could create one,
so the user creates the load balancer and specifies its name.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import INSTALL_CONFIG
from ovnguard.validators.network.ovnkube_settings.install_dns import API_INT, PROPOSED, load_balancers
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the name."""
    named = load_balancers(ctx.object)
    if named is not None and named.enabled and not named.api_int:
        yield FieldError(ErrorType.REQUIRED, f"{PROPOSED}.{API_INT}", detail=RULE.message)


RULE = Rule(
    id="OVNG-DNS-001",
    kinds=(INSTALL_CONFIG,),
    severity=Severity.ERROR,
    design="OpenShift enhancement custom-dns, 'Workflow Description'",
    message="userDNS Enabled requires a load balancer for api-int",
    hint="create an internal network load balancer, point api-int at it and set its name here",
    check=check,
)
