"""The cluster network operator reads one operator Network, named cluster; every other one has no effect."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK, OPERATOR_NETWORK_NAME
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the name."""
    name = ref_of(ctx.object).name
    if name != OPERATOR_NETWORK_NAME:
        yield FieldError(ErrorType.INVALID, "metadata.name", name, f'must be "{OPERATOR_NETWORK_NAME}"')


RULE = Rule(
    id="OVNG-NET-060",
    kinds=(OPERATOR_NETWORK,),
    severity=Severity.ERROR,
    design="cluster-network-operator, pkg/names (OPERATOR_CONFIG)",
    message="the operator Network must be named cluster",
    hint="name it cluster; the cluster network operator ignores other names",
    check=check,
)
