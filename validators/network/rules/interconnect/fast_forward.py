"""fast-forward-to-multizone skips phases of a running upgrade; after the upgrade, it skips nothing."""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster_view import CONFIG_MAP
from validators.network.designs.interconnect import FAST_FORWARD, observed, second_phase_left
from validators.network.designs.interconnect_moves import Ask, asks
from validators.network.rules.base import Context, Need, Rule, Severity


def applies(ctx: Context) -> bool:
    """Requests that skip both phases."""
    return asks(ctx, Ask.SECOND_PHASE_LEFT)


def check(ctx: Context) -> Iterator[FieldError]:
    """One error at the key."""
    if not any(second_phase_left(observed(ctx.inventory))):
        yield FieldError(ErrorType.FORBIDDEN, f"data[{FAST_FORWARD}]", detail=RULE.message)


RULE = Rule(
    id="OVNG-IC-010",
    kinds=(CONFIG_MAP,),
    names=("ovn-interconnect-configuration",),
    severity=Severity.ERROR,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'Troubleshooting', '4.14.14+'",
    message="nothing remains to fast-forward: nodes and control plane are multizone",
    hint="do not create the ConfigMap: the operator no longer reads it",
    applies=applies,
    check=check,
    needs=(
        Need.OVNKUBE_NODE,
        Need.DEPLOYMENTS,
    ),
    ratchets=False,
)
