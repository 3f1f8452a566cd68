"""Each platform has its own settings for static addresses and ignores those of the others.

AWS does not read spec.loadBalancerIP; Azure and Google Cloud do not read the annotations of AWS, nor AWS theirs. The
Service then gets an arbitrary address, and a DNS record for the reserved address leads nowhere.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.platform import known_platform
from ovnguard.validators.network.cluster_view import SERVICE
from ovnguard.validators.network.ovnkube_settings.service_addresses import ignored_settings, is_load_balancer
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Services with a load balancer."""
    return is_load_balancer(ctx.object)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at each ignored setting."""
    platform = known_platform(ctx.inventory)
    for setting in ignored_settings(ctx.object, platform):
        yield FieldError(ErrorType.INVALID, setting.field, setting.value, f"has no effect on {platform}")


RULE = Rule(
    id="OVNG-DNS-021",
    kinds=(SERVICE,),
    severity=Severity.WARNING,
    design="OpenShift enhancement custom-dns, 'Variation'",
    message="this load balancer setting is not supported on the cluster's platform",
    hint="AWS: aws-load-balancer-eip-allocations; Azure: azure-load-balancer-ipv4, -ipv6; Google Cloud: loadBalancerIP",
    applies=applies,
    check=check,
    needs=(Need.INFRASTRUCTURE,),
)
