"""Up to 4.14.13, multizone with temporary "false" and ongoing-upgrade skips the rest of the first phase.

The rule allows it, because it completes an upgrade that waits for a node which never returns. Nodes without
interconnect lose contact with the others until they run it.

From 4.14.14 temporary and ongoing-upgrade skip nothing: with them or without, the first phase has to be over.

A cluster that began its upgrade with an earlier z-stream still has the keys.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.release import target_release
from ovnguard.validators.network.ovnkube_settings.interconnect import ZONE_MODE, Stream, stream
from ovnguard.validators.network.ovnkube_settings.interconnect_moves import Ask
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import first_phase_left, observed
from ovnguard.validators.network.rules.base import Need, RuleContext, Severity
from ovnguard.validators.network.rules.interconnect.configuration_rule import asks, configuration_rule


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the zone mode, with all pending steps of the first phase."""
    left = "; ".join(first_phase_left(observed(ctx.inventory)))
    if left and stream(target_release(ctx.inventory)) in (Stream.EARLY, Stream.HIDDEN):
        yield FieldError(ErrorType.INVALID, f"data[{ZONE_MODE}]", detail=f"{_RULE.message}: {left}")


_RULE = configuration_rule(
    id="OVNG-IC-008",
    severity=Severity.WARNING,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'Troubleshooting', 'Until 4.14.13'",
    message="skipping the first phase can disconnect nodes",
    hint="fix or drain the nodes that delay the first phase, if there is time",
    applies=asks(Ask.FIRST_PHASE_SKIPPED),
    check=check,
    needs=(
        Need.RELEASE,
        Need.OVNKUBE_NODE,
    ),
    ratchets=False,
)


def check_without_key(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the zone mode, with all pending steps of the first phase."""
    left = "; ".join(first_phase_left(observed(ctx.inventory)))
    if left and stream(target_release(ctx.inventory)) is Stream.LATE:
        yield FieldError(ErrorType.FORBIDDEN, f"data[{ZONE_MODE}]", detail=f"{_RULE_WITHOUT_KEY.message}: {left}")


_RULE_WITHOUT_KEY = configuration_rule(
    id="OVNG-IC-009",
    severity=Severity.ERROR,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'Troubleshooting', '4.14.14+'",
    message="the first phase is not complete, and from 4.14.14 only fast-forward-to-multizone skips it",
    hint='wait for the rollout, or add fast-forward-to-multizone: ""',
    applies=asks(Ask.SKIP_KNOWN),
    check=check_without_key,
    needs=(
        Need.RELEASE,
        Need.OVNKUBE_NODE,
    ),
    ratchets=False,
)


RULES = (_RULE, _RULE_WITHOUT_KEY)
