"""Networks with routes in one VRF must not overlap: a packet would follow whichever route was learnt.

A RouteAdvertisements leaks the routes of all networks that it selects into its target VRF and from there to each other.
Upstream does not look for overlaps there.

A RouteAdvertisements must not bring networks with overlapping subnets into one VRF.

Their routes are leaked into its target VRF and from there to each other, so that a packet would go to whichever route
was learnt. Upstream does not look for overlaps there.
"""

from collections.abc import Iterator
from itertools import islice

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.route_advertisements import (
    AUTO,
    RouteAdvertisement,
    advertising,
    route_advertisement,
    route_advertisements,
)
from ovnguard.validators.network.cluster.user_networks import (
    DEFAULT_VRF,
    UserNetwork,
    meeting_in,
    shown_vrf,
    subnets_of,
    user_networks,
)
from ovnguard.validators.network.cluster_view import CUDN, ROUTE_ADVERTISEMENTS
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.declared.parse_paths import subnet_path
from ovnguard.validators.network.model import Role, Routing
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def check_network(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each subnet and VRF, naming the first overlapping network."""
    if ctx.network is None:
        return
    vrfs = {each.target_vrf for each in advertising(ctx.object, ctx.inventory) if each.target_vrf != AUTO}
    if ctx.routing is Routing.MANAGED:
        vrfs.add(DEFAULT_VRF)
    name = ref_of(ctx.object).name
    for vrf in sorted(vrfs):
        known = meeting_in(ctx.inventory, vrf)
        for index, subnet in enumerate(ctx.network.subnets):
            other = next((found for found in known.overlapping(subnet.cidr) if found[1] != name), None)
            if other is not None:
                text = f"overlaps {other[0]} of network {other[1]}, and both are advertised in {shown_vrf(vrf)}"
                yield FieldError(ErrorType.INVALID, subnet_path(ctx.network, index), str(subnet.cidr), text)


_RULE_NETWORK = Rule(
    id="OVNG-NET-044",
    kinds=(CUDN,),
    role=Role.PRIMARY,
    severity=Severity.ERROR,
    design="OKEP-5259, limitations; ovn-kubernetes, RouteAdvertisements controller",
    message="networks that are advertised in the same VRF must not overlap",
    hint="choose other subnets, or advertise the networks with targetVRF auto",
    check=check_network,
    needs=(
        Need.ROUTE_ADVERTISEMENTS,
        Need.NETWORKS,
    ),
)


_MOST = 3


def applies_advertisement(ctx: RuleContext) -> bool:
    """RouteAdvertisements of pod networks into one VRF."""
    advertisement = route_advertisement(ctx.object)
    return advertisement.pod_network and advertisement.target_vrf != AUTO


def check_advertisement(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each overlap that the object would create, up to a limit."""
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


_RULE_ADVERTISEMENT = Rule(
    id="OVNG-NET-045",
    kinds=(ROUTE_ADVERTISEMENTS,),
    severity=Severity.ERROR,
    design="OKEP-5259, limitations; ovn-kubernetes, RouteAdvertisements controller",
    message="a RouteAdvertisements must not advertise overlapping networks in the same VRF",
    hint="use targetVRF auto, or select networks whose subnets do not overlap",
    applies=applies_advertisement,
    check=check_advertisement,
    needs=(Need.NETWORKS,),
)


RULES = (_RULE_NETWORK, _RULE_ADVERTISEMENT)
