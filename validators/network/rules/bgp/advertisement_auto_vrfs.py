"""With targetVRF auto each network is advertised in its own VRF, so every node needs a router in each of these VRFs."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.route_advertisements import AUTO, RouteAdvertisement, route_advertisement
from ovnguard.validators.network.cluster.user_networks import DEFAULT_VRF, user_networks
from ovnguard.validators.network.cluster_view import ROUTE_ADVERTISEMENTS
from ovnguard.validators.network.frr.advertised_nodes import chosen_on
from ovnguard.validators.network.frr.frr_merge import frr_index
from ovnguard.validators.network.frr.refusals import no_matching_vrf, unmatched_networks
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """RouteAdvertisements with targetVRF auto."""
    return route_advertisement(ctx.object).target_vrf == AUTO


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning for the first node that lacks routers."""
    advertisement = route_advertisement(ctx.object)
    wanted = _vrfs(ctx, advertisement)
    if wanted is None or not wanted:
        return
    for node, parts in chosen_on(advertisement, ctx.facts.nodes or (), frr_index(ctx.inventory)).items():
        found = [{router.vrf for router in part.routers} & wanted for part in parts if part.fault is None]
        usable = [part for part in parts if part.fault is None]
        idle = next((part for part, vrfs in zip(usable, found, strict=True) if not vrfs), None)
        text = no_matching_vrf(idle.origin.rpartition("/")[2], node) if idle else ""
        if not text and usable and set().union(*found) != wanted:
            text = unmatched_networks(node)
        if text:
            yield FieldError(ErrorType.INVALID, "spec.targetVRF", AUTO, text)
            return


def _vrfs(ctx: RuleContext, advertisement: RouteAdvertisement) -> set[str] | None:
    """The VRFs of the selected networks; None when a VRF's name is not yet known."""
    found = {DEFAULT_VRF} if advertisement.selects_default else set()
    for each in user_networks(ctx.inventory):
        if advertisement.selects(each.labels):
            if each.vrf is None:
                return None
            found.add(each.vrf)
    return found


RULE = Rule(
    id="OVNG-NET-041",
    kinds=(ROUTE_ADVERTISEMENTS,),
    severity=Severity.WARNING,
    design="ovn-kubernetes, RouteAdvertisements controller",
    message="targetVRF auto requires a router in the VRF of each selected network on every node",
    hint="add a router with the network's name as its vrf to the FRRConfigurations of the nodes",
    applies=applies,
    check=check,
    needs=(
        Need.NODES,
        Need.FRR_CONFIGURATIONS,
        Need.NETWORKS,
    ),
)
