"""A namespace may get labels by which an EgressIP selects it and a no-overlay network serves it: the EgressIP is idle.

Its pods leave with their own or the node's address, which is not the one that firewalls expect.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.no_overlay import serving
from validators.network.cluster_view import EGRESS_IP, NAMESPACE
from validators.network.declared.network_of import group_kind_of
from validators.network.declared.parse_operator import ref_of
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.no_overlay.egress import first_of, selected_by_egress_ip
from validators.network.selectors import labels_of


def applies(ctx: Context) -> bool:
    """Namespaces."""
    return group_kind_of(ctx.object) == NAMESPACE


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning at the name: both a label that is there and one that is not may be the reason."""
    objects = ctx.inventory.objects(EGRESS_IP) or ()
    found = sorted(ref_of(each).name for each in objects if selected_by_egress_ip(each, ctx.object))
    network = serving(ctx.inventory, labels_of(ctx.object)) if found else ""
    if network:
        detail = f"EgressIPs have no effect in a namespace of no-overlay network {network}: {first_of(found)}"
        yield FieldError(ErrorType.INVALID, "metadata.name", ref_of(ctx.object).name, detail)


RULE = Rule(
    id="OVNG-NET-054",
    kinds=(NAMESPACE,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (features not supported)",
    message="EgressIPs have no effect in a namespace of a no-overlay network",
    hint="use labels that the EgressIPs do not select, or a network with an overlay",
    applies=applies,
    check=check,
    needs=(Need.EGRESS_IPS, Need.TRANSPORTS),
)
