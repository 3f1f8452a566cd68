"""A new node gets the routes of an Unmanaged network only if a RouteAdvertisements selects an FRRConfiguration for it.

The network runs on the node all the same: its pods start, but cannot reach those of the other nodes.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.cluster_facts import known_operator
from ovnguard.validators.network.cluster.no_overlay import declared, no_overlay_cudns
from ovnguard.validators.network.cluster.route_advertisements import RouteAdvertisement, route_advertisements
from ovnguard.validators.network.cluster_view import NODE
from ovnguard.validators.network.declared.node import Node, node_of
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.frr.advertised_nodes import chosen_on
from ovnguard.validators.network.frr.frr_merge import frr_index
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.model import DEFAULT_NETWORK, Routing
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.selectors import labels_of


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning with the networks; a rule about the network warns when it has no RouteAdvertisements at all."""
    node = node_of(ctx.object).node
    if node is None:
        return
    reaching: list[RouteAdvertisement] = []
    missing: list[RouteAdvertisement] = []
    for each in route_advertisements(ctx.inventory):
        if each.pod_network:
            (reaching if _reaches(ctx, each, node) else missing).append(each)
    names = list(_cut_off(ctx, reaching, missing)) if missing else []
    if names:
        detail = (
            f"no RouteAdvertisements of these networks matches an FRRConfiguration for the node: {shortlist(names)}"
        )
        yield FieldError(ErrorType.INVALID, "metadata.name", node.name, detail)


def _reaches(ctx: RuleContext, advertisement: RouteAdvertisement, node: Node) -> bool:
    return bool(chosen_on(advertisement, (node,), frr_index(ctx.inventory)).get(node.name))


def _cut_off(ctx: RuleContext, reaching: list[RouteAdvertisement], missing: list[RouteAdvertisement]) -> Iterator[str]:
    """Networks that one of ``missing`` advertises and none of ``reaching``."""
    operator = known_operator(ctx.inventory)
    unmanaged = operator is not None and operator.routed(Routing.UNMANAGED)
    if unmanaged and _selected(missing) and not _selected(reaching):
        yield DEFAULT_NETWORK
    for obj in no_overlay_cudns(ctx.inventory):
        if declared(obj).routed(Routing.UNMANAGED) and _selected(missing, obj) and not _selected(reaching, obj):
            yield ref_of(obj).name


def _selected(among: list[RouteAdvertisement], cudn: JsonObject | None = None) -> bool:
    """Whether one of ``among`` selects a ClusterUserDefinedNetwork, or the default network."""
    if cudn is None:
        return any(each.selects_default for each in among)
    labels = labels_of(cudn)
    return any(each.selects(labels) for each in among)


RULE = Rule(
    id="OVNG-NET-053",
    kinds=(NODE,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Proposal'; ovn-kubernetes, RouteAdvertisements controller",
    message="a new node requires an FRRConfiguration for every no-overlay network with routing Unmanaged",
    hint=(
        "label the node so that the nodeSelector of an FRRConfiguration selects it, or create an "
        "FRRConfiguration for it"
    ),
    check=check,
    needs=(Need.ROUTE_ADVERTISEMENTS, Need.FRR_CONFIGURATIONS, Need.TRANSPORTS),
    operations=frozenset({"CREATE"}),
)
