"""CoreDNS on the nodes needs an address for api-int to start: until then, nodes cannot find the API server.

This state is temporary during installation.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.platform import STATUS, platform_of
from validators.network.cluster_view import INFRASTRUCTURE
from validators.network.parse_values import mapping
from validators.network.rules.base import Context, Rule, Severity


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning at the addresses."""
    found = platform_of(ctx.object)
    choice = found.custom_dns
    if choice is None or choice.value != "ClusterHosted":
        return
    path = (*STATUS.split("."), *choice.path[:-1], "clusterHosted")
    if not mapping(ctx.object, *path).get("apiIntLoadBalancerIPs"):
        detail = f"{found.type} API Server Internal IPs unavailable when the DNSType is ClusterHosted"
        yield FieldError(ErrorType.INVALID, f"{'.'.join(path)}.apiIntLoadBalancerIPs", detail=detail)


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
