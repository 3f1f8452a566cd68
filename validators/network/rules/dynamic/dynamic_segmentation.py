"""Dynamic allocation is about user-defined networks, which exist only with network segmentation.

ovnkube does not start with dynamic allocation but without network segmentation.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.network.ovnkube_settings.allocation import lacking
from ovnguard.validators.network.ovnkube_settings.option_names import SEGMENTATION
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.dynamic.ovnkube_rule import allocates, ovnkube_rule


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each part that lacks one of the two."""
    yield from lacking(ctx, SEGMENTATION, RULE.message)


RULE = ovnkube_rule(
    id="OVNG-DYN-001",
    severity=Severity.ERROR,
    design="OKEP-5552, 'Proposal'; ovn-kubernetes, config.go",
    message="the Dynamic UDN Allocation feature cannot be enabled without also enabling Network Segmentation",
    hint="add --enable-network-segmentation, or disable dynamic allocation",
    applies=allocates,
    check=check,
    needs=(Need.SETTINGS,),
)
