"""Allocations of the leader: node ids, and the nodes' subnets of Layer3 networks.

A node that gets its id here never had a gateway router, so it begins with transit routers. Only then does the leader
record the topology: for other nodes it is the decision of their zone's controller. It does so in a write of its own,
before the numbers: OVNG-L2-024 concerns a Node as soon as it has some, and a refusal must not cost the numbers.

All results follow from recorded values, so the next leader computes the same. In doubt nothing is allocated: while the
subnets of a node cannot be read, no node gets a new one, because that node may already have it.

Source: ovn-kubernetes ``pkg/clustermanager/node``; annotations ``k8s.ovn.org/node-id``, ``k8s.ovn.org/node-subnets``;
OKEP-5094, "Upgrade Strategy", for ``k8s.ovn.org/layer2-topology-version``.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ovnguard.reconciler.apply.retention import kind_of
from ovnguard.reconciler.plan.numbers.host_subnets import host_subnets
from ovnguard.reconciler.plan.numbers.layer2_addresses import TRANSIT_ROUTER_VERSION
from ovnguard.reconciler.plan.numbers.node_ids import node_ids
from ovnguard.reconciler.plan.rows.model import ActiveNodes, Remark
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import CUDN, UDN
from ovnguard.validators.network.declared.node import NODE_ID, NODE_SUBNETS, TOPOLOGY_VERSION, Node, ParsedNode
from ovnguard.validators.network.model import IPNetwork, Network, Topology


@dataclass(frozen=True, slots=True)
class NodeAllocation:
    """``patches`` are merge patches of Nodes, by their index, in order: a refused one does not prevent the next.

    ``shortages`` name nodes without a value, and why. ``doubts`` name what prevents the allocation of subnets.
    """

    patches: Mapping[int, tuple[JsonObject, ...]] = field(hash=False)
    shortages: tuple[Remark, ...] = ()
    doubts: tuple[Remark, ...] = ()


def allocate_nodes(
    objects: Sequence[JsonObject],
    parsed: Sequence[ParsedNode],
    networks: Iterable[Network],
    resting: Collection[int] = (),
    active: Mapping[str, ActiveNodes] = MappingProxyType({}),
    declared: Collection[str] | None = None,
    *,
    layer2_legacy: bool = True,
) -> NodeAllocation:
    """Return the allocations for Nodes, in order of creation, and ``networks``; no node gets a ``resting`` id.

    ``parsed`` is what ``objects`` describe.

    ``active`` are the nodes of networks that are not rendered on all: only nodes that use one get subnets of it, and
    others give theirs back after their grace. ``declared`` are the names of all networks, None while one may be
    unknown: subnets of (Cluster)UserDefinedNetworks that are not among them are given back, too. Without
    ``layer2_legacy`` no node needs the annotation of its topology.
    """
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
    freed = {node.name: _undeclared(node, declared) for node in nodes if declared is not None}
    shares = _shares(() if doubts else networks, nodes, active, freed, shortages)
    patches = {}
    for index, each in enumerate(parsed):
        if each.node is None:
            continue
        node = each.node
        number = None if (node.name, field_of_id) in unreadable else ids.numbers.get(node.name)
        shared, gone = shares.get(node.name, {}), freed.get(node.name, set())
        topology = _topology(objects[index], node, number) if layer2_legacy else {}
        writes = (topology, _annotations(objects[index], node, number, shared, gone))
        if found := tuple({"metadata": {"annotations": each}} for each in writes if each):
            patches[index] = found
    return NodeAllocation(patches, tuple(shortages), tuple(doubts))


def _shares(
    networks: Iterable[Network],
    nodes: Sequence[Node],
    active: Mapping[str, ActiveNodes],
    freed: dict[str, set[str]],
    shortages: list[Remark],
) -> Mapping[str, Mapping[str, tuple[IPNetwork, ...]]]:
    """Subnets of Layer3 networks by node and network. Adds to ``freed`` what nodes give back, and to ``shortages``."""
    shares: dict[str, dict[str, tuple[IPNetwork, ...]]] = {}
    for network in networks:
        if network.topology is not Topology.LAYER3 or not network.subnets:
            continue
        users = active.get(network.name)
        found = host_subnets(network, nodes, None if users is None else users.nodes)
        shortages += found.errors
        # What is given back now is free only when that is recorded: until then two nodes would have it.
        for node in nodes:
            if users is not None and network.name in node.host_subnets and not users.has_rows(node.name):
                freed.setdefault(node.name, set()).add(network.name)
        for name, subnets in found.subnets.items():
            if network.name not in freed.get(name, ()):
                shares.setdefault(name, {})[network.name] = subnets
    return shares


def _undeclared(node: Node, declared: Collection[str]) -> set[str]:
    """Networks with subnets of the node whose (Cluster)UserDefinedNetwork is deleted; others may have any owner."""
    return {name for name in node.host_subnets if name not in declared and kind_of(name) in (CUDN, UDN)}


def _topology(obj: JsonObject, node: Node, number: int | None) -> dict[str, str]:
    """The annotation of a node that begins with transit routers."""
    recorded = obj["metadata"].get("annotations") or {}
    is_new = number is not None and node.node_id is None and not node.router_port_keys
    return {TOPOLOGY_VERSION: TRANSIT_ROUTER_VERSION} if is_new and TOPOLOGY_VERSION not in recorded else {}


def _annotations(
    obj: JsonObject,
    node: Node,
    number: int | None,
    shares: Mapping[str, tuple[IPNetwork, ...]],
    freed: Collection[str],
) -> dict[str, str]:
    """The numbers that the Node lacks, without subnets of ``freed`` networks; those of others stay as they are."""
    annotations = {}
    recorded = obj["metadata"].get("annotations") or {}
    if number is not None and number != node.node_id:
        annotations[NODE_ID] = str(number)
    new = {name: subnets for name, subnets in shares.items() if tuple(node.host_subnets.get(name, ())) != subnets}
    if new or freed:
        whole = {
            **json.loads(recorded.get(NODE_SUBNETS) or "{}"),
            **{name: [str(each) for each in subnets] for name, subnets in new.items()},
        }
        whole = {name: subnets for name, subnets in whole.items() if name not in freed}
        annotations[NODE_SUBNETS] = json.dumps(whole, sort_keys=True, separators=(",", ":"))
    return annotations
