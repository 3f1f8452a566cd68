"""An EgressService does nothing in a namespace whose network has no overlay."""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster_view import EGRESS_SERVICE
from validators.network.declared.network_of import group_kind_of
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.no_overlay.egress import in_no_overlay, is_in


def applies(ctx: Context) -> bool:
    """EgressServices."""
    return group_kind_of(ctx.object) == EGRESS_SERVICE


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning at the namespace."""
    for space, network in in_no_overlay(ctx, is_in):
        detail = f"has no effect in a namespace of no-overlay network {network}"
        yield FieldError(ErrorType.INVALID, "metadata.namespace", space, detail)


RULE = Rule(
    id="OVNG-NET-029",
    kinds=(EGRESS_SERVICE,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="an EgressService has no effect in a namespace of a no-overlay network",
    hint="use it in namespaces of overlay networks",
    applies=applies,
    check=check,
    needs=(
        Need.NAMESPACES,
        Need.TRANSPORTS,
    ),
)
