"""A node's gateway router for any network, and the switch that connects it to the node's bridge.

Source: ovn-kubernetes ``gateway.go``; OKEP-5094, "NAT configuration" and "Static Routes and Logical Router Policies".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.rows.names import PHYSICAL_NETWORK, Names
from ovnguard.reconciler.plan.rows.northbound import new_row, of_table, refs
from ovnguard.reconciler.plan.rows.row import CONTROLLER_KEY, Column, Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.common_rows import Owned, network_ids, role_ids, sorted_set
from ovnguard.validators.network.addresses.addressing import (
    MASQUERADE_HOST,
    MASQUERADE_NEXT_HOP,
    AddressError,
    IPInterface,
    interface,
    mac_of,
    masquerade_pair,
)
from ovnguard.validators.network.declared.node import Node, NodeGateway
from ovnguard.validators.network.model import IPAddress, IPNetwork, Network, Transport

_ANY: Final = {4: "0.0.0.0/0", 6: "::/0"}
_MASQUERADE_KEY: Final = "k8s.ovn.org/node-masquerade-subnet"
ROUTE_IMPORT: Final = "RouteImport"


@dataclass(frozen=True, slots=True)
class EdgeFamily:
    """One IP family of a gateway router. ``own`` is the network's masquerade address; the default network has none.

    ``next_hop`` and ``host`` are fixed masquerade addresses: the dummy next hop of the masquerade subnet, and the
    node as pods' replies see it.
    """

    version: int
    masquerade_subnet: IPNetwork
    own: IPAddress | None
    next_hop: IPAddress
    host: IPAddress


def edge_families(own: Iterable[EdgeFamily], ids: NetworkIds, settings: Settings) -> tuple[EdgeFamily, ...]:
    """Return the families of a user-defined network's gateway routers: ``own``, and the others of the cluster.

    Gateway routers of an IPv4 network have IPv6 addresses too where the cluster has IPv6.
    """
    found = {family.version: family for family in own}
    for masquerade in settings.masquerade_subnets:
        pair = masquerade_pair(masquerade, ids.network_id)
        if masquerade.version in settings.ip_versions and not isinstance(pair, AddressError):
            base = masquerade.network_address
            hop, host = base + MASQUERADE_NEXT_HOP, base + MASQUERADE_HOST
            other = EdgeFamily(masquerade.version, masquerade, pair.gateway_router.ip, hop, host)
            found.setdefault(masquerade.version, other)
    return tuple(found[version] for version in sorted(found))


@dataclass(frozen=True, slots=True)
class Edge:
    """One network's gateway router on one node. ``lb_source`` is the source address of load-balanced traffic."""

    network: Network
    names: Names
    node: Node
    gateway: NodeGateway
    settings: Settings
    families: tuple[EdgeFamily, ...]
    lb_source: str

    @property
    def router(self) -> Owned:
        """Creates the rows of the gateway router."""
        return Owned(self.names.gateway_router(self.node.name), network_ids(self.network))

    @property
    def mtu(self) -> dict[str, str]:
        """The option that limits packets towards the gateway to the default network's MTU."""
        return gateway_mtu(self.node, self.settings)

    def outside(self, version: int) -> IPAddress | None:
        """The router's address on the node's bridge: the network's masquerade address, else the node's own."""
        own = next((family.own for family in self.families if family.version == version), None)
        return own or next((each.ip for each in self.gateway.addresses if each.version == version), None)


def join_snat(edge: Edge, joins: Iterable[IPInterface]) -> Iterable[Row]:
    """Return the source NAT of ICMP errors from the join port, which need an externally reachable address."""
    for join in joins:
        outside = edge.outside(join.version)
        if outside is not None:
            yield edge.router.snat(outside, join.ip, edge.settings.snat_ports)


def gateway_mtu(node: Node, settings: Settings) -> dict[str, str]:
    """Return the option that limits packets towards a gateway to the default network's MTU."""
    limited = node.gateway_mtu_support and settings.default_mtu is not None
    return {"gateway_mtu": str(settings.default_mtu)} if limited else {}


def gateway_rows(edge: Edge, inside: Iterable[Row], groups: Iterable[Row], protection: Row) -> tuple[Row, ...]:
    """Return the gateway router with all rows on it, and the external switch.

    ``inside`` are the rows that lead to the network: ports, routes, source NAT, policies. ``groups`` are two load
    balancer groups, of which the second receives services only when the node serves node ports. ``protection`` is the
    Copp row.
    """
    cluster, routers = groups
    taken = (cluster, routers) if edge.gateway.node_port else (cluster,)
    children = (*inside, _external_port(edge), *_routes(edge))
    ids = role_ids(edge.network) | _physical_ips(edge)
    columns: dict[str, Column] = {
        "name": edge.router.router,
        "ports": of_table("Logical_Router_Port", children),
        "static_routes": of_table("Logical_Router_Static_Route", children),
        "policies": of_table("Logical_Router_Policy", children),
        "nat": of_table("NAT", children),
        "load_balancer_group": refs(taken),
        "copp": refs([protection]),
        "options": _options(edge),
        "external_ids": ids,
    }
    return (*children, new_row("Logical_Router", columns), *_external_switch(edge), *_static_macs(edge))


def _options(edge: Edge) -> dict[str, str]:
    """Options of the router. Only the default network shares the connection tracking zone of the host."""
    own = {"snat-ct-zone": "0"} if edge.network.is_default else {"disable_garp_rarp": "true"}
    return own | {
        "chassis": edge.node.chassis_id,
        "always_learn_from_arp_request": "false",
        "dynamic_neigh_routers": "false",
        "mac_binding_age_threshold": "300",
        "lb_force_snat_ip": edge.lb_source,
    }


def _physical_ips(edge: Edge) -> dict[str, str]:
    addresses: list[IPAddress] = [each.ip for each in edge.gateway.addresses]
    addresses += [family.own for family in edge.families if family.own is not None]
    return {"physical_ip": str(addresses[0]), "physical_ips": ",".join(str(address) for address in addresses)}


def _external_port(edge: Edge) -> Row:
    """The port towards the bridge, with the node's own MAC and addresses.

    Masquerade addresses are host addresses there: with the subnet's prefix length they would create connected routes
    that override the static ones.
    """
    own = (family.own for family in edge.families if family.own is not None)
    hosts = (interface(address, address.max_prefixlen) for address in own)
    physical = {"gateway-physical-ip": "yes"} if edge.network.is_default else {}
    columns: dict[str, Column] = {
        "name": edge.names.gateway_to_external(edge.node.name),
        "mac": edge.gateway.mac,
        "networks": sorted_set(*edge.gateway.addresses, *hosts),
        "external_ids": network_ids(edge.network) | physical,
    }
    return new_row("Logical_Router_Port", columns)


def _routes(edge: Edge) -> Iterable[Row]:
    """Routes to the outside: the host behind the masquerade subnet, BGP routes, and the default route."""
    router, port = edge.router, edge.names.gateway_to_external(edge.node.name)
    masquerade = {_MASQUERADE_KEY: ""} if edge.network.is_default else None
    for family in edge.families:
        yield router.route(family.masquerade_subnet, family.next_hop, port=port, extra=masquerade)
    yield from _imported(edge, port)
    own = {each.version for each in edge.gateway.addresses}
    # upstream looks up default routes by prefix and port, so the last of several next hops remains
    last = {hop.version: hop for hop in edge.gateway.next_hops if hop.version in own}
    for hop in last.values():
        yield router.route(_everything(hop), hop, port=port)


def _imported(edge: Edge, port: str) -> Iterable[Row]:
    """BGP routes of this node; several next hops share the traffic. Routes to pods behind tunnels are excluded."""
    tunneled = () if edge.network.transport is Transport.NO_OVERLAY else edge.network.subnets
    for each in edge.settings.imported_routes:
        ours = (each.network, each.node) == (edge.network.name, edge.node.name)
        if ours and not any(contains(subnet.cidr, each.prefix) for subnet in tunneled):
            extra = {CONTROLLER_KEY: ROUTE_IMPORT}
            yield edge.router.route(each.prefix, each.nexthop, port=port, extra=extra, each_hop=True)


def contains(outer: IPNetwork, inner: IPNetwork) -> bool:
    """Return whether ``outer`` contains ``inner``."""
    return outer.version == inner.version and inner.prefixlen >= outer.prefixlen and inner.network_address in outer


def _everything(hop: IPAddress) -> IPNetwork:
    return type(interface(hop, 0).network)(_ANY[hop.version])


def _external_switch(edge: Edge) -> tuple[Row, ...]:
    names, node, gateway = edge.names, edge.node.name, edge.gateway
    ids = network_ids(edge.network)
    physical: dict[str, Column] = {
        "name": names.localnet_port(gateway.bridge_id, node),
        "type": "localnet",
        "addresses": ("unknown",),
        "tag_request": (gateway.vlan_id,) if gateway.vlan_id else (),
        # ovnkube-node maps the network's own name to the bridge of its uplink
        "options": {"network_name": edge.network.name if edge.network.uplink else PHYSICAL_NETWORK},
        "external_ids": ids,
    }
    # the router announces a default-network egress address that moves here, but not load balancers, which are too many
    announced = {"nat-addresses": "router", "exclude-lb-vips-from-garp": "true"} if edge.network.is_default else {}
    to_router: dict[str, Column] = {
        "name": names.external_to_gateway(node),
        "type": "router",
        "addresses": (gateway.mac,),
        "options": {"router-port": names.gateway_to_external(node), **announced},
        "external_ids": ids,
    }
    ports = (new_row("Logical_Switch_Port", physical), new_row("Logical_Switch_Port", to_router))
    switch: dict[str, Column] = {
        "name": names.external_switch(node),
        "ports": refs(ports),
        "external_ids": role_ids(edge.network),
    }
    return (*ports, new_row("Logical_Switch", switch))


def _static_macs(edge: Edge) -> Iterable[Row]:
    """MACs of addresses without an ARP responder: the dummy next hop, and for user-defined networks the node."""
    port = edge.names.gateway_to_external(edge.node.name)
    for family in edge.families:
        for address in (family.next_hop,) if edge.network.is_default else (family.next_hop, family.host):
            columns: dict[str, Column] = {
                "logical_port": port,
                "ip": str(address),
                "mac": mac_of(address),
                "override_dynamic_mac": True,
            }
            yield new_row("Static_MAC_Binding", columns)
