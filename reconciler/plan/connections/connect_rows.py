"""Connections between networks: a connect router that has a link to the router of each network in every zone.

Policies on the networks' routers send packets for another network to the connect router, whose routes lead to that
network's router. A Layer3 network has a router in every zone, so the connect router has a port for each node; those of
other nodes are bound to their chassis, which makes it a transit router. The router of a Layer2 network is the same in
every zone and has one link. Its own tunnel key and those of all its ports are the same in every zone.

Services: one group of load balancers has those of all networks, and stands on the switch of each. Where networks reach
each other's services alone, ACLs on the switches drop packets to the pods of the others.

Source: OKEP-5224; ovn-kubernetes ``pkg/ovn/controller/networkconnect/topology.go``.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.plan.rows.model import ConnectedNetwork, Connection
from ovnguard.reconciler.plan.rows.names import CONNECT, Names, connect_router, service_group
from ovnguard.reconciler.plan.rows.northbound import new_row, of_table, refs
from ovnguard.reconciler.plan.rows.row import CONTROLLER_KEY, OWNER_TYPE, Column, Ref, Row
from ovnguard.reconciler.plan.topology.acls import FROM, Acl
from ovnguard.reconciler.plan.topology.address_sets import ClusterSet
from ovnguard.reconciler.plan.topology.common_rows import Owned, match_name, owner_ids, sorted_set
from ovnguard.reconciler.plan.topology.database_ids import NAME, database_ids
from ovnguard.validators.network.addresses.addressing import IPInterface, mac_of
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPAddress, IPNetwork, Topology

_CONTROLLER: Final = "ovnkube-network-connect-controller"
_TO_NETWORK: Final = 9001
_TO_SERVICES: Final = 500
_INSIDE: Final = 475
_TO_PODS: Final = 450


@dataclass(frozen=True, slots=True)
class ConnectZone:
    """One connection in the zone of ``node``; ``nodes`` are all nodes, ``active`` the networks with a router here."""

    connection: Connection
    node: Node
    nodes: Sequence[Node]
    active: Container[str]

    def is_active(self, member: ConnectedNetwork) -> bool:
        """Whether the network has a router in this zone."""
        return member.network.name in self.active

    def links(self, member: ConnectedNetwork) -> Iterator[tuple[Node | None, int]]:
        """The links that the connect router has here, with their numbers; None stands for all nodes."""
        if member.network.topology is Topology.LAYER2:
            if self.is_active(member):
                yield None, 0
            return
        for each in self.nodes:
            if each.node_id is not None and (each.name != self.node.name or self.is_active(member)):
                yield each, each.node_id

    def own_link(self, member: ConnectedNetwork) -> tuple[Node | None, int] | None:
        """The link to the network's router in this zone."""
        found = (each for each in self.links(member) if each[0] is None or each[0].name == self.node.name)
        return next(found, None) if self.is_active(member) else None


def connect_rows(zone: ConnectZone, balancers: Iterable[Ref], protection: Row) -> tuple[Row, ...]:
    """Return the rows of the connection that belong to no single network: the connect router, sets and groups.

    ``balancers`` are the load balancers of its networks' services, ``protection`` is the Copp row.
    """
    connection = zone.connection
    children = [
        row for member in connection.networks for row in (*_connect_ports(zone, member), *_routes(zone, member))
    ]
    columns: dict[str, Column] = {
        "name": connect_router(connection.name),
        "ports": of_table("Logical_Router_Port", children),
        "static_routes": of_table("Logical_Router_Static_Route", children),
        "copp": refs([protection]),
        "options": {"requested-tnl-key": str(connection.key)},
        "external_ids": {NAME: connection.name, CONTROLLER_KEY: _CONTROLLER, OWNER_TYPE: CONNECT},
    }
    rows = [*children, new_row("Logical_Router", columns)]
    if connection.services:
        group: dict[str, Column] = {
            "name": service_group(connection.name),
            "load_balancer": tuple(sorted(set(balancers))),
        }
        rows.append(new_row("Load_Balancer_Group", group))
    if connection.services and not connection.pods:
        rows += (
            _subnets_set(connection).row(version, _subnets(connection, version)) for version in _versions(connection)
        )
        if any(map(zone.is_active, connection.networks)):
            rows += _shared_acls(connection)
    return tuple(rows)


def router_rows(zone: ConnectZone, member: ConnectedNetwork) -> tuple[Row, ...]:
    """Return what the connection adds to the network's router in this zone: a port, and policies to the others."""
    link = zone.own_link(member)
    if link is None:
        return ()
    node, number = link
    pairs = member.link(number)
    if not pairs:
        return ()
    router = network_router(member)
    near, far = _port_names(zone.connection, member, node)
    ids = _port_ids(zone.connection, member, number, router) | owner_ids(member.network)
    columns = _port(far, [each for _, each in pairs]) | {"peer": (near,), "external_ids": ids}
    owned = Owned(router, owner_ids(member.network))
    return (new_row("Logical_Router_Port", columns), *_policies(zone, member, owned, [each.ip for each, _ in pairs]))


def switch_rows(zone: ConnectZone, member: ConnectedNetwork) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Return what the network's switch in this zone refers to: rows of the connection, then rows of the network."""
    connection = zone.connection
    if not connection.services or not zone.is_active(member):
        return (), ()
    group = new_row("Load_Balancer_Group", {"name": service_group(connection.name)})
    if connection.pods:
        return (group,), ()
    return (group, *_shared_acls(connection)), tuple(_inside(connection, member))


def network_router(member: ConnectedNetwork) -> str:
    """Return the name of the network's router."""
    names = Names(member.network.name)
    return names.transit_router if member.network.topology is Topology.LAYER2 else names.cluster_router


def _port_names(connection: Connection, member: ConnectedNetwork, node: Node | None) -> tuple[str, str]:
    """The names of the connect router's port and of the network's router's port."""
    link = member.network.name if node is None else f"{member.network.name}_{node.name}"
    return f"crtor-{connection.name}_{link}", f"rtocr-{link}_{connection.name}"


def _port(name: str, addresses: Sequence[IPInterface]) -> dict[str, Column]:
    return {"name": name, "mac": mac_of(addresses[0].ip), "networks": sorted_set(*addresses)}


def _port_ids(connection: Connection, member: ConnectedNetwork, number: int, router: str) -> dict[str, str]:
    numbers = {"network-id": str(member.network_id), "node-id": str(number)}
    return database_ids(_CONTROLLER, CONNECT, {NAME: connection.name, **numbers, "router-name": router})


def _connect_ports(zone: ConnectZone, member: ConnectedNetwork) -> Iterator[Row]:
    """The connect router's ports towards the network."""
    connection = zone.connection
    for node, number in zone.links(member):
        pairs = member.link(number)
        is_remote = node is not None and node.name != zone.node.name
        if not pairs or (is_remote and node is not None and not node.chassis_id):
            continue
        near, far = _port_names(connection, member, node)
        options = {"requested-tnl-key": str(member.first_key + number)}
        if node is not None and is_remote:
            options["requested-chassis"] = node.chassis_id
        columns = _port(near, [each for each, _ in pairs])
        columns |= {"peer": () if is_remote else (far,), "options": options}
        columns["external_ids"] = _port_ids(connection, member, number, connect_router(connection.name))
        yield new_row("Logical_Router_Port", columns)


def _routes(zone: ConnectZone, member: ConnectedNetwork) -> Iterator[Row]:
    """The connect router's routes to the network: to every node's subnets, also those without a router there."""
    router = Owned(connect_router(zone.connection.name), {})
    network = member.network
    if network.topology is Topology.LAYER2:
        whole = tuple(subnet.cidr for subnet in network.subnets)
        found = [(0, whole)] if zone.is_active(member) else []
    else:
        split = ((node.node_id, node.host_subnets.get(network.name, ())) for node in zone.nodes)
        found = [(number, subnets) for number, subnets in split if number is not None]
    for number, subnets in found:
        hops = {each.version: each.ip for _, each in member.link(number)}
        for subnet in subnets:
            if subnet.version in hops:
                numbers = {"network-id": str(member.network_id), "node-id": str(number)}
                parts = {NAME: zone.connection.name, **numbers, "ip-family": f"v{subnet.version}"}
                ids = database_ids(_CONTROLLER, CONNECT, parts)
                yield router.route(subnet, hops[subnet.version], extra=ids)


def _policies(zone: ConnectZone, member: ConnectedNetwork, router: Owned, hops: Sequence[IPAddress]) -> Iterator[Row]:
    """Policies on the network's router that send its pods' packets for the other networks to the connect router."""
    names = Names(member.network.name)
    is_layer2 = member.network.topology is Topology.LAYER2
    port = names.router_to_switch if is_layer2 else names.cluster_to_node(zone.node.name)
    by_version = {each.version: each for each in hops}
    for other in zone.connection.networks:
        for subnet in other.network.subnets if other.network_id != member.network_id else ():
            version = subnet.cidr.version
            if version in by_version:
                numbers = {"source-network-id": str(member.network_id), "destination-network-id": str(other.network_id)}
                parts = {NAME: zone.connection.name, **numbers, "ip-family": f"v{version}"}
                ids = database_ids(_CONTROLLER, CONNECT, {**parts, "router-name": router.router})
                match = f'inport == "{port}" && {match_name(version)}.dst == {subnet.cidr}'
                yield router.reroute(_TO_NETWORK, match, by_version[version], extra=ids)


def _versions(connection: Connection) -> Sequence[int]:
    """The IP families of the cluster, or those of the networks while the former are unknown."""
    own = {subnet.cidr.version for each in connection.networks for subnet in each.network.subnets}
    return connection.ip_versions or sorted(own)


def _subnets(connection: Connection, version: int) -> Iterator[IPNetwork]:
    subnets = (subnet.cidr for each in connection.networks for subnet in each.network.subnets)
    return (subnet for subnet in subnets if subnet.version == version)


def _subnets_set(connection: Connection) -> ClusterSet:
    """The subnets of all networks of a connection."""
    return ClusterSet(_CONTROLLER, CONNECT, connection.name)


def _shared_acls(connection: Connection) -> Iterator[Row]:
    """Packets to services pass, new connections to pods of the connected networks are dropped."""
    to = [f"{match_name(subnet.version)}.dst == {subnet}" for subnet in connection.service_subnets]
    if to:
        yield _acl(connection, "pass-service", _TO_SERVICES, f"({' || '.join(to)})", "pass")
    found = _subnets_set(connection)
    to = [f"{match_name(version)}.dst == ${found.at(version)}" for version in _versions(connection)]
    if to:
        match = f"({' || '.join(to)})" if len(to) > 1 else to[0]
        yield _acl(connection, "drop-pod", _TO_PODS, f"{match} && ct.new", "drop")


def _inside(connection: Connection, member: ConnectedNetwork) -> Iterator[Row]:
    """Packets inside of the network pass."""
    subnets = sorted((subnet.cidr for subnet in member.network.subnets), key=lambda each: each.version)
    match = " || ".join(f"{match_name(subnet.version)}.dst == {subnet}" for subnet in subnets)
    if match:
        yield _acl(
            connection, f"pass-same-network-{member.network_id}", _INSIDE, match, "pass", owner_ids(member.network)
        )


def _acl(
    connection: Connection, kind: str, priority: int, match: str, action: str, owner: dict[str, str] | None = None
) -> Row:
    ids = database_ids(_CONTROLLER, CONNECT, {NAME: connection.name, "type": kind})
    return Acl(FROM, priority, match, action).row(ids | (owner or {}))
