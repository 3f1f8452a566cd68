"""Only the Infrastructure records who manages DNS: once deleted, it can be created with a different value.

Transition rules of the API do not run when an object is created.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.platform import platform_of
from ovnguard.validators.network.cluster_view import INFRASTRUCTURE
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the choice."""
    choice = platform_of(ctx.object).custom_dns
    if choice is not None:
        detail = f"{RULE.message}: {choice.path[-1]} {choice.value}"
        yield FieldError(ErrorType.FORBIDDEN, choice.field, detail=detail)


RULE = Rule(
    id="OVNG-DNS-023",
    kinds=(INFRASTRUCTURE,),
    severity=Severity.ERROR,
    design="OpenShift enhancement custom-dns, 'API Extensions'",
    message="deleting the Infrastructure would delete the userDNS setting",
    hint="keep the Infrastructure: the cluster does not work without it",
    check=check,
    ratchets=False,
    operations=frozenset({"DELETE"}),
)
