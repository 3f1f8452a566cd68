"""A cluster with zones writes its records to the cloud's DNS; it cannot leave them to the user at the same time."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.platform import platform_of
from ovnguard.validators.network.cluster_view import INFRASTRUCTURE
from ovnguard.validators.network.ovnkube_settings.cluster_dns import known_zones
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Infrastructures with user-managed DNS."""
    return platform_of(ctx.object).custom_dns is not None


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the choice, with the zones."""
    choice, listed = platform_of(ctx.object).custom_dns, known_zones(ctx.inventory)
    if choice is not None and listed:
        detail = f"{RULE.message}: {' and '.join(listed)}"
        yield FieldError(ErrorType.INVALID, choice.field, choice.value, detail)


RULE = Rule(
    id="OVNG-DNS-018",
    kinds=(INFRASTRUCTURE,),
    severity=Severity.ERROR,
    design="OpenShift enhancement custom-dns, 'Workflow Description'",
    message="the DNS configuration has zones",
    hint="first remove the zones from the DNS configuration",
    applies=applies,
    check=check,
    needs=(Need.DNS,),
    subresources=frozenset({"", "status"}),
)
