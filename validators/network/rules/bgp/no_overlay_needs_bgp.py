"""A no-overlay network relies on BGP, which the operator Network enables for the whole cluster.

Without BGP, upstream accepts the network but creates no routes: its condition TransportAccepted is False with reason
RouteAdvertisementsNotEnabled.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.cluster_facts import known_operator
from ovnguard.validators.network.cluster.no_overlay import transport_path
from ovnguard.validators.network.cluster_view import CUDN
from ovnguard.validators.network.model import Transport
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity

_NOT_ENABLED = "RouteAdvertisements feature is not enabled but required for NoOverlay transport."
_NO_FRR = "routing provider FRR is not among additionalRoutingCapabilities.providers of the operator Network"


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the transport, for the first missing setting."""
    operator = known_operator(ctx.inventory)
    if operator is None or (operator.advertises and operator.frr):
        return
    detail = _NO_FRR if operator.advertises else _NOT_ENABLED
    yield FieldError(ErrorType.INVALID, transport_path(ctx.object), "NoOverlay", detail)


RULE = Rule(
    id="OVNG-NET-015",
    kinds=(CUDN,),
    transport=Transport.NO_OVERLAY,
    severity=Severity.ERROR,
    design="OpenShift enhancement no-overlay-mode, 'Workflow Description'; ovn-kubernetes, condition TransportAccepted",
    message="transport NoOverlay requires routeAdvertisements Enabled and provider FRR in the operator Network",
    hint="first set additionalRoutingCapabilities.providers: [FRR] and routeAdvertisements: Enabled there",
    check=check,
    needs=(Need.OPERATOR_NETWORK,),
)
