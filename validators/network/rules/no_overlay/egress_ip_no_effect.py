"""An EgressIP does nothing for pods of a no-overlay network: they leave with their own or the node's address."""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster_view import EGRESS_IP
from validators.network.declared.network_of import group_kind_of
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.no_overlay.egress import first_of, in_no_overlay, selected_by_egress_ip


def applies(ctx: Context) -> bool:
    """EgressIPs."""
    return group_kind_of(ctx.object) == EGRESS_IP


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning at the selector."""
    found = [f"{space} (network {network})" for space, network in in_no_overlay(ctx, selected_by_egress_ip)]
    if found:
        detail = f"has no effect in namespaces of no-overlay networks: {first_of(found)}"
        yield FieldError(ErrorType.INVALID, "spec.namespaceSelector", detail=detail)


RULE = Rule(
    id="OVNG-NET-027",
    kinds=(EGRESS_IP,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="an EgressIP has no effect on pods of a no-overlay network",
    hint="select only namespaces of overlay networks",
    applies=applies,
    check=check,
    needs=(
        Need.NAMESPACES,
        Need.TRANSPORTS,
    ),
)
