"""With routing Unmanaged, only the administrator's objects route packets of the default network to their nodes.

The manifests of the installation should contain both, a RouteAdvertisements and an FRRConfiguration: without them, no
pod reaches a pod of another node. Later, ovn-kubernetes reports the same in events.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.no_overlay import options_path
from ovnguard.validators.network.cluster.route_advertisements import advertising
from ovnguard.validators.network.cluster_view import FRR_CONFIGURATION, OPERATOR_NETWORK
from ovnguard.validators.network.model import Routing
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity

_MISSING = (
    "No RouteAdvertisements CR is advertising the default network. "
    "RouteAdvertisements configuration is required when transport=no-overlay."
)
_NOT_ACCEPTED = (
    "RouteAdvertisements CR(s) {} exist for the default network but none have status Accepted=True. "
    "When transport=no-overlay, at least one RouteAdvertisements CR must be accepted to advertise pod networks."
)
_NO_FRR = "no FRRConfiguration is known: RouteAdvertisements need one on every node"


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the routing for each missing object."""
    found = advertising(ctx.object, ctx.inventory)
    texts = []
    if not found:
        texts.append(_MISSING)
    elif all(each.accepted is False for each in found):
        texts.append(_NOT_ACCEPTED.format(", ".join(each.name for each in found)))
    if not ctx.inventory.objects(FRR_CONFIGURATION):
        texts.append(_NO_FRR)
    for text in texts:
        yield FieldError(ErrorType.INVALID, f"{options_path(ctx.object)}.routing", "Unmanaged", text)


RULE = Rule(
    id="OVNG-NET-019",
    kinds=(OPERATOR_NETWORK,),
    routing=Routing.UNMANAGED,
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Workflow Description'; ovn-kubernetes, events of its NAD",
    message="routing Unmanaged of the default network requires RouteAdvertisements and FRRConfigurations",
    hint="pass a RouteAdvertisements for DefaultNetwork with PodNetwork, and an FRRConfiguration, to the installer",
    check=check,
    needs=(Need.ADVERTISING,),
)
