"""A RouteAdvertisements that selects no network stays pending."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.route_advertisements import route_advertisement
from ovnguard.validators.network.cluster.user_networks import user_networks
from ovnguard.validators.network.cluster_view import ROUTE_ADVERTISEMENTS
from ovnguard.validators.network.frr.refusals import NO_NETWORKS
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """RouteAdvertisements that do not select the default network, which always exists."""
    return not route_advertisement(ctx.object).selects_default


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the selectors."""
    advertisement = route_advertisement(ctx.object)
    if not any(advertisement.selects(each.labels) for each in user_networks(ctx.inventory)):
        yield FieldError(ErrorType.INVALID, "spec.networkSelectors", detail=RULE.message)


RULE = Rule(
    id="OVNG-NET-039",
    kinds=(ROUTE_ADVERTISEMENTS,),
    severity=Severity.WARNING,
    design="ovn-kubernetes, RouteAdvertisements controller",
    message=NO_NETWORKS,
    hint="label the ClusterUserDefinedNetworks so that clusterUserDefinedNetworkSelector selects them",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS,),
)
