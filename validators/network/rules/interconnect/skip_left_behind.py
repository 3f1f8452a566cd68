"""From 4.14.14 temporary and ongoing-upgrade skip nothing: with them or without, the first phase has to be over.

A cluster that began its upgrade with an earlier z-stream still has the keys.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.release import target_release
from validators.network.cluster_view import CONFIG_MAP
from validators.network.designs.interconnect import ZONE_MODE, Stream, first_phase_left, observed, stream
from validators.network.designs.interconnect_moves import Ask, asks
from validators.network.rules.base import Context, Need, Rule, Severity


def applies(ctx: Context) -> bool:
    """Requests that begin the second phase with the keys of early z-streams."""
    return asks(ctx, Ask.SKIP_KNOWN)


def check(ctx: Context) -> Iterator[FieldError]:
    """One error at the zone mode, with everything that is left of the first phase."""
    left = "; ".join(first_phase_left(observed(ctx.inventory)))
    if left and stream(target_release(ctx.inventory)) is Stream.LATE:
        yield FieldError(ErrorType.FORBIDDEN, f"data[{ZONE_MODE}]", detail=f"{RULE.message}: {left}")


RULE = Rule(
    id="OVNG-IC-009",
    kinds=(CONFIG_MAP,),
    names=("ovn-interconnect-configuration",),
    severity=Severity.ERROR,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'Troubleshooting', '4.14.14+'",
    message="the first phase is not complete, and from 4.14.14 only fast-forward-to-multizone skips it",
    hint='wait for the rollout, or add fast-forward-to-multizone: ""',
    applies=applies,
    check=check,
    needs=(
        Need.RELEASE,
        Need.OVNKUBE_NODE,
    ),
    ratchets=False,
)
