"""The FRRConfigurations of the nodes can make ovn-kubernetes refuse a RouteAdvertisements or keep it pending.

Every node that it selects needs an FRRConfiguration that it selects, with a router in the target VRF and neighbours of
one address family each. These objects may still be created or corrected, so the rule only warns.
"""

from collections.abc import Iterator
from itertools import islice

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.route_advertisements import route_advertisement
from ovnguard.validators.network.cluster_view import ROUTE_ADVERTISEMENTS
from ovnguard.validators.network.frr.advertised_nodes import chosen_on, pending_on
from ovnguard.validators.network.frr.frr_merge import frr_index
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity

_MOST = 5


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning for each missing part, up to a limit."""
    advertisement = route_advertisement(ctx.object)
    chosen = chosen_on(advertisement, ctx.facts.nodes or (), frr_index(ctx.inventory))
    for text in islice(pending_on(advertisement, chosen), _MOST):
        field = "spec.nodeSelector" if not chosen else "spec.frrConfigurationSelector"
        yield FieldError(ErrorType.INVALID, field, detail=text)


RULE = Rule(
    id="OVNG-NET-040",
    kinds=(ROUTE_ADVERTISEMENTS,),
    severity=Severity.WARNING,
    design="ovn-kubernetes, RouteAdvertisements controller",
    message="a RouteAdvertisements requires usable FRRConfigurations on the nodes that it selects",
    hint="create FRRConfigurations with the labels of frrConfigurationSelector and a router in the target VRF",
    check=check,
    needs=(
        Need.NODES,
        Need.FRR_CONFIGURATIONS,
    ),
)
