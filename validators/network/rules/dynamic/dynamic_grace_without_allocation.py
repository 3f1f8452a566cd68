"""Without dynamic allocation, ovnkube never removes a network from a node, so a grace period has no effect."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.ovnkube_settings.allocation import effective
from ovnguard.validators.network.ovnkube_settings.allocation_settings import settings_of
from ovnguard.validators.network.ovnkube_settings.option_names import DYNAMIC, GRACE
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.dynamic.ovnkube_rule import ovnkube_rule


def applies(ctx: RuleContext) -> bool:
    """Workloads and files of ovnkube with a grace period."""
    return any(GRACE in each.by_option for each in settings_of(ctx.object))


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at each unused duration."""
    dynamic = {each.where for each in effective(ctx)}
    for each in settings_of(ctx.object):
        setting, switch = each.by_option.get(GRACE), each.by_option.get(DYNAMIC)
        unknown = switch is not None and switch.value is None
        if setting is not None and each.where not in dynamic and not unknown:
            yield FieldError(ErrorType.INVALID, setting.field, setting.value, RULE.message)


RULE = ovnkube_rule(
    id="OVNG-DYN-006",
    severity=Severity.WARNING,
    design="OKEP-5552, 'Proposal'",
    message="udn-deletion-grace-period has no effect without dynamic allocation",
    hint="add --enable-dynamic-udn-allocation, or remove the period",
    applies=applies,
    check=check,
    needs=(Need.SETTINGS,),
)
