"""A RouteAdvertisements takes effect only on nodes for which it selects an FRRConfiguration.

A no-overlay network runs on all nodes: other nodes cannot reach pods on a node whose routes are not advertised. One
RouteAdvertisements that covers every node is enough.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.no_overlay import options_path
from ovnguard.validators.network.cluster.route_advertisements import RouteAdvertisement, advertising
from ovnguard.validators.network.cluster_view import CUDN, OPERATOR_NETWORK
from ovnguard.validators.network.frr.advertised_nodes import chosen_on, named
from ovnguard.validators.network.frr.frr_merge import frr_index
from ovnguard.validators.network.model import Routing
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the routing; another rule warns when no RouteAdvertisements exists at all."""
    best: tuple[RouteAdvertisement, list[str]] | None = None
    for advertisement in advertising(ctx.object, ctx.inventory):
        chosen = chosen_on(advertisement, ctx.facts.nodes or (), frr_index(ctx.inventory))
        bare = [node.name for node in ctx.facts.nodes or () if not chosen.get(node.name)]
        if best is None or len(bare) < len(best[1]):
            best = advertisement, bare
    if best is not None and best[1]:
        advertisement, bare = best
        detail = f"RouteAdvertisements {advertisement.name} matches no FRRConfiguration for {named('node', bare)}"
        yield FieldError(ErrorType.INVALID, f"{options_path(ctx.object)}.routing", "Unmanaged", detail)


RULE = Rule(
    id="OVNG-NET-021",
    kinds=(OPERATOR_NETWORK, CUDN),
    routing=Routing.UNMANAGED,
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Proposal'; ovn-kubernetes, RouteAdvertisements controller",
    message="the RouteAdvertisements of a network requires an FRRConfiguration on every node",
    hint=(
        "create an FRRConfiguration for the nodes that matches frrConfigurationSelector and selects them "
        "with its nodeSelector"
    ),
    check=check,
    needs=(Need.NODES, Need.ROUTE_ADVERTISEMENTS, Need.FRR_CONFIGURATIONS),
)
