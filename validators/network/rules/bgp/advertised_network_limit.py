"""Networks that are announced in one VRF take one router each in every generated FRRConfiguration, which holds 50.

One of them is the target VRF's own, so that 49 networks are left. This also bounds networks with routing Managed, which
all share one RouteAdvertisements: the generated object with one more is refused, and no node learns of any change.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.route_advertisements import AUTO, MAX_IMPORTED, route_advertisement
from validators.network.cluster.user_networks import user_networks
from validators.network.cluster_view import ROUTE_ADVERTISEMENTS
from validators.network.declared.network_of import group_kind_of
from validators.network.rules.base import Context, Need, Rule, Severity


def applies(ctx: Context) -> bool:
    """RouteAdvertisements into one VRF."""
    kind = group_kind_of(ctx.object)
    return kind == ROUTE_ADVERTISEMENTS and route_advertisement(ctx.object).target_vrf != AUTO


def check(ctx: Context) -> Iterator[FieldError]:
    """One error at the selectors."""
    advertisement = route_advertisement(ctx.object)
    known = user_networks(ctx.inventory)
    count = sum(each.vrf != advertisement.target_vrf and advertisement.selects(each.labels) for each in known)
    if count > MAX_IMPORTED:
        detail = f"{count} networks are selected for one target VRF, whose capacity is {MAX_IMPORTED}"
        yield FieldError(ErrorType.INVALID, "spec.networkSelectors", detail=detail)


RULE = Rule(
    id="OVNG-NET-042",
    kinds=(ROUTE_ADVERTISEMENTS,),
    severity=Severity.ERROR,
    design="frr-k8s, FRRConfiguration spec.bgp.routers (at most 50); ovn-kubernetes, RouteAdvertisements controller",
    message="one RouteAdvertisements can advertise at most 49 ClusterUserDefinedNetworks in one target VRF",
    hint="use several RouteAdvertisements with separate labels, or targetVRF auto",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS,),
)
