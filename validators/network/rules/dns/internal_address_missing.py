"""CoreDNS on the nodes needs an address for api-int to start: until then, nodes cannot find the API server.

This state is temporary during installation.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.platform import platform_of
from ovnguard.validators.network.cluster_view import INFRASTRUCTURE
from ovnguard.validators.network.ovnkube_settings.cluster_hosted import API_INT_IPS, hosted_addresses
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the addresses."""
    hosted = hosted_addresses(ctx.object)
    if hosted is not None and not hosted.api_int:
        platform = platform_of(ctx.object).type
        detail = f"{platform} API Server Internal IPs unavailable when the DNSType is ClusterHosted"
        yield FieldError(ErrorType.INVALID, f"{hosted.field}.{API_INT_IPS}", detail=detail)


RULE = Rule(
    id="OVNG-DNS-015",
    kinds=(INFRASTRUCTURE,),
    severity=Severity.WARNING,
    design="machine-config-operator, cloud platform load balancer configuration",
    message="API Server Internal IPs unavailable when the DNSType is ClusterHosted",
    hint="wait for the installer, or write the addresses of the internal load balancer",
    check=check,
    subresources=frozenset({"", "status"}),
)
