"""Multicast between pods lives in the overlay: in a no-overlay network it stays on each node."""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.no_overlay import declared, served_namespaces, transport_path
from validators.network.cluster_view import CUDN, OPERATOR_NETWORK
from validators.network.declared.network_of import group_kind_of
from validators.network.declared.parse_operator import ref_of
from validators.network.model import Transport
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.no_overlay.egress import first_of, has_multicast


def applies(ctx: Context) -> bool:
    """Networks in no-overlay mode."""
    return group_kind_of(ctx.object) in (CUDN, OPERATOR_NETWORK) and declared(ctx.object).no_overlay


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning at the transport."""
    spaces = served_namespaces(ctx.object, ctx.inventory)
    found = [ref_of(space).name for space in spaces if has_multicast(space)]
    if found:
        detail = f"multicast does not work in a no-overlay network, but is on in namespaces: {first_of(found)}"
        yield FieldError(ErrorType.INVALID, transport_path(ctx.object), "NoOverlay", detail)


RULE = Rule(
    id="OVNG-NET-030",
    kinds=(OPERATOR_NETWORK, CUDN),
    transport=Transport.NO_OVERLAY,
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="multicast does not work in namespaces of a no-overlay network",
    hint="keep the overlay for namespaces that use multicast",
    applies=applies,
    check=check,
    needs=(Need.NAMESPACES,),
)
