"""A network that cannot be advertised removes the routes of all other networks that its RouteAdvertisements selects.

ovn-kubernetes accepts a RouteAdvertisements for all of its networks or for none. It must not select the labels of a
secondary network, nor those of a Layer2 network while it advertises egress addresses.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.route_advertisements import route_advertisements
from ovnguard.validators.network.cluster.user_networks import user_network
from ovnguard.validators.network.cluster_view import CUDN
from ovnguard.validators.network.model import LAYER2, PRIMARY
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.bgp.advertisable_networks import why_not


def applies(ctx: RuleContext) -> bool:
    """ClusterUserDefinedNetworks that cannot be advertised, or not with egress addresses."""
    network = ctx.network
    return network is not None and (network.role is not PRIMARY or network.topology is LAYER2)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning for each RouteAdvertisements that selects it without effect."""
    network = user_network(ctx.object)
    for advertisement in route_advertisements(ctx.inventory) if network else ():
        text = why_not(advertisement, network) if network else ""
        if text:
            detail = f"RouteAdvertisements {advertisement.name} will not be accepted: {text}"
            yield FieldError(ErrorType.INVALID, "metadata.labels", detail=detail)


RULE = Rule(
    id="OVNG-NET-047",
    kinds=(CUDN,),
    severity=Severity.WARNING,
    design="ovn-kubernetes, RouteAdvertisements controller",
    message="RouteAdvertisements should not select a network that cannot be advertised",
    hint="remove the label that the RouteAdvertisements selects",
    applies=applies,
    check=check,
    needs=(Need.ROUTE_ADVERTISEMENTS,),
)
