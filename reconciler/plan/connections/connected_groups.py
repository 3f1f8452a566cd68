"""Connections in the row groups of a zone: their own rows among the shared ones, and what they add to networks.

A network that waits in a zone keeps its rows there, so the connect router keeps its link to it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType

from ovnguard.reconciler.plan.connections.connect_rows import (
    ConnectZone,
    connect_rows,
    network_router,
    router_rows,
    switch_rows,
)
from ovnguard.reconciler.plan.inputs.plannable_nodes import counted
from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.rows.model import ConnectedNetwork, Connection, Remark
from ovnguard.reconciler.plan.rows.names import CONNECT, Names
from ovnguard.reconciler.plan.rows.northbound import of_table
from ovnguard.reconciler.plan.rows.row import Column, Ref, Row, row_uuid
from ovnguard.reconciler.plan.rows.row_groups import SHARED
from ovnguard.reconciler.plan.topology.layer3_networks import ClusterContext
from ovnguard.reconciler.plan.topology.pod_ports import pod_switch
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network, Topology

_Groups = Mapping[str, tuple[Row, ...]]


@dataclass(slots=True)
class _Added:
    """What connections add to one network: rows, and on its router and its switch references to rows."""

    rows: list[Row] = field(default_factory=list)
    router: list[Row] = field(default_factory=list)
    switch: list[Row] = field(default_factory=list)


def with_connections(
    groups: _Groups,
    node: Node,
    nodes: Sequence[Node],
    networks: Iterable[Network],
    ids: Mapping[str, NetworkIds],
    cluster: ClusterContext,
    memo: Memo,
) -> _Groups:
    """Return the row groups of a node's zone, with the connections in the settings; ``nodes`` are all nodes."""
    shared = groups.get(SHARED)
    connections = cluster.settings.connections
    if not connections or shared is None:
        return groups
    protection = next(row for row in shared if row.table == "Copp")
    added: dict[str, _Added] = {}
    own: list[Row] = []
    for connection in connections:
        zone = ConnectZone(connection, node, nodes, _active(connection, node, groups, cluster))
        balancers = (ref for each in connection.networks for ref in _balancers(each.network, groups))
        own += connect_rows(zone, balancers, protection)
        for member in connection.networks:
            _add(zone, member, added.setdefault(member.network.name, _Added()))
    whole = {**groups, SHARED: (*shared, *own)}
    for network in networks:
        rows, more = groups.get(network.name), added.get(network.name)
        if rows is not None and more is not None:
            make = partial(_joined, rows, network, node, more)
            kind, inputs = f"connections of {node.name}", (rows, *more.rows, *more.router, *more.switch)
            whole[network.name] = memo.of(kind, network, ids[network.name], make, inputs)
    return whole


def beyond_subnets(connections: Iterable[Connection], nodes: Sequence[Node]) -> list[Remark]:
    """Return errors for the nodes that connected networks have no link for, because their subnets are too small."""
    return [
        remark
        for connection in connections
        for each in connection.networks
        if each.network.topology is Topology.LAYER3
        for remark in counted(_beyond(connection, each, nodes))
    ]


def _beyond(connection: Connection, member: ConnectedNetwork, nodes: Sequence[Node]) -> list[Remark]:
    about = f"{CONNECT} {connection.name}: node id"
    return [
        Remark(f"{about} {node.node_id} is beyond {member.subnets[0]}", member.network.name, node.name)
        for node in nodes
        if node.node_id is not None and not member.link(node.node_id)
    ]


def _active(connection: Connection, node: Node, groups: _Groups, cluster: ClusterContext) -> frozenset[str]:
    """The networks that have a router in the zone; that of an earlier topology is none that can be connected."""
    found = set()
    for member in connection.networks:
        rows = groups.get(member.network.name)
        router = row_uuid("Logical_Router", network_router(member))
        if cluster.has_rows(member.network.name, node.name) and (
            rows is None or any(row.uuid == router for row in rows)
        ):
            found.add(member.network.name)
    return frozenset(found)


def _balancers(network: Network, groups: _Groups) -> Iterable[Ref]:
    """The load balancers that stand on all switches and routers of a network."""
    group = row_uuid("Load_Balancer_Group", Names(network.name).load_balancer_group)
    row = next((row for row in groups.get(network.name, ()) if row.uuid == group), None)
    held = row.columns["load_balancer"] if row is not None else ()
    return (each for each in held if isinstance(each, Ref)) if isinstance(held, tuple) else ()


def _add(zone: ConnectZone, member: ConnectedNetwork, added: _Added) -> None:
    on_router = router_rows(zone, member)
    of_connection, of_network = switch_rows(zone, member)
    added.rows += (*on_router, *of_network)
    added.router += on_router
    added.switch += (*of_connection, *of_network)


def _joined(rows: tuple[Row, ...], network: Network, node: Node, added: _Added) -> tuple[Row, ...]:
    """The rows of a network, with what connections add."""
    names = Names(network.name)
    router = names.transit_router if network.topology is Topology.LAYER2 else names.cluster_router
    more = {
        row_uuid("Logical_Router", router): (
            added.router,
            {"ports": "Logical_Router_Port", "policies": "Logical_Router_Policy"},
        ),
        row_uuid("Logical_Switch", pod_switch(network, node.name)): (
            added.switch,
            {"load_balancer_group": "Load_Balancer_Group", "acls": "ACL"},
        ),
    }
    return (*added.rows, *(_with(row, *more[row.uuid]) if row.uuid in more else row for row in rows))


def _with(row: Row, further: Sequence[Row], tables: Mapping[str, str]) -> Row:
    """The row, which also refers to ``further`` rows: in each column to those of one table."""
    columns: dict[str, Column] = dict(row.columns)
    for column, table in tables.items():
        held = columns[column]
        refs = (each for each in held if isinstance(each, Ref)) if isinstance(held, tuple) else ()
        columns[column] = tuple(sorted({*refs, *of_table(table, further)}))
    return replace(row, columns=MappingProxyType(columns))
