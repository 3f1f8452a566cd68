"""The second phase starts only when every node and every master runs interconnect.

A node in its own zone is remote to all others. Nodes without interconnect do not know remote nodes: the two cannot
reach each other until the rollout finishes.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.ovnkube_settings.interconnect import ZONE_MODE
from ovnguard.validators.network.ovnkube_settings.interconnect_moves import Ask
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import first_phase_left, observed
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.interconnect.configuration_rule import asks, configuration_rule


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the zone mode, with all pending steps of the first phase."""
    left = "; ".join(first_phase_left(observed(ctx.inventory)))
    if left:
        yield FieldError(ErrorType.FORBIDDEN, f"data[{ZONE_MODE}]", detail=f"{RULE.message}: {left}")


RULE = configuration_rule(
    id="OVNG-IC-007",
    severity=Severity.ERROR,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'CNO implementation details'",
    message="the first phase is not complete",
    hint="wait for the rollout; to continue with disruption, use the override of the release",
    applies=asks(Ask.FIRST_PHASE_DONE),
    check=check,
    needs=(Need.OVNKUBE_NODE,),
    ratchets=False,
)
