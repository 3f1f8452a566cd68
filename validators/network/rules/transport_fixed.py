"""Transport and no-overlay options of a ClusterUserDefinedNetwork never change, also not together.

The released CRD's transition rules run only where a field is on both sides, so that adding or removing transport and
noOverlay in one update passes them.
"""

from collections.abc import Iterator

from validators.field import ErrorType, FieldError
from validators.network.model import Transport
from validators.network.parse import group_kind_of
from validators.network.parse_values import mapping
from validators.network.rules.base import Context, Rule, Severity
from validators.network.view import CUDN

_PATH = "spec.network"


def applies(ctx: Context) -> bool:
    """Updates of ClusterUserDefinedNetworks."""
    return ctx.is_update and group_kind_of(ctx.object) == CUDN


def check(ctx: Context) -> Iterator[FieldError]:
    """One error for the transport, else one for the options."""
    old, new = ctx.old_network, ctx.network
    if old is None or new is None:
        return
    if old.transport != new.transport:
        yield FieldError(ErrorType.INVALID, f"{_PATH}.transport", _shown(new.transport), "Transport is immutable")
    elif old.no_overlay != new.no_overlay:
        field = "noOverlayOptions" if "noOverlayOptions" in mapping(ctx.object, "spec", "network") else "noOverlay"
        yield FieldError(ErrorType.INVALID, f"{_PATH}.{field}", detail=f"{field[0].upper()}{field[1:]} is immutable")


def _shown(transport: Transport) -> str:
    return {Transport.GENEVE: "Geneve", Transport.NO_OVERLAY: "NoOverlay", Transport.EVPN: "EVPN"}[transport]


RULE = Rule(
    id="OVNG-NET-005",
    severity=Severity.ERROR,
    design="OpenShift enhancement no-overlay-mode, 'Workflow Description'",
    message="transport and no-overlay options of a network never change",
    hint="delete the network and create it anew",
    applies=applies,
    check=check,
    ratchets=False,
)
