"""fast-forward-to-multizone skips phases of a running upgrade; after the upgrade, it skips nothing."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.ovnkube_settings.interconnect import FAST_FORWARD
from ovnguard.validators.network.ovnkube_settings.interconnect_moves import Ask
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import is_hosted, observed, second_phase_left
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.interconnect.configuration_rule import asks, configuration_rule


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the key. The control plane of a hosted cluster is not in the view: it can remain."""
    if not is_hosted(ctx.inventory) and not any(second_phase_left(observed(ctx.inventory))):
        yield FieldError(ErrorType.FORBIDDEN, f"data[{FAST_FORWARD}]", detail=RULE.message)


RULE = configuration_rule(
    id="OVNG-IC-010",
    severity=Severity.ERROR,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'Troubleshooting', '4.14.14+'",
    message="nothing remains to fast-forward: nodes and control plane are multizone",
    hint="do not create the ConfigMap: the operator no longer reads it",
    applies=asks(Ask.SECOND_PHASE_LEFT),
    check=check,
    needs=(
        Need.OVNKUBE_NODE,
        Need.DEPLOYMENTS,
    ),
    ratchets=False,
)
