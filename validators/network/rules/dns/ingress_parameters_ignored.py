"""A block of parameters counts together with its type alone: a classic load balancer has no use for eipAllocations."""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster_view import CONFIG_INGRESS, INGRESS_CONTROLLER
from validators.network.designs.cluster_dns import unread_blocks
from validators.network.rules.base import Context, Rule, Severity


def applies(ctx: Context) -> bool:
    """IngressControllers and the cluster's Ingress with such blocks."""
    return any(unread_blocks(ctx.object))


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning at each block."""
    for path, reader, chosen in unread_blocks(ctx.object):
        yield FieldError(ErrorType.INVALID, path, detail=f"is read when type is {reader} alone, and type is {chosen}")


RULE = Rule(
    id="OVNG-DNS-020",
    kinds=(CONFIG_INGRESS, INGRESS_CONTROLLER),
    severity=Severity.WARNING,
    design="OpenShift enhancement custom-dns, 'AWS'",
    message="a block of parameters is read with its own type alone",
    hint="set the type that the block is for, or leave the block out",
    applies=applies,
    check=check,
)
