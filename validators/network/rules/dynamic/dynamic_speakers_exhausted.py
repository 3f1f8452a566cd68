"""MetalLB draws the traffic of a Service to the nodes that its speakers run on; those need the Service's network.

As soon as dynamic allocation is switched on, those of them without a pod of the network lose it.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.designs.active_nodes import unreached_services
from validators.network.designs.allocation import effective
from validators.network.designs.allocation_settings import DYNAMIC, OVNKUBE_KINDS, PREFIX
from validators.network.list_text import shortlist
from validators.network.rules.base import Context, Need, Rule, Severity


def applies(ctx: Context) -> bool:
    """Workloads and files of ovnkube that allocate networks dynamically."""
    return any(effective(ctx))


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning, with the first of the Services."""
    services = unreached_services(ctx.inventory)
    for each in effective(ctx) if services else ():
        detail = f"{RULE.message}: {shortlist(services)}"
        yield FieldError(ErrorType.INVALID, each.said[DYNAMIC].field, detail=detail)
        return


RULE = Rule(
    id="OVNG-DYN-011",
    kinds=OVNKUBE_KINDS,
    names=(PREFIX,),
    severity=Severity.WARNING,
    design="OKEP-5552, 'Risks, Known Limitations and Mitigations'",
    message="MetalLB speakers run on nodes without the networks of load-balanced Services",
    hint="run a DaemonSet of each network on the nodes of the speakers, or the speakers on its nodes",
    applies=applies,
    check=check,
    needs=(
        Need.SERVICES,
        Need.NODES,
        Need.NAMESPACES,
        Need.NETWORKS,
        Need.PODS,
    ),
)
