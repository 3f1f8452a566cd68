"""Pods of a secondary network have addresses that no route leads to, so it cannot be advertised.

One such network among the selected ones, or a Layer2 network where egress addresses are announced, and ovn-kubernetes
accepts the whole RouteAdvertisements for none of them.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.route_advertisements import route_advertisement
from validators.network.cluster.user_networks import user_networks
from validators.network.cluster_view import ROUTE_ADVERTISEMENTS
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.bgp.advertisable_networks import why_not


def check(ctx: Context) -> Iterator[FieldError]:
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
