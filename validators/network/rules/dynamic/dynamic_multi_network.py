"""User-defined networks become NetworkAttachmentDefinitions, which ovnkube reads only with multi-network enabled."""

from collections.abc import Iterator

from validators.base.field import FieldError
from validators.network.designs.allocation import effective, lacking
from validators.network.designs.allocation_settings import MULTI_NETWORK, OVNKUBE_KINDS, PREFIX
from validators.network.rules.base import Context, Need, Rule, Severity


def applies(ctx: Context) -> bool:
    """Workloads and files of ovnkube that allocate networks dynamically."""
    return any(effective(ctx))


def check(ctx: Context) -> Iterator[FieldError]:
    """One error for each part that lacks one of the two."""
    yield from lacking(ctx, MULTI_NETWORK, RULE.message)


RULE = Rule(
    id="OVNG-DYN-002",
    kinds=OVNKUBE_KINDS,
    names=(PREFIX,),
    severity=Severity.ERROR,
    design="OKEP-5552, 'Proposal'; ovn-kubernetes, features of dynamic UDN",
    message="the Dynamic UDN Allocation feature requires multi-network",
    hint="add --enable-multi-network, or disable dynamic allocation",
    applies=applies,
    check=check,
    needs=(Need.SETTINGS,),
)
