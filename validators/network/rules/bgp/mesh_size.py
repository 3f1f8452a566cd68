"""In a full mesh every node has a BGP session with every other one: sessions grow with the square of the nodes.

250 nodes make 31,125 sessions of each address family, and every new node changes the configuration of all others.
Larger clusters peer with route reflectors instead.

A new node has a BGP session with every other node of a full mesh, and all of them are configured again.

Sessions grow with the square of the nodes: above 250 nodes a cluster peers with route reflectors instead.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.cluster_facts import operator_facts
from ovnguard.validators.network.cluster.no_overlay import options_path
from ovnguard.validators.network.cluster_view import CUDN, NODE, OPERATOR_NETWORK
from ovnguard.validators.network.declared.node import node_of
from ovnguard.validators.network.declared.parse_operator import CONFIG
from ovnguard.validators.network.frr.full_mesh import has_fabric, mesh_text
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.bgp.fabric_asn import creates_fabric


def check_network(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning with the number of sessions."""
    ours = ctx.kind == OPERATOR_NETWORK
    bgp = operator_facts(ctx.object).choice.managed_bgp if ours else ctx.facts.managed_bgp
    field = f"{CONFIG}.bgpManagedConfig.bgpTopology" if ours else f"{options_path(ctx.object)}.routing"
    detail = mesh_text(ctx.facts.nodes or (), bgp)
    if detail:
        yield FieldError(ErrorType.INVALID, field, detail=detail)


_RULE_NETWORK = Rule(
    id="OVNG-NET-046",
    kinds=(OPERATOR_NETWORK, CUDN),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'QE Testing' and 'Graduation Criteria'",
    message="a full mesh of more than 250 nodes has too many BGP sessions",
    hint="use bgpTopology routeReflector (feature gate RouteReflector), or routing Unmanaged and reflectors",
    applies=creates_fabric,
    check=check_network,
    needs=(Need.NODES,),
)


def check_node(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning with the resulting number of sessions."""
    node = node_of(ctx.object).node
    if node is None or not has_fabric(ctx.inventory):
        return
    others = [each for each in ctx.facts.nodes or () if each.name != node.name]
    detail = mesh_text([*others, node], ctx.facts.managed_bgp)
    if detail:
        yield FieldError(ErrorType.INVALID, "metadata.name", node.name, detail)


_RULE_NODE = Rule(
    id="OVNG-NET-052",
    kinds=(NODE,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'QE Testing' and 'Graduation Criteria'",
    message="a node should not join a full mesh of 250 nodes or more",
    hint="use bgpTopology routeReflector (feature gate RouteReflector), or routing Unmanaged and reflectors",
    check=check_node,
    needs=(Need.NODES, Need.TRANSPORTS),
    operations=frozenset({"CREATE"}),
)


RULES = (_RULE_NETWORK, _RULE_NODE)
