"""A new node has a BGP session with every other node of a full mesh, and all of them are configured anew.

Sessions grow with the square of the nodes: above 250 nodes a cluster peers with route reflectors instead.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster_view import NODE
from validators.network.declared.network_of import group_kind_of
from validators.network.declared.node import node_of
from validators.network.frr.full_mesh import has_fabric, mesh_text
from validators.network.rules.base import Context, Need, Rule, Severity


def applies(ctx: Context) -> bool:
    """Nodes that are about to join."""
    return group_kind_of(ctx.object) == NODE


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning with the number of sessions that there will be."""
    node = node_of(ctx.object).node
    if node is None or not has_fabric(ctx.inventory):
        return
    others = [each for each in ctx.facts.nodes or () if each.name != node.name]
    detail = mesh_text([*others, node], ctx.facts.managed_bgp)
    if detail:
        yield FieldError(ErrorType.INVALID, "metadata.name", node.name, detail)


RULE = Rule(
    id="OVNG-NET-052",
    kinds=(NODE,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'QE Testing' and 'Graduation Criteria'",
    message="a node should not join a full mesh of 250 nodes or more",
    hint="use bgpTopology routeReflector (feature gate RouteReflector), or routing Unmanaged and reflectors",
    applies=applies,
    check=check,
    needs=(Need.NODES, Need.TRANSPORTS),
    operations=frozenset({"CREATE"}),
)
