"""A RouteAdvertisements must not bring networks with overlapping subnets into one VRF.

Their routes are leaked into its target VRF and from there to each other, so that a packet would go to whichever route
was learnt. Upstream does not look for overlaps there.
"""

from collections.abc import Iterator
from itertools import islice

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.route_advertisements import (
    AUTO,
    RouteAdvertisement,
    route_advertisement,
    route_advertisements,
)
from validators.network.cluster.user_networks import UserNetwork, shown_vrf, subnets_of, user_networks
from validators.network.cluster_view import ROUTE_ADVERTISEMENTS
from validators.network.declared.network_of import group_kind_of
from validators.network.rules.base import Context, Need, Rule, Severity

_MOST = 3


def applies(ctx: Context) -> bool:
    """RouteAdvertisements of pod networks into one VRF."""
    if group_kind_of(ctx.object) != ROUTE_ADVERTISEMENTS:
        return False
    advertisement = route_advertisement(ctx.object)
    return advertisement.pod_network and advertisement.target_vrf != AUTO


def check(ctx: Context) -> Iterator[FieldError]:
    """One error for each overlap that it would make, the first few."""
    mine = route_advertisement(ctx.object)
    others = [each for each in route_advertisements(ctx.inventory) if each.name != mine.name]
    members = [each for each in user_networks(ctx.inventory) if each.is_in(mine.target_vrf, (mine, *others))]
    yield from islice(_overlaps(mine, members), _MOST)


def _overlaps(mine: RouteAdvertisement, members: list[UserNetwork]) -> Iterator[FieldError]:
    known = subnets_of(members)
    seen: set[frozenset[str]] = set()
    for each in members:
        if not mine.selects(each.labels):
            continue
        for subnet in each.network.subnets:
            for other, name in known.overlapping(subnet.cidr):
                pair = frozenset((each.name, name))
                if name != each.name and pair not in seen:
                    seen.add(pair)
                    text = (
                        f"subnet {subnet.cidr} of network {each.name} overlaps {other} of network {name}, "
                        f"and both would be advertised in {shown_vrf(mine.target_vrf)}"
                    )
                    yield FieldError(ErrorType.INVALID, "spec.networkSelectors", detail=text)


RULE = Rule(
    id="OVNG-NET-045",
    kinds=(ROUTE_ADVERTISEMENTS,),
    severity=Severity.ERROR,
    design="OKEP-5259, limitations; ovn-kubernetes, RouteAdvertisements controller",
    message="a RouteAdvertisements must not advertise overlapping networks in the same VRF",
    hint="use targetVRF auto, or select networks whose subnets do not overlap",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS,),
)
