"""The operator deletes the ConfigMap only when nodes and control plane are multizone.

Without the ConfigMap the operator considers the upgrade done: it removes the old masters while nodes still need them,
or starts the first phase again.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.ovnkube_settings.interconnect_moves import Ask
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import is_hosted, observed, second_phase_left
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.interconnect.configuration_rule import asks, configuration_rule


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the name, with all pending steps of the second phase."""
    left = "; ".join(second_phase_left(observed(ctx.inventory), hosted=is_hosted(ctx.inventory)))
    if left:
        yield FieldError(ErrorType.FORBIDDEN, "metadata.name", detail=f"{RULE.message}: {left}")


RULE = configuration_rule(
    id="OVNG-IC-011",
    severity=Severity.ERROR,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'CNO implementation details'",
    message="the second phase of the upgrade is in progress",
    hint="wait: the operator deletes the ConfigMap when the upgrade is complete",
    applies=asks(Ask.SECOND_PHASE_DONE),
    check=check,
    needs=(
        Need.OVNKUBE_NODE,
        Need.DEPLOYMENTS,
    ),
    ratchets=False,
    operations=frozenset({"DELETE"}),
)
