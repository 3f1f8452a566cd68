"""Only an upgrade to 4.14 has phases: 4.13 has no interconnect, and from 4.15 the operator no longer reads the
ConfigMap.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.release import target_release
from ovnguard.validators.network.ovnkube_settings.interconnect import RELEASE_LINE, ZONE_MODE
from ovnguard.validators.network.ovnkube_settings.interconnect_moves import Ask
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.interconnect.configuration_rule import asks, configuration_rule


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the zone mode."""
    release = target_release(ctx.inventory)
    if release is not None and release.line != RELEASE_LINE:
        detail = f"{RULE.message}, and this cluster goes to {release.text}"
        yield FieldError(ErrorType.FORBIDDEN, f"data[{ZONE_MODE}]", detail=detail)


RULE = configuration_rule(
    id="OVNG-IC-002",
    severity=Severity.ERROR,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'Summary'",
    message="only an upgrade to 4.14 has phases",
    hint="do not create the ConfigMap; the operator creates it when the upgrade to 4.14 begins",
    applies=asks(Ask.RELEASE),
    check=check,
    needs=(Need.RELEASE,),
    ratchets=False,
)
