"""A central OVN database contains every network for every node, so no node can be without one.

The design offers dynamic allocation only with interconnect.
"""

from collections.abc import Iterator

from validators.base.field import FieldError
from validators.network.designs.allocation import effective, lacking
from validators.network.designs.allocation_settings import INTERCONNECT, OVNKUBE_KINDS, PREFIX
from validators.network.rules.base import Context, Need, Rule, Severity


def applies(ctx: Context) -> bool:
    """Workloads and files of ovnkube that allocate networks dynamically."""
    return any(effective(ctx))


def check(ctx: Context) -> Iterator[FieldError]:
    """One error for each part that lacks one of the two."""
    yield from lacking(ctx, INTERCONNECT, RULE.message)


RULE = Rule(
    id="OVNG-DYN-003",
    kinds=OVNKUBE_KINDS,
    names=(PREFIX,),
    severity=Severity.ERROR,
    design="OKEP-5552, 'Risks, Known Limitations and Mitigations'",
    message="the Dynamic UDN Allocation feature requires OVN interconnect",
    hint="add --enable-interconnect with a zone for every node, or disable dynamic allocation",
    applies=applies,
    check=check,
    needs=(Need.SETTINGS,),
)
