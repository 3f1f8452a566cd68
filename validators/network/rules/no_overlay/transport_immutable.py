"""Transport and no-overlay options of a ClusterUserDefinedNetwork never change, neither alone nor together.

The released CRD's transition rules run only where both sides have the field, so an update that adds or removes
transport and noOverlay together passes them. This rule compares the meaning of both objects, even if other parts of
them are invalid.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.no_overlay import options_path, transport_path
from ovnguard.validators.network.cluster_view import CUDN
from ovnguard.validators.network.model import Transport
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for the transport, else one for the options."""
    if ctx.before is None:
        return
    old, new = ctx.before.declared, ctx.declared
    if old.transport != new.transport:
        field = transport_path(ctx.object)
        yield FieldError(ErrorType.INVALID, field, _shown(new.transport), "Transport is immutable")
    elif new.no_overlay and old.options != new.options:
        field = options_path(ctx.object)
        name = field.rpartition(".")[2]
        yield FieldError(ErrorType.INVALID, field, detail=f"{name[0].upper()}{name[1:]} is immutable")


def _shown(transport: Transport) -> str:
    return {Transport.GENEVE: "Geneve", Transport.NO_OVERLAY: "NoOverlay", Transport.EVPN: "EVPN"}[transport]


RULE = Rule(
    id="OVNG-NET-005",
    kinds=(CUDN,),
    operations=frozenset({"UPDATE"}),
    severity=Severity.ERROR,
    design="OpenShift enhancement no-overlay-mode, 'Workflow Description'",
    message="transport and no-overlay options of a network are immutable",
    hint="delete the network and create it again",
    check=check,
    ratchets=False,
)
