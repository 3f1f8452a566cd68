"""Each platform has its own settings for static addresses and ignores those of the others.

AWS does not read spec.loadBalancerIP; Azure and Google Cloud do not read the annotations of AWS, nor AWS theirs. The
Service then gets an arbitrary address, and a DNS record for the reserved address leads nowhere.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.platform import known_platform
from validators.network.cluster_view import SERVICE
from validators.network.parse_values import dig, mapping
from validators.network.rules.base import Context, Need, Rule, Severity

_PREFIX: Final = "service.beta.kubernetes.io"
_OWNERS: Final[Mapping[str, str]] = {
    f"{_PREFIX}/aws-load-balancer-name": "AWS",
    f"{_PREFIX}/aws-load-balancer-eip-allocations": "AWS",
    f"{_PREFIX}/azure-load-balancer-ipv4": "Azure",
    f"{_PREFIX}/azure-load-balancer-ipv6": "Azure",
}


def applies(ctx: Context) -> bool:
    """Services with a load balancer."""
    return dig(ctx.object, "spec", "type") == "LoadBalancer"


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning at each ignored setting; a policy reports a mix of two platforms."""
    annotations = mapping(ctx.object, "metadata", "annotations")
    owners = {_OWNERS[key] for key in annotations if key in _OWNERS}
    platform = known_platform(ctx.inventory)
    if not platform or len(owners) > 1:
        return
    for key in _OWNERS:
        if key in annotations and _OWNERS[key] != platform:
            path = f"metadata.annotations[{key}]"
            yield FieldError(ErrorType.INVALID, path, annotations[key], f"has no effect on {platform}")
    address = dig(ctx.object, "spec", "loadBalancerIP")
    if address and platform == "AWS" and not owners:
        yield FieldError(ErrorType.INVALID, "spec.loadBalancerIP", address, "has no effect on AWS")


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
