"""A namespace may come to a network without overlay by its labels: EgressServices that are in it then do nothing."""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.no_overlay import serving
from validators.network.cluster_view import EGRESS_SERVICE, NAMESPACE
from validators.network.declared.network_of import group_kind_of
from validators.network.declared.parse_operator import ref_of
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.no_overlay.egress import first_of, is_in
from validators.network.selectors import labels_of


def applies(ctx: Context) -> bool:
    """Namespaces."""
    return group_kind_of(ctx.object) == NAMESPACE


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning at the name."""
    objects = ctx.inventory.objects(EGRESS_SERVICE) or ()
    found = sorted(ref_of(each).name for each in objects if is_in(each, ctx.object))
    network = serving(ctx.inventory, labels_of(ctx.object)) if found else ""
    if network:
        detail = f"EgressServices have no effect in a namespace of no-overlay network {network}: {first_of(found)}"
        yield FieldError(ErrorType.INVALID, "metadata.name", ref_of(ctx.object).name, detail)


RULE = Rule(
    id="OVNG-NET-055",
    kinds=(NAMESPACE,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="EgressServices have no effect in a namespace of a no-overlay network",
    hint="keep namespaces with EgressServices in a network with an overlay",
    applies=applies,
    check=check,
    needs=(Need.EGRESS_SERVICES, Need.TRANSPORTS),
)
