"""The installation decides who manages DNS: it sets up operators and nodes accordingly, and nothing migrates them
later.

The transition rules of the API do not run when an update removes the field or one of its parents, or sets it to null.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.platform import STATUS, DNSChoice, platform_of
from ovnguard.validators.network.cluster_view import INFRASTRUCTURE
from ovnguard.validators.network.parse_values import dig, mapping
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity

_TEXTS = {"provider": "provider is immutable once set", "dnsType": "dnsType is immutable"}


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at each changed choice."""
    for choice in platform_of(ctx.old).choices:
        value = dig(ctx.object, *STATUS.split("."), *choice.path)
        if value != choice.value:
            detail = _TEXTS[choice.path[-1]]
            gone = _gone(ctx, choice)
            yield FieldError(ErrorType.INVALID, choice.field, value, f"{detail}, also {gone}" if gone else detail)


def _gone(ctx: RuleContext, choice: DNSChoice) -> str:
    """The outermost parent that the update removes."""
    steps = (*STATUS.split("."), *choice.path[:-1])
    for depth in range(1, len(steps) + 1):
        parent = mapping(ctx.object, *steps[: depth - 1])
        if steps[depth - 1] not in parent:
            return f"by removing {'.'.join(steps[:depth])}"
        if parent[steps[depth - 1]] is None:
            return f"by setting {'.'.join(steps[:depth])} to null"
    return ""


RULE = Rule(
    id="OVNG-DNS-012",
    kinds=(INFRASTRUCTURE,),
    severity=Severity.ERROR,
    design="OpenShift enhancement custom-dns, 'API Extensions'",
    message="userDNS is immutable",
    hint="keep the value that the installer set",
    check=check,
    ratchets=False,
    subresources=frozenset({"", "status"}),
)
