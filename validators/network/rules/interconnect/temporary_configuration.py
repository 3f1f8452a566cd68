"""Up to 4.14.13, the single zone of the first phase has the key temporary; without it, the single zone is permanent.

The operator replaces the key when the second phase starts, and a patch of an absent key fails: the upgrade stops
between its phases.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.release import target_release
from ovnguard.validators.network.ovnkube_settings.interconnect import TEMPORARY, Mode, Stream, mode_of, stream
from ovnguard.validators.network.ovnkube_settings.interconnect_moves import judges
from ovnguard.validators.network.parse_values import mapping
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.interconnect.configuration_rule import configuration_rule


def applies(ctx: RuleContext) -> bool:
    """ConfigMaps of the first phase."""
    return judges(ctx) and mode_of(ctx.object) is Mode.SINGLE


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the key."""
    if stream(target_release(ctx.inventory)) is not Stream.EARLY:
        return
    value = mapping(ctx.object, "data").get(TEMPORARY)
    if value is None:
        yield FieldError(ErrorType.REQUIRED, f"data[{TEMPORARY}]", detail=RULE.message)
    elif value == "false":
        yield FieldError(ErrorType.INVALID, f"data[{TEMPORARY}]", value, RULE.message)


RULE = configuration_rule(
    id="OVNG-IC-004",
    severity=Severity.ERROR,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'CNO implementation details'",
    message='up to 4.14.13, zone-mode singlezone requires temporary "true"',
    hint='set temporary: "true", with the quotes',
    applies=applies,
    check=check,
    needs=(Need.RELEASE,),
)
