"""The cluster network operator starts the phases of an interconnect upgrade; a person can only skip them.

The operator creates the ConfigMap when it finds workloads without interconnect. If a person creates it, the operator
rolls back nodes that are already multizone, or keeps the cluster in one zone, which is not supported.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.operators import is_operator
from ovnguard.validators.network.ovnkube_settings.interconnect import ZONE_MODE
from ovnguard.validators.network.ovnkube_settings.interconnect_moves import Ask
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.interconnect.configuration_rule import asks, configuration_rule


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the zone mode."""
    if not is_operator(ctx.user, ctx.operators):
        yield FieldError(ErrorType.FORBIDDEN, f"data[{ZONE_MODE}]", detail=f"{RULE.message}, not {ctx.user}")


RULE = configuration_rule(
    id="OVNG-IC-001",
    severity=Severity.ERROR,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'CNO implementation details'",
    message="only the cluster network operator starts the first phase",
    hint=(
        "let the operator create the ConfigMap; to skip phases, create it with fast-forward-to-multizone (from 4.14.14)"
    ),
    applies=asks(Ask.WHO),
    check=check,
    needs=(Need.USER,),
    ratchets=False,
)
