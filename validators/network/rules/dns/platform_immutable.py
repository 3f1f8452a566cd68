"""The choice of DNS belongs to one platform; after a change of the platform type, nothing reads it."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.platform import STATUS, platform_of
from ovnguard.validators.network.cluster_view import INFRASTRUCTURE
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Updates of Infrastructures with user-managed DNS."""
    return ctx.is_update and platform_of(ctx.old).custom_dns is not None


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the type."""
    path = (*STATUS.split("."), "type")
    old, new = dig(ctx.old, *path), dig(ctx.object, *path)
    if old and old != new:
        yield FieldError(ErrorType.INVALID, f"{STATUS}.type", new, RULE.message)


RULE = Rule(
    id="OVNG-DNS-013",
    kinds=(INFRASTRUCTURE,),
    severity=Severity.ERROR,
    design="OpenShift enhancement custom-dns, 'API Extensions'",
    message="the platform type is immutable when userDNS is Enabled",
    hint="keep the type that the installer set",
    applies=applies,
    check=check,
    ratchets=False,
    subresources=frozenset({"", "status"}),
)
