"""A block of parameters takes effect only with its type: a classic load balancer ignores eipAllocations."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import CONFIG_INGRESS, INGRESS_CONTROLLER
from ovnguard.validators.network.ovnkube_settings.cluster_dns import unread_blocks
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at each block."""
    for path, reader, chosen in unread_blocks(ctx.object):
        yield FieldError(ErrorType.INVALID, path, detail=f"applies only to type {reader}, but type is {chosen}")


RULE = Rule(
    id="OVNG-DNS-020",
    kinds=(CONFIG_INGRESS, INGRESS_CONTROLLER),
    severity=Severity.WARNING,
    design="OpenShift enhancement custom-dns, 'AWS'",
    message="parameters of another load balancer type are ignored",
    hint="set the type that the parameters belong to, or remove the parameters",
    check=check,
)
