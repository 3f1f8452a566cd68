"""A central OVN database contains every network for every node, so no node can be without one.

The design offers dynamic allocation only with interconnect.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.network.ovnkube_settings.allocation import lacking
from ovnguard.validators.network.ovnkube_settings.option_names import INTERCONNECT
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.dynamic.ovnkube_rule import allocates, ovnkube_rule


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each part that lacks one of the two."""
    yield from lacking(ctx, INTERCONNECT, RULE.message)


RULE = ovnkube_rule(
    id="OVNG-DYN-003",
    severity=Severity.ERROR,
    design="OKEP-5552, 'Risks, Known Limitations and Mitigations'",
    message="the Dynamic UDN Allocation feature requires OVN interconnect",
    hint="add --enable-interconnect with a zone for every node, or disable dynamic allocation",
    applies=allocates,
    check=check,
    needs=(Need.SETTINGS,),
)
