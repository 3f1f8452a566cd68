"""Cluster manager, ovnkube-controller and ovnkube-node must agree which nodes a network is on.

If only one of them allocates dynamically, it waits for networks that the other never creates, or removes networks that
the other still serves.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.ovnkube_settings.allocation import others, source_of
from ovnguard.validators.network.ovnkube_settings.allocation_settings import Settings
from ovnguard.validators.network.ovnkube_settings.option_names import DYNAMIC, GRACE
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.dynamic.ovnkube_rule import ovnkube_rule

_SWITCH: Final = (DYNAMIC, GRACE)


def applies(ctx: RuleContext) -> bool:
    """Workloads and files of ovnkube with settings of dynamic allocation."""
    return any(option in each.by_option for each in source_of(ctx.object).settings for option in _SWITCH)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the first setting of each option with a different value in another part."""
    own = source_of(ctx.object)
    for option in _SWITCH:
        one = next((each for each in own.settings if option in each.by_option), None)
        if one is None:
            continue
        elsewhere = ((source, each) for source in others(ctx, own) for each in source.settings)
        parts = chain(((own.name, each) for each in own.settings), elsewhere)
        differing = next((source for source, other in parts if _differs(one, other, option)), None)
        if differing is not None:
            setting, detail = one.by_option[option], f"{RULE.message}: {option} is different in {differing}"
            yield FieldError(ErrorType.INVALID, setting.field, setting.value, detail)


def _differs(one: Settings, other: Settings, option: str) -> bool:
    """Whether both set the option to different values; values that only the running shell knows do not differ."""
    left, right = one.by_option.get(option), other.by_option.get(option)
    if left is None or right is None or left.value is None or right.value is None:
        return False
    return left.is_on is not right.is_on if option == DYNAMIC else left.value != right.value


RULE = ovnkube_rule(
    id="OVNG-DYN-007",
    severity=Severity.WARNING,
    design="OKEP-5552, 'Implementation Details'",
    message="every part of ovnkube should have the same settings of dynamic allocation",
    hint="set the same flags for cluster manager, ovnkube-controller and ovnkube-node",
    applies=applies,
    check=check,
    needs=(Need.ALLOCATION,),
)
