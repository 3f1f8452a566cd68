"""A node's id determines its join and transit addresses and its tunnel keys; its chassis determines its tunnels.

Two nodes with the same id or chassis receive each other's traffic.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.node_index import node_index, numbers_of
from ovnguard.validators.network.cluster_view import NODE
from ovnguard.validators.network.declared.node import node_of
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Nodes with a recorded id or chassis."""
    node = node_of(ctx.object).node
    return node is not None and any(numbers_of(node))


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each value that another node has."""
    node = node_of(ctx.object).node
    if node is None:
        return
    known = node_index(ctx.inventory).numbers
    for number in numbers_of(node):
        holder = next((name for name in known.get(number, ()) if name != node.name), "")
        if holder:
            detail = f"{number[0]} {number[1]} is already held by node {holder}"
            yield FieldError(ErrorType.INVALID, f"metadata.annotations[{number[0]}]", number[1], detail)


RULE = Rule(
    id="OVNG-L2-025",
    kinds=(NODE,),
    severity=Severity.ERROR,
    design="OKEP-5094, 'Transit router'; ovn-kubernetes, node ids of the cluster manager",
    message="a node id and a chassis must belong to one node",
    hint="remove the annotation from the copied node: the cluster manager allocates a free id",
    applies=applies,
    check=check,
    needs=(Need.NODES,),
    subresources=frozenset({"", "status"}),
)
