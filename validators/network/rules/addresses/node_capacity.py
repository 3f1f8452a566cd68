"""A new node needs a subnet of every Layer3 network, and addresses in the join and transit subnets of every primary
network.

Where a network has no room left, its pods do not start on the node; upstream reports that on the network, not on the
node.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.addresses.addressing import MAX_NODE_ID, MIN_NODE_ID
from ovnguard.validators.network.cluster.node_index import highest_id, rooms
from ovnguard.validators.network.cluster_view import NODE
from ovnguard.validators.network.declared.node import node_of
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity

_MOST_NODES = MAX_NODE_ID - MIN_NODE_ID + 1


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning for each kind of exhausted range, with the networks concerned."""
    node = node_of(ctx.object).node
    if node is None:
        return
    nodes = sum(each.name != node.name for each in ctx.facts.nodes or ()) + 1
    number, room = highest_id(node, nodes), rooms(ctx.inventory)
    found = []
    if nodes > _MOST_NODES:
        found.append(f"there are node ids for {_MOST_NODES} nodes, and it is number {nodes}")
    if names := room.shares.below(nodes):
        found.append(f"networks with node subnets for fewer than {nodes} nodes: {shortlist(names)}")
    if names := room.joins.below(number):
        found.append(f"networks without a join address for node id {number}: {shortlist(names)}")
    if names := room.transits.below(number):
        found.append(f"networks without transit addresses for node id {number}: {shortlist(names)}")
    for detail in found:
        yield FieldError(ErrorType.INVALID, "metadata.name", node.name, detail)


RULE = Rule(
    id="OVNG-L2-028",
    kinds=(NODE,),
    severity=Severity.WARNING,
    design="ovn-kubernetes, allocation of node subnets and node ids; OKEP-5094, 'Transit router'",
    message="every network should have capacity for a new node",
    hint="add subnets to Layer3 networks; create other networks again with larger subnets",
    check=check,
    needs=(Need.NODES, Need.NETWORKS),
    operations=frozenset({"CREATE"}),
)
