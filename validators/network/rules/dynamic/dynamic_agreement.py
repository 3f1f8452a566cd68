"""Cluster manager, ovnkube-controller and ovnkube-node must agree which nodes a network is on.

If only one of them allocates dynamically, it waits for networks that the other never creates, or removes networks that
the other still serves.
"""

from collections.abc import Iterator
from typing import Final

from validators.base.field import ErrorType, FieldError
from validators.network.designs.allocation import others, source_of
from validators.network.designs.allocation_settings import DYNAMIC, GRACE, Settings
from validators.network.rules.base import Context, Need, Severity
from validators.network.rules.dynamic.ovnkube_rule import ovnkube_rule

_SWITCH: Final = (DYNAMIC, GRACE)


def applies(ctx: Context) -> bool:
    """Workloads and files of ovnkube with settings of dynamic allocation."""
    return any(option in each.said for each in source_of(ctx.object).settings for option in _SWITCH)


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning at the first setting of each option with a different value in another part."""
    own = source_of(ctx.object)
    elsewhere = [(str(source), each) for source in others(ctx, own) for each in source.settings]
    parts = [(own.name, each) for each in own.settings]
    for option in _SWITCH:
        said = [(each, each.said[option]) for _, each in parts if option in each.said]
        for each, setting in said[:1]:
            differing = [name for name, other in (*parts, *elsewhere) if _differs(each, other, option)]
            if differing:
                detail = f"{RULE.message}: {option} is different in {differing[0]}"
                yield FieldError(ErrorType.INVALID, setting.field, setting.value, detail)


def _differs(one: Settings, other: Settings, option: str) -> bool:
    """Whether both set the option to different values; a value that only the running shell knows is no difference."""
    left, right = one.said.get(option), other.said.get(option)
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
