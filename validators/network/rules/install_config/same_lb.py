"""A single load balancer for both names exposes the internal API server, or makes the external one unreachable.

A load balancer is internal or internet-facing, never both. The design does not forbid it.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import INSTALL_CONFIG
from ovnguard.validators.network.ovnkube_settings.install_dns import API, PROPOSED, load_balancers
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the external name."""
    named = load_balancers(ctx.object)
    if named is not None and named.enabled and named.is_external and named.api == named.api_int != "":
        yield FieldError(ErrorType.DUPLICATE, f"{PROPOSED}.{API}", named.api, RULE.message)


RULE = Rule(
    id="OVNG-DNS-004",
    kinds=(INSTALL_CONFIG,),
    severity=Severity.WARNING,
    design="OpenShift enhancement custom-dns, 'Workflow Description'",
    message="api and api-int use the same load balancer",
    hint="use an internet-facing one for api and an internal one for api-int",
    check=check,
)
