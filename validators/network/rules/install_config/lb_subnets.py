"""A load balancer needs subnets: if the user creates load balancers, the subnets exist before the cluster does.

Load balancers that already exist cannot be in subnets that the installer creates later.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import INSTALL_CONFIG
from ovnguard.validators.network.ovnkube_settings.install_dns import load_balancers
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the subnets."""
    named = load_balancers(ctx.object)
    if named is not None and named.enabled and not named.has_subnets:
        yield FieldError(ErrorType.REQUIRED, "platform.aws.vpc.subnets", detail=RULE.message)


RULE = Rule(
    id="OVNG-DNS-003",
    kinds=(INSTALL_CONFIG,),
    severity=Severity.ERROR,
    design="OpenShift enhancement custom-dns, 'Workflow Description'",
    message="userDNS Enabled requires existing subnets: those of your load balancers",
    hint="list the subnets of your VPC in platform.aws.vpc.subnets, or in subnets",
    check=check,
)
