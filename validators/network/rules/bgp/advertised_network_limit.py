"""Each network that is advertised into one VRF takes a router in every generated FRRConfiguration, which holds 50.

The target VRF itself takes one of them, which leaves 49 networks. The limit also applies to networks with routing
Managed, which share one RouteAdvertisements: with one network more, the API server refuses the generated object, and no
node learns of later changes.

The fiftieth network that is advertised into one VRF stops the routes of all.

Each takes a router in every generated FRRConfiguration, which holds 50 including the target VRF's own. All networks
with routing Managed share one RouteAdvertisements.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.no_overlay import managed_cudns, options_path
from ovnguard.validators.network.cluster.route_advertisements import (
    AUTO,
    MAX_IMPORTED,
    route_advertisement,
    route_advertisements,
    vrf_of,
)
from ovnguard.validators.network.cluster.user_networks import selected_names, user_networks
from ovnguard.validators.network.cluster_view import CUDN, ROUTE_ADVERTISEMENTS
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import Role, Routing
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.selectors import labels_of


def applies(ctx: RuleContext) -> bool:
    """RouteAdvertisements into one VRF."""
    return route_advertisement(ctx.object).target_vrf != AUTO


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the selectors."""
    advertisement = route_advertisement(ctx.object)
    known = user_networks(ctx.inventory)
    count = sum(each.vrf != advertisement.target_vrf and advertisement.selects(each.labels) for each in known)
    if count > MAX_IMPORTED:
        detail = f"{count} networks are selected for one target VRF, whose capacity is {MAX_IMPORTED}"
        yield FieldError(ErrorType.INVALID, "spec.networkSelectors", detail=detail)


_RULE = Rule(
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


def check_reached(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each RouteAdvertisements whose limit is reached."""
    labels, name, vrf = labels_of(ctx.object), ref_of(ctx.object).name, vrf_of(ctx.object)
    if ctx.routing is Routing.MANAGED:
        managed = managed_cudns(ctx.inventory)
        count = len(managed) + (name not in managed)
        if count > MAX_IMPORTED:
            detail = f"{count} networks have routing Managed, but the capacity is {MAX_IMPORTED}"
            yield FieldError(ErrorType.INVALID, f"{options_path(ctx.object)}.routing", "Managed", detail)
    for each in route_advertisements(ctx.inventory):
        if each.target_vrf in (AUTO, vrf) or not each.selects(labels):
            continue
        selected = selected_names(ctx.inventory)[each.name]
        count = len(selected) + (name not in selected) - (each.target_vrf in selected)
        if count > MAX_IMPORTED:
            detail = f"RouteAdvertisements {each.name} selects {count} networks, but its capacity is {MAX_IMPORTED}"
            yield FieldError(ErrorType.INVALID, "metadata.labels", detail=detail)


_RULE_REACHED = Rule(
    id="OVNG-NET-043",
    kinds=(CUDN,),
    role=Role.PRIMARY,
    severity=Severity.ERROR,
    design="frr-k8s, FRRConfiguration spec.bgp.routers (at most 50); ovn-kubernetes, RouteAdvertisements controller",
    message="a RouteAdvertisements has capacity for 49 ClusterUserDefinedNetworks in one target VRF",
    hint="give the network a label that another RouteAdvertisements selects",
    check=check_reached,
    needs=(
        Need.ROUTE_ADVERTISEMENTS,
        Need.NETWORKS,
    ),
)


RULES = (_RULE, _RULE_REACHED)
