"""Networks whose routes meet in one VRF must not overlap: a packet would go to whichever route was learnt.

A RouteAdvertisements leaks the routes of all networks that it selects into its target VRF and from there to each other.
Upstream does not look for overlaps there.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.no_overlay import declared
from validators.network.cluster.route_advertisements import AUTO, advertising
from validators.network.cluster.user_networks import DEFAULT_VRF, meeting_in, shown_vrf
from validators.network.cluster_view import CUDN
from validators.network.declared.network_of import group_kind_of
from validators.network.declared.parse_operator import ref_of
from validators.network.declared.parse_paths import subnet_path
from validators.network.model import PRIMARY, Routing
from validators.network.rules.base import Context, Need, Rule, Severity


def applies(ctx: Context) -> bool:
    """Primary ClusterUserDefinedNetworks; others are not advertised at all."""
    return group_kind_of(ctx.object) == CUDN and ctx.network is not None and ctx.network.role is PRIMARY


def check(ctx: Context) -> Iterator[FieldError]:
    """One error for each subnet and VRF, naming the first network there that overlaps it."""
    if ctx.network is None:
        return
    vrfs = {each.target_vrf for each in advertising(ctx.object, ctx.inventory) if each.target_vrf != AUTO}
    if declared(ctx.object).routed(Routing.MANAGED):
        vrfs.add(DEFAULT_VRF)
    name = ref_of(ctx.object).name
    for vrf in sorted(vrfs):
        known = meeting_in(ctx.inventory, vrf)
        for index, subnet in enumerate(ctx.network.subnets):
            other = next((found for found in known.overlapping(subnet.cidr) if found[1] != name), None)
            if other is not None:
                text = f"overlaps {other[0]} of network {other[1]}, and both are advertised in {shown_vrf(vrf)}"
                yield FieldError(ErrorType.INVALID, subnet_path(ctx.network, index), str(subnet.cidr), text)


RULE = Rule(
    id="OVNG-NET-044",
    kinds=(CUDN,),
    severity=Severity.ERROR,
    design="OKEP-5259, limitations; ovn-kubernetes, RouteAdvertisements controller",
    message="networks that are advertised in the same VRF must not overlap",
    hint="choose other subnets, or advertise the networks with targetVRF auto",
    applies=applies,
    check=check,
    needs=(
        Need.ROUTE_ADVERTISEMENTS,
        Need.NETWORKS,
    ),
)
