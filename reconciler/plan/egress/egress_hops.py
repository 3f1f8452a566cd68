"""Egress addresses that OVN translates: those in the network of a node's bridge.

An address in the network of another host interface leaves through the node's own routing, which no plan contains.

Source: ovn-kubernetes ``pkg/util/node_annotations.go``: ``IsOVNNetwork``, ``GetSecondaryHostNetworkContainingIP``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ovnguard.reconciler.plan.rows.model import EgressAssignment, Remark
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPAddress


def on_bridges(
    assignments: Sequence[EgressAssignment], nodes: Iterable[Node]
) -> tuple[tuple[EgressAssignment, ...], tuple[Remark, ...]]:
    """Return ``assignments`` without addresses on other interfaces than the nodes' bridges, and notes about those."""
    known = {node.name: node for node in nodes} if assignments else {}
    kept, notes = [], []
    for assignment in assignments:
        other = [
            each for each in assignment.hops if each.node in known and _is_elsewhere(known[each.node], each.address)
        ]
        for hop in other:
            text = f"EgressIP {assignment.name}: {hop.address} is on another interface than the bridge"
            notes.append(Remark(f"{text}, so the node itself has to route and translate", node=hop.node))
        hops = tuple(hop for hop in assignment.hops if hop not in other)
        kept.append(replace(assignment, hops=hops) if other else assignment)
    return tuple(kept), tuple(dict.fromkeys(notes))


def _is_elsewhere(node: Node, address: IPAddress) -> bool:
    """Whether ``address`` is in the network of a host interface, but not in the bridge's.

    An address in no known network is on the bridge: a cloud assigns from a subnet that the node does not see.
    """
    bridge = {each.network for each in (*node.primary_addresses, *(node.gateway.addresses if node.gateway else ()))}
    others = {each.network for each in node.host_cidrs} - bridge
    return not any(address in each for each in bridge) and any(address in each for each in others)
