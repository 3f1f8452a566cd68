"""A node loses its routes with the last FRRConfiguration that a RouteAdvertisements selects for it.

Pods of no-overlay networks on that node lose contact with other nodes until another FRRConfiguration replaces it.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.cluster_facts import known_operator
from ovnguard.validators.network.cluster.no_overlay import no_overlay_cudns
from ovnguard.validators.network.cluster.route_advertisements import RouteAdvertisement, route_advertisements
from ovnguard.validators.network.cluster_view import FRR_CONFIGURATION
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.frr.advertised_nodes import chosen_parts, named
from ovnguard.validators.network.frr.frr_merge import frr_index
from ovnguard.validators.network.frr.frr_model import FrrPart
from ovnguard.validators.network.frr.frr_parse import frr_part
from ovnguard.validators.network.list_text import counted
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.selectors import labels_of, matches


def applies(ctx: RuleContext) -> bool:
    """Deletions and updates of FRRConfigurations, except by the cluster manager, which restores its own."""
    return ctx.old is not None and not ctx.by_cluster_manager


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning for each RouteAdvertisements of a no-overlay network that loses nodes."""
    if ctx.old is None:
        return
    before = frr_part(ctx.old)
    after = None if ctx.operation == "DELETE" else frr_part(ctx.object)
    for advertisement in route_advertisements(ctx.inventory):
        if not _is_needed(ctx, advertisement):
            continue
        lost = [node.name for node in ctx.facts.nodes or () if _loses(ctx, advertisement, node, before, after)]
        if lost:
            text = "finds no other FRRConfiguration for"
            yield FieldError(
                ErrorType.INVALID,
                "metadata.name",
                before.origin.rpartition("/")[2],
                f"RouteAdvertisements {advertisement.name} {text} {named('node', lost)}",
                public=f"1 RouteAdvertisements {text} {counted(len(lost), 'node')}",
            )


def _is_needed(ctx: RuleContext, advertisement: RouteAdvertisement) -> bool:
    """Whether it advertises the pods of a network without an overlay."""
    if not advertisement.pod_network:
        return False
    operator = known_operator(ctx.inventory)
    if advertisement.selects_default and operator is not None and operator.no_overlay:
        return True
    return any(advertisement.selects(labels_of(obj)) for obj in no_overlay_cudns(ctx.inventory))


def _loses(
    ctx: RuleContext, advertisement: RouteAdvertisement, node: Node, before: FrrPart, after: FrrPart | None
) -> bool:
    if not _serves(advertisement, node, before) or (after is not None and _serves(advertisement, node, after)):
        return False
    chosen = chosen_parts(advertisement, node, frr_index(ctx.inventory))
    return all(part.origin == before.origin for part in chosen)


def _serves(advertisement: RouteAdvertisement, node: Node, part: FrrPart) -> bool:
    return matches(part.node_selector, node.labels) and matches(advertisement.frr_selector, part.labels)


RULE = Rule(
    id="OVNG-NET-048",
    kinds=(FRR_CONFIGURATION,),
    severity=Severity.WARNING,
    design="ovn-kubernetes, RouteAdvertisements controller; OpenShift enhancement no-overlay-mode, 'Proposal'",
    message="do not delete the last FRRConfiguration of a no-overlay network on a node",
    hint="first create another FRRConfiguration for the nodes that the RouteAdvertisements selects",
    applies=applies,
    check=check,
    needs=(Need.NODES, Need.ROUTE_ADVERTISEMENTS, Need.TRANSPORTS),
    ratchets=False,
    operations=frozenset({"UPDATE", "DELETE"}),
)
