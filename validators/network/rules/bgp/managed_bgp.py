"""Managed routing of a network needs the managed BGP fabric of the cluster.

Without the fabric, upstream accepts the network, but never configures it: its condition TransportAccepted stays at
NoOverlayRouteAdvertisementsIsMissing.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import CUDN
from ovnguard.validators.network.model import Routing
from ovnguard.validators.network.parse_values import mapping
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the routing."""
    if ctx.facts.managed_bgp is None:
        field = "noOverlayOptions" if "noOverlayOptions" in mapping(ctx.object, "spec", "network") else "noOverlay"
        yield FieldError(ErrorType.INVALID, f"spec.network.{field}.routing", "Managed", RULE.message)


RULE = Rule(
    id="OVNG-NET-006",
    kinds=(CUDN,),
    routing=Routing.MANAGED,
    own_network=True,
    severity=Severity.ERROR,
    design="OpenShift enhancement no-overlay-mode, 'Workflow Description'; OKEP-5259, managed mode",
    message="routing Managed requires bgpManagedConfig with an AS number in the operator Network",
    hint="set bgpManagedConfig in the operator Network, or use routing Unmanaged with your own RouteAdvertisements",
    check=check,
    needs=(Need.OPERATOR_NETWORK,),
)
