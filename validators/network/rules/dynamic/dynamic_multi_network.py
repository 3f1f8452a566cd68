"""User-defined networks become NetworkAttachmentDefinitions, which ovnkube reads only with multi-network enabled."""

from collections.abc import Iterator

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.network.ovnkube_settings.allocation import lacking
from ovnguard.validators.network.ovnkube_settings.option_names import MULTI_NETWORK
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.dynamic.ovnkube_rule import allocates, ovnkube_rule


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each part that lacks one of the two."""
    yield from lacking(ctx, MULTI_NETWORK, RULE.message)


RULE = ovnkube_rule(
    id="OVNG-DYN-002",
    severity=Severity.ERROR,
    design="OKEP-5552, 'Proposal'; ovn-kubernetes, features of dynamic UDN",
    message="the Dynamic UDN Allocation feature requires multi-network",
    hint="add --enable-multi-network, or disable dynamic allocation",
    applies=allocates,
    check=check,
    needs=(Need.SETTINGS,),
)
