"""Pods of a no-overlay network leave with their own or the node's address, whatever an EgressIP says.

Upstream accepts both objects and says nothing, so that packets leave with another address than firewalls expect.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.no_overlay import declared, transport_path
from validators.network.cluster_view import CUDN, EGRESS_IP, OPERATOR_NETWORK
from validators.network.declared.network_of import group_kind_of
from validators.network.model import Transport
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.no_overlay.egress import first_of, idle_for, selected_by_egress_ip


def applies(ctx: Context) -> bool:
    """Networks in no-overlay mode."""
    return group_kind_of(ctx.object) in (CUDN, OPERATOR_NETWORK) and declared(ctx.object).no_overlay


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning at the transport."""
    objects = ctx.inventory.objects(EGRESS_IP) or ()
    found = [f"{name} (namespace {space})" for name, space in idle_for(ctx, objects, selected_by_egress_ip)]
    if found:
        detail = f"EgressIPs have no effect on a no-overlay network: {first_of(found)}"
        yield FieldError(ErrorType.INVALID, transport_path(ctx.object), "NoOverlay", detail)


RULE = Rule(
    id="OVNG-NET-026",
    kinds=(OPERATOR_NETWORK, CUDN),
    transport=Transport.NO_OVERLAY,
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="EgressIPs that select namespaces of a no-overlay network have no effect",
    hint="keep the overlay for namespaces whose pods require egress addresses",
    applies=applies,
    check=check,
    needs=(
        Need.EGRESS_IPS,
        Need.NAMESPACES,
    ),
)
