"""Up to 4.14.13, ongoing-upgrade distinguishes the operator's own ConfigMap from one that a person created.

Without it the operator reports the new version before the upgrade is done, and does not start the second phase.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.release import target_release
from ovnguard.validators.network.ovnkube_settings.interconnect import ONGOING, Stream, stream
from ovnguard.validators.network.ovnkube_settings.interconnect_moves import judges
from ovnguard.validators.network.parse_values import mapping
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.interconnect.configuration_rule import configuration_rule


def applies(ctx: RuleContext) -> bool:
    """Updates that remove the key."""
    removed = ONGOING in mapping(ctx.old, "data") and ONGOING not in mapping(ctx.object, "data")
    return ctx.is_update and removed and judges(ctx)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the key."""
    if stream(target_release(ctx.inventory)) is Stream.EARLY:
        yield FieldError(ErrorType.INVALID, f"data[{ONGOING}]", detail=RULE.message)


RULE = configuration_rule(
    id="OVNG-IC-012",
    severity=Severity.WARNING,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'Troubleshooting', 'Until 4.14.13'",
    message="without ongoing-upgrade, the operator does not continue the upgrade",
    hint='keep ongoing-upgrade: "" until the operator deletes the ConfigMap',
    applies=applies,
    check=check,
    needs=(Need.RELEASE,),
    ratchets=False,
)
