"""The multizone control plane comes last: once it runs, the first phase is over."""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster_view import CONFIG_MAP
from validators.network.designs.interconnect import ZONE_MODE, observed
from validators.network.designs.interconnect_moves import Ask, asks
from validators.network.rules.base import Context, Need, Rule, Severity


def applies(ctx: Context) -> bool:
    """Requests for the single zone of the first phase."""
    return asks(ctx, Ask.BEFORE_MULTIZONE)


def check(ctx: Context) -> Iterator[FieldError]:
    """One error at the zone mode."""
    control_plane = observed(ctx.inventory).control_plane
    if control_plane is not None:
        detail = f"{RULE.message}: {control_plane} exists already"
        yield FieldError(ErrorType.FORBIDDEN, f"data[{ZONE_MODE}]", detail=detail)


RULE = Rule(
    id="OVNG-IC-006",
    kinds=(CONFIG_MAP,),
    names=("ovn-interconnect-configuration",),
    severity=Severity.ERROR,
    design="OpenShift enhancement upgrades-with-ovn-ic, 'Design Details'",
    message="a single zone cannot have a multizone control plane",
    hint="do not create the ConfigMap: without it, the operator keeps the cluster multizone",
    applies=applies,
    check=check,
    needs=(Need.DEPLOYMENTS,),
    ratchets=False,
)
