"""The API lets a running cluster change to user-managed DNS, but no operator sets it up.

The cloud's zones and records stay and go stale, and nodes cannot resolve *.apps until they are reconfigured. The design
offers the choice only at installation.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.platform import STATUS, platform_of
from ovnguard.validators.network.cluster_view import INFRASTRUCTURE
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Updates of Infrastructures that had a platform and no user-managed DNS."""
    installed = bool(dig(ctx.old, *STATUS.split("."), "type"))
    return ctx.is_update and installed and platform_of(ctx.old).custom_dns is None


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the choice."""
    choice = platform_of(ctx.object).custom_dns
    if choice is not None:
        yield FieldError(ErrorType.INVALID, choice.field, choice.value, RULE.message)


RULE = Rule(
    id="OVNG-DNS-014",
    kinds=(INFRASTRUCTURE,),
    severity=Severity.WARNING,
    design="OpenShift enhancement custom-dns, 'Upgrade / Downgrade Strategy'",
    message="userDNS is set at installation; setting it later configures nothing",
    hint="install a cluster with userDNS in install-config.yaml",
    applies=applies,
    check=check,
    ratchets=False,
    subresources=frozenset({"", "status"}),
)
