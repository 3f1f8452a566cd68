"""All transitions of the ConfigMap of an interconnect upgrade, as a table with the conditions to check for each.

The bundled policy ``interconnect-configuration`` refuses transitions that are invalid in any cluster; the network rules
check conditions of the cluster. Source: OpenShift enhancement "upgrades from 4.13 to 4.14 with OVN interconnect", and
the operator of 4.14, which derives its phase from the ConfigMap and the workloads on every pass.
"""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from ovnguard.validators.network.ovnkube_settings.interconnect import Mode, is_configuration, mode_of
from ovnguard.validators.network.parse_values import mapping
from ovnguard.validators.network.request_context import RuleContext


class Ask(Enum):
    """A condition that the rule of the same name checks; POLICY is left to the policy."""

    POLICY = auto()
    WHO = auto()
    RELEASE = auto()
    BEFORE_MULTIZONE = auto()
    FIRST_PHASE_DONE = auto()
    FIRST_PHASE_SKIPPED = auto()
    SKIP_KNOWN = auto()
    SECOND_PHASE_LEFT = auto()
    SECOND_PHASE_DONE = auto()


_BEGINS: Final = frozenset({Ask.WHO, Ask.RELEASE, Ask.BEFORE_MULTIZONE})
_SKIPS: Final = frozenset({Ask.FIRST_PHASE_SKIPPED})
_JUMPS: Final = frozenset({Ask.SECOND_PHASE_LEFT})
_ENDS: Final = frozenset({Ask.SECOND_PHASE_DONE})
_POLICY: Final = frozenset({Ask.POLICY})
_NOTHING: Final = frozenset[Ask]()

MOVES: Final[Mapping[Mode, Mapping[Mode, frozenset[Ask]]]] = {
    Mode.ABSENT: {
        Mode.SINGLE: _BEGINS,
        Mode.MULTI: _POLICY,
        Mode.SKIP: _SKIPS | {Ask.RELEASE},
        Mode.FAST: _JUMPS | {Ask.RELEASE},
        Mode.UNREADABLE: _POLICY,
    },
    Mode.SINGLE: {
        Mode.SINGLE: _NOTHING,
        Mode.MULTI: frozenset({Ask.FIRST_PHASE_DONE}),
        Mode.SKIP: _SKIPS | {Ask.SKIP_KNOWN},
        Mode.FAST: _JUMPS,
        Mode.UNREADABLE: _POLICY,
        Mode.ABSENT: _POLICY,
    },
    Mode.MULTI: {
        Mode.SINGLE: _POLICY,
        Mode.MULTI: _NOTHING,
        Mode.SKIP: _NOTHING,
        Mode.FAST: _JUMPS,
        Mode.UNREADABLE: _POLICY,
        Mode.ABSENT: _ENDS,
    },
    Mode.SKIP: {
        Mode.SINGLE: _POLICY,
        Mode.MULTI: _NOTHING,
        Mode.SKIP: _NOTHING,
        Mode.FAST: _JUMPS,
        Mode.UNREADABLE: _POLICY,
        Mode.ABSENT: _ENDS,
    },
    Mode.FAST: {
        Mode.SINGLE: _POLICY,
        Mode.MULTI: _POLICY,
        Mode.SKIP: _POLICY,
        Mode.FAST: _NOTHING,
        Mode.UNREADABLE: _POLICY,
        Mode.ABSENT: _ENDS,
    },
    # The operator treats unreadable data as multizone; a correction sets the intended mode.
    Mode.UNREADABLE: {
        Mode.SINGLE: frozenset({Ask.BEFORE_MULTIZONE}),
        Mode.MULTI: _NOTHING,
        Mode.SKIP: _NOTHING,
        Mode.FAST: _JUMPS,
        Mode.UNREADABLE: _POLICY,
        Mode.ABSENT: _NOTHING,
    },
}


def move_of(ctx: RuleContext) -> tuple[Mode, Mode] | None:
    """Return the transition of the ConfigMap in a request; None for another object or unchanged data."""
    if not is_configuration(ctx.object):
        return None
    if ctx.operation == "DELETE":
        return mode_of(ctx.object), Mode.ABSENT
    old = ctx.old if ctx.is_update else None
    if old is not None and mapping(old, "data") == mapping(ctx.object, "data"):
        return None
    return mode_of(old), mode_of(ctx.object)


def judges(ctx: RuleContext) -> bool:
    """Whether a ConfigMap of the upgrade exists after the request, changed or not."""
    return is_configuration(ctx.object)
