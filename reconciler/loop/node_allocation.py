"""Allocations of the leader: node ids, and the nodes' subnets of Layer3 networks.

A node that gets its id here never had a gateway router, so it begins with transit routers. Only then does the leader
record the topology: for other nodes it is the decision of their zone's controller.

All results follow from recorded values, so the next leader computes the same. In doubt nothing is allocated: while the
subnets of a node cannot be read, no node gets a new one, because that node may already have it.

Source: ovn-kubernetes ``pkg/clustermanager/node``; annotations ``k8s.ovn.org/node-id``, ``k8s.ovn.org/node-subnets``;
OKEP-5094, "Upgrade Strategy", for ``k8s.ovn.org/layer2-topology-version``.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reconciler.plan.allocation.host_subnets import host_subnets
from reconciler.plan.allocation.node_ids import node_ids
from reconciler.plan.model import Remark
from reconciler.plan.topology.layer2_addresses import TRANSIT_ROUTER_VERSION
from validators.base.json_types import JsonObject
from validators.network.declared.node import NODE_ID, NODE_SUBNETS, TOPOLOGY_VERSION, Node, node_of
from validators.network.model import IPNetwork, Network, Topology


@dataclass(frozen=True, slots=True)
class NodeAllocation:
    """``patches`` are merge patches of Nodes, by their index; ``shortages`` name nodes without a value, and why.

    ``doubts`` name what prevents the allocation of subnets.
    """

    patches: Mapping[int, JsonObject] = field(hash=False)
    shortages: tuple[Remark, ...] = ()
    doubts: tuple[Remark, ...] = ()


def allocate_nodes(
    objects: Sequence[JsonObject], networks: Iterable[Network], resting: Collection[int] = ()
) -> NodeAllocation:
    """Return the allocations for Nodes, in order of creation, and ``networks``; no node gets a ``resting`` id."""
    parsed = [node_of(obj) for obj in objects]
    nodes = [each.node for each in parsed if each.node is not None]
    unreadable = {
        (each.node.name, error.field): error for each in parsed if each.node is not None for error in each.errors
    }
    ids = node_ids(nodes, resting=resting)
    shortages = list(ids.errors)
    field_of_subnets, field_of_id = (f"metadata.annotations[{key}]" for key in (NODE_SUBNETS, NODE_ID))
    doubts = [
        Remark(f"no subnets are allocated to nodes: {error.field}: {error.detail}", node=name)
        for (name, where), error in unreadable.items()
        if where == field_of_subnets
    ]
    shares: dict[str, dict[str, tuple[IPNetwork, ...]]] = {}
    for network in networks if not doubts else ():
        if network.topology is Topology.LAYER3 and network.subnets:
            found = host_subnets(network, nodes)
            shortages += found.errors
            for name, subnets in found.subnets.items():
                shares.setdefault(name, {})[network.name] = subnets
    patches = {}
    for index, each in enumerate(parsed):
        if each.node is None:
            continue
        node = each.node
        number = None if (node.name, field_of_id) in unreadable else ids.numbers.get(node.name)
        annotations = _annotations(objects[index], node, number, shares.get(node.name, {}))
        if annotations:
            patches[index] = {"metadata": {"annotations": annotations}}
    return NodeAllocation(patches, tuple(shortages), tuple(doubts))


def _annotations(
    obj: JsonObject, node: Node, number: int | None, shares: Mapping[str, tuple[IPNetwork, ...]]
) -> dict[str, str]:
    """The annotations that the Node lacks; subnets of other networks stay as they are."""
    annotations = {}
    recorded = obj["metadata"].get("annotations") or {}
    if number is not None and number != node.node_id:
        annotations[NODE_ID] = str(number)
        if node.node_id is None and not node.router_port_keys and TOPOLOGY_VERSION not in recorded:
            annotations[TOPOLOGY_VERSION] = TRANSIT_ROUTER_VERSION
    new = {name: subnets for name, subnets in shares.items() if tuple(node.host_subnets.get(name, ())) != subnets}
    if new:
        whole = {
            **json.loads(recorded.get(NODE_SUBNETS) or "{}"),
            **{name: [str(each) for each in subnets] for name, subnets in new.items()},
        }
        annotations[NODE_SUBNETS] = json.dumps(whole, sort_keys=True, separators=(",", ":"))
    return annotations
