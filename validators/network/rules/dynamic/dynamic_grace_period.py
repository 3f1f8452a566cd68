"""The grace period of a network on a node without pods is a Go duration: a number with its unit, not below zero.

With 0, ovnkube removes the network at once.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.go.duration import parse_duration
from ovnguard.validators.go.text import quote
from ovnguard.validators.network.ovnkube_settings.allocation_settings import settings_of
from ovnguard.validators.network.ovnkube_settings.option_names import GRACE
from ovnguard.validators.network.rules.base import RuleContext, Severity
from ovnguard.validators.network.rules.dynamic.ovnkube_rule import ovnkube_rule


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error per invalid duration."""
    for each in settings_of(ctx.object):
        setting = each.by_option.get(GRACE)
        if setting is None or setting.value is None:
            continue
        nanoseconds = parse_duration(setting.value)
        if nanoseconds is None:
            detail = f"time: invalid duration {quote(setting.value)}: {RULE.message}"
            yield FieldError(ErrorType.INVALID, setting.field, setting.value, detail)
        elif nanoseconds < 0:
            yield FieldError(ErrorType.INVALID, setting.field, setting.value, "must not be negative")


RULE = ovnkube_rule(
    id="OVNG-DYN-005",
    severity=Severity.ERROR,
    design="OKEP-5552, 'Proposal'",
    message="udn-deletion-grace-period must be a duration such as 120s or 1m30s",
    hint="write a number with its unit (s, m, h), or 0",
    check=check,
)
