"""A namespace of a no-overlay network may ask for multicast and not get it between nodes."""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.no_overlay import serving
from validators.network.cluster_view import NAMESPACE
from validators.network.declared.network_of import group_kind_of
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.no_overlay.egress import MULTICAST, has_multicast
from validators.network.selectors import labels_of


def applies(ctx: Context) -> bool:
    """Namespaces with multicast."""
    return group_kind_of(ctx.object) == NAMESPACE and has_multicast(ctx.object)


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning at the annotation."""
    network = serving(ctx.inventory, labels_of(ctx.object))
    if network:
        detail = f"multicast does not work in no-overlay network {network}"
        yield FieldError(ErrorType.INVALID, f"metadata.annotations[{MULTICAST}]", "true", detail)


RULE = Rule(
    id="OVNG-NET-031",
    kinds=(NAMESPACE,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="multicast does not work in a namespace of a no-overlay network",
    hint="remove the annotation, or use a namespace of an overlay network",
    applies=applies,
    check=check,
    needs=(Need.TRANSPORTS,),
)
