"""No route leads to the pod addresses of a secondary network, so it cannot be advertised.

If one selected network is secondary, or is a Layer2 network while egress addresses are advertised, ovn-kubernetes
refuses the whole RouteAdvertisements.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.route_advertisements import route_advertisement
from ovnguard.validators.network.cluster.user_networks import user_networks
from ovnguard.validators.network.cluster_view import ROUTE_ADVERTISEMENTS
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.bgp.advertisable_networks import why_not


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for the first network that cannot be advertised."""
    advertisement = route_advertisement(ctx.object)
    for each in user_networks(ctx.inventory):
        text = why_not(advertisement, each)
        if text:
            yield FieldError(ErrorType.INVALID, "spec.networkSelectors", detail=text)
            return


RULE = Rule(
    id="OVNG-NET-038",
    kinds=(ROUTE_ADVERTISEMENTS,),
    severity=Severity.ERROR,
    design="ovn-kubernetes, RouteAdvertisements controller",
    message="RouteAdvertisements must select only networks that can be advertised",
    hint="select networks by a label that only such networks have",
    check=check,
    needs=(Need.NETWORKS,),
)
