"""The nodes that can be planned: those whose own zone can be planned, and those that other nodes can link to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ovnguard.reconciler.plan.rows.model import ActiveNodes, Remark
from ovnguard.validators.network.declared.node import CHASSIS_ID, GATEWAY_CONFIG, NODE_ID, Node
from ovnguard.validators.network.model import IPAddress


@dataclass(frozen=True, slots=True)
class PlannableNodes:
    """``zones``: nodes whose zone can be planned. ``peers``: nodes that others can link to. Both by name."""

    zones: tuple[Node, ...]
    peers: tuple[Node, ...]
    notes: tuple[Remark, ...]
    errors: tuple[Remark, ...]
    # A network has rows on few of many nodes.
    _zones: Mapping[str, Node]
    _peers: Mapping[str, Node]

    def linked(self, active: ActiveNodes | None) -> tuple[Node, ...]:
        """Return the ``peers`` on which a network has rows, all without ``active`` nodes: no zone links to others."""
        return self.peers if active is None else _having_rows(self._peers, active)

    def wanted_zones(self, active: ActiveNodes | None) -> tuple[Node, ...]:
        """Return the ``zones`` in which a network has rows, all without ``active`` nodes."""
        return self.zones if active is None else _having_rows(self._zones, active)


def _having_rows(nodes: Mapping[str, Node], active: ActiveNodes) -> tuple[Node, ...]:
    return tuple(nodes[name] for name in sorted(active.nodes | active.grace) if name in nodes)


def plannable_nodes(nodes: Sequence[Node], *, needs_gateway: bool) -> PlannableNodes:
    """Return the plannable nodes among ``nodes``, which are in order of creation.

    Every zone needs a node id; with ``needs_gateway`` also a chassis and a gateway. Of two nodes with the same name, id
    or chassis the later one is an error and is ignored.
    """
    notes: list[Remark] = []
    errors: list[Remark] = []
    unique = sorted(_unique(nodes, errors), key=lambda node: node.name)
    zones = []
    for node in unique:
        missing = _missing(node, needs_gateway)
        if missing:
            notes.append(Remark(f"waiting for {missing}", node=node.name))
        else:
            zones.append(node)
    peers = tuple(node for node in unique if node.node_id is not None and node.chassis_id)
    by_name = ({node.name: node for node in zones}, {node.name: node for node in peers})
    return PlannableNodes(tuple(zones), peers, tuple(notes), tuple(errors), *by_name)


def _missing(node: Node, needs_gateway: bool) -> str:
    """The first missing annotation that the node's own zone needs."""
    if node.node_id is None:
        return NODE_ID
    if needs_gateway and not node.chassis_id:
        return CHASSIS_ID
    if needs_gateway and node.gateway is None:
        return GATEWAY_CONFIG
    return ""


def _unique(nodes: Sequence[Node], errors: list[Remark]) -> list[Node]:
    holders: dict[tuple[str, object], str] = {}
    unique = []
    for node in nodes:
        claims = [("metadata.name", node.name), (NODE_ID, node.node_id), (CHASSIS_ID, node.chassis_id or None)]
        held = [claim for claim in claims if claim[1] is not None]
        taken = next((claim for claim in held if claim in holders), None)
        if taken is not None:
            text = f"{taken[0]} {taken[1]} is already held by node {holders[taken]}"
            if holders[taken] == node.name:
                text = "there are two nodes of this name"
            errors.append(Remark(text, node=node.name))
            continue
        holders.update(dict.fromkeys(held, node.name))
        unique.append(node)
    return unique


@dataclass(slots=True)
class Waiting:
    """Networks that cannot be planned on some nodes now, collected while a plan is made."""

    notes: list[Remark] = field(default_factory=list)
    _networks: dict[str, set[str]] = field(default_factory=dict)

    def add(self, node: str, network: str) -> None:
        """Note that ``network`` is not planned in the zone of ``node``."""
        self._networks.setdefault(node, set()).add(network)

    @property
    def by_node(self) -> Mapping[str, frozenset[str]]:
        """The networks, by node."""
        return {node: frozenset(networks) for node, networks in self._networks.items()}


def counted(remarks: Sequence[Remark]) -> list[Remark]:
    """Return the first of ``remarks``, all about nodes of one network, with the number of the others."""
    if len(remarks) < 2:
        return list(remarks)
    return [replace(remarks[0], text=f"{remarks[0].text} (and {len(remarks) - 1} more)")]


def addresses_of(nodes: Sequence[Node]) -> Mapping[int, tuple[IPAddress, ...]]:
    """Return all addresses of all nodes, sorted, by IP version."""
    found = {address for node in nodes for address in node.own_addresses}
    return {version: tuple(sorted((each for each in found if each.version == version), key=int)) for version in (4, 6)}
