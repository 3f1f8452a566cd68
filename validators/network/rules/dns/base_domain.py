"""The base domain never changes: all names of the cluster are below it, in certificates, routes and on every node."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import CONFIG_DNS
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the domain."""
    old, new = dig(ctx.old, "spec", "baseDomain"), dig(ctx.object, "spec", "baseDomain")
    if old and new != old:
        yield FieldError(ErrorType.INVALID, "spec.baseDomain", new, RULE.message)


RULE = Rule(
    id="OVNG-DNS-022",
    kinds=(CONFIG_DNS,),
    severity=Severity.ERROR,
    design="openshift/api, config/v1, DNSSpec",
    message="baseDomain is immutable once set",
    hint="install a cluster with the other domain",
    check=check,
    ratchets=False,
)
