"""With routing Unmanaged a network has no routes until a RouteAdvertisements selects it by its labels.

The object may follow later, so the rule only warns; ovn-kubernetes reports the same in condition TransportAccepted.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.no_overlay import options_path
from ovnguard.validators.network.cluster.route_advertisements import advertising
from ovnguard.validators.network.cluster_view import CUDN
from ovnguard.validators.network.model import Routing
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity

_MISSING = "No RouteAdvertisements CR is advertising the pod networks."
_NOT_ACCEPTED = "RouteAdvertisements CR {} advertises the pod subnets, but its status is not accepted."


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the routing."""
    found = advertising(ctx.object, ctx.inventory)
    field = f"{options_path(ctx.object)}.routing"
    if not found:
        yield FieldError(ErrorType.INVALID, field, "Unmanaged", _MISSING)
    elif all(each.accepted is False for each in found):
        names = ", ".join(each.name for each in found)
        yield FieldError(ErrorType.INVALID, field, "Unmanaged", _NOT_ACCEPTED.format(names))


RULE = Rule(
    id="OVNG-NET-020",
    kinds=(CUDN,),
    routing=Routing.UNMANAGED,
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Proposal'; ovn-kubernetes, condition TransportAccepted",
    message=(
        "routing Unmanaged requires an accepted RouteAdvertisements that selects the network and advertises PodNetwork"
    ),
    hint="create a RouteAdvertisements whose clusterUserDefinedNetworkSelector matches the network's labels",
    check=check,
    needs=(Need.ROUTE_ADVERTISEMENTS,),
)
