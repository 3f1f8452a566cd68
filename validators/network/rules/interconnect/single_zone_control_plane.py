"""The multizone control plane comes last: once it runs, the first phase is over."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.ovnkube_settings.interconnect import ZONE_MODE
from ovnguard.validators.network.ovnkube_settings.interconnect_moves import Ask
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import observed
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.interconnect.configuration_rule import asks, configuration_rule


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the zone mode."""
    control_plane = observed(ctx.inventory).control_plane
    if control_plane is not None:
        detail = f"{RULE.message}: {control_plane} exists already"
        yield FieldError(ErrorType.FORBIDDEN, f"data[{ZONE_MODE}]", detail=detail)


RULE = configuration_rule(
    id="OVNG-IC-006",
    severity=Severity.ERROR,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'Design Details'",
    message="a single zone cannot have a multizone control plane",
    hint="do not create the ConfigMap: without it, the operator keeps the cluster multizone",
    applies=asks(Ask.BEFORE_MULTIZONE),
    check=check,
    needs=(Need.DEPLOYMENTS,),
    ratchets=False,
)
