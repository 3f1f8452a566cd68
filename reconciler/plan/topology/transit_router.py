"""The transit router: the gateway of all pods of a network, the same in every zone, connected to every gateway router.

It becomes a transit router by its ports towards other nodes' gateway routers, which name a remote chassis. Its own
tunnel key and the keys of all its ports must be the same in every zone.

Source: OKEP-5094, "Ports, switches and routers topology", "NAT configuration", "Static Routes and Logical Router
Policies", "Transit router specifics".
"""

from collections.abc import Iterable
from functools import partial
from typing import Final

from ovnguard.reconciler.plan.numbers.layer2_addresses import Layer2, Peer
from ovnguard.reconciler.plan.rows.northbound import new_row, of_table, refs
from ovnguard.reconciler.plan.rows.row import Column, Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.common_rows import (
    NODE_KEY,
    Owned,
    match_name,
    network_ids,
    owner_ids,
    sorted_set,
)
from ovnguard.reconciler.plan.topology.internal_traffic import internal_policies, reply_policy
from ovnguard.reconciler.plan.topology.layer2_zone import Layer2Zone
from ovnguard.reconciler.plan.topology.node_snat import towards_node
from ovnguard.validators.network.addresses.addressing import (
    ROUTER_TO_SWITCH_PORT_KEY,
    IPInterface,
    gateway_port_key,
    interface,
    mac_of,
)
from ovnguard.validators.network.model import TRANSIT_ANNOTATION

_TO_NODE: Final = 1004


def transit_router_rows(zone: Layer2Zone, protection: Row) -> tuple[Row, ...]:
    """Return the transit router and all rows on it; ``protection`` is the Copp row it refers to."""
    layer2 = zone.layer2
    router = Owned(layer2.names.transit_router, network_ids(layer2.network))
    children = (
        *_switch_facing_port(zone),
        *((upgrade_port(zone),) if zone.is_upgrading else ()),
        *((_local_gateway_port(zone),) if zone.gateway is not None else ()),
        *(_remote_gateway_port(zone, peer) for peer in zone.new_remotes),
        *_join_routes(zone, router),
        *_egress_routes(zone, router),
        *service_routes(zone, router),
        *policies(zone, router, layer2.names.router_to_switch),
        *(management_snat(zone, router, layer2.names.router_to_switch) if zone.gateway is not None else ()),
        *zone.egress.on_router(router, zone.egress_hop),
    )
    options = {"requested-tnl-key": str(layer2.router_key)}
    if zone.is_local_mode:
        options["ct-commit-all"] = "true"
    columns: dict[str, Column] = {
        "name": router.router,
        "ports": of_table("Logical_Router_Port", children),
        "static_routes": of_table("Logical_Router_Static_Route", children),
        "policies": of_table("Logical_Router_Policy", children),
        "nat": of_table("NAT", children),
        "copp": refs([protection]),
        "options": options,
        "external_ids": {"k8s-cluster-router": "yes", **router.ids, TRANSIT_ANNOTATION: _transit(layer2)},
    }
    return (*children, new_row("Logical_Router", columns))


def _transit(layer2: Layer2) -> str:
    """The transit subnets; the router records them because no other column contains their size."""
    return ",".join(str(family.transit) for family in layer2.families)


def _switch_facing_port(zone: Layer2Zone) -> tuple[Row, Row]:
    """The port that is every pod's gateway, bound to the local chassis so that it can translate addresses."""
    layer2 = zone.layer2
    ids = owner_ids(layer2.network)
    chassis = zone.local.node.chassis_id
    name = layer2.names.router_to_switch
    pinned = new_row(
        "Gateway_Chassis",
        {"name": f"{name}-{chassis}", "chassis_name": chassis, "priority": 1, "external_ids": ids},
    )
    port = new_row(
        "Logical_Router_Port",
        {
            "name": name,
            "mac": mac_of(layer2.families[0].gateway.ip),
            "networks": sorted_set(*(family.gateway for family in layer2.families), *_answered(zone)),
            "options": {**zone.gateway_mtu, "requested-tnl-key": str(ROUTER_TO_SWITCH_PORT_KEY)},
            "gateway_chassis": refs([pinned]),
            "ipv6_ra_configs": router_advertisements(layer2, zone.settings),
            "external_ids": ids,
        },
    )
    return pinned, port


def _answered(zone: Layer2Zone) -> tuple[IPInterface, ...]:
    """Addresses that only one of the two ports on the switch may answer for, during the upgrade."""
    return zone.layer2.management_ips if zone.is_upgrading else ()


def upgrade_port(zone: Layer2Zone) -> Row:
    """Return the second port towards the switch: it has the MAC that nodes of the earlier topology know, and an unused
    address of the join subnet, so that it reaches their join addresses directly.
    """
    dummies = (interface(join.broadcast_address - 1, join.prefixlen) for join in zone.layer2.joins)
    columns: dict[str, Column] = {
        "name": zone.layer2.names.upgrade_router_to_switch,
        "mac": mac_of(zone.local.joins[0].ip),
        "networks": sorted_set(*dummies),
        "external_ids": owner_ids(zone.layer2.network),
    }
    return new_row("Logical_Router_Port", columns)


def router_advertisements(layer2: Layer2, settings: Settings) -> dict[str, str]:
    """Return the router advertisements that give pods their gateway and MTU; empty without IPv6."""
    if layer2.of_family(6) is None:
        return {}
    mtu = layer2.network.mtu or settings.default_mtu
    return ({"mtu": str(mtu)} if mtu else {}) | {
        "address_mode": "dhcpv6_stateful",
        "max_interval": "900",
        "min_interval": "300",
        "router_preference": "LOW",
        "send_periodic": "true",
    }


def _local_gateway_port(zone: Layer2Zone) -> Row:
    names = zone.layer2.names
    columns = _gateway_port(zone, zone.local)
    columns["peer"] = (names.gateway_to_transit(zone.local.node.name),)
    columns["external_ids"] = network_ids(zone.layer2.network)
    return new_row("Logical_Router_Port", columns)


def _remote_gateway_port(zone: Layer2Zone, peer: Peer) -> Row:
    """The port towards another node's gateway router; requested-chassis is what makes the router a transit router."""
    columns = _gateway_port(zone, peer)
    columns["options"] = {**_key_option(peer), "requested-chassis": peer.node.chassis_id}
    columns["external_ids"] = network_ids(zone.layer2.network) | {NODE_KEY: peer.node.name}
    return new_row("Logical_Router_Port", columns)


def _gateway_port(zone: Layer2Zone, peer: Peer) -> dict[str, Column]:
    """The columns of the port towards a gateway router that are equal in all zones."""
    return {
        "name": zone.layer2.names.transit_to_gateway(peer.node.name),
        "mac": mac_of(peer.links[0].transit.router.ip),
        "networks": sorted_set(*(link.transit.router for link in peer.links)),
        "options": _key_option(peer),
    }


def _key_option(peer: Peer) -> dict[str, str]:
    assert peer.node.node_id is not None, "a peer has a node id"
    return {"requested-tnl-key": str(gateway_port_key(peer.node.node_id))}


def _join_routes(zone: Layer2Zone, router: Owned) -> Iterable[Row]:
    """Host routes to the join address of every gateway router: replies to load balanced traffic go there.

    Those of nodes without a transit router are neighbours on the switch, and a host route to itself overrides both the
    join subnet and the route by source.
    """
    for link in zone.local.links if zone.gateway is not None else ():
        yield router.route(zone.local.join(link.version), link.transit.gateway.ip)
    for peer in zone.remotes:
        hops = [each.ip for each in peer.joins] if peer.is_legacy else [each.transit.gateway.ip for each in peer.links]
        for hop in hops:
            yield router.route(peer.join(hop.version), hop, extra={NODE_KEY: peer.node.name})


def _egress_routes(zone: Layer2Zone, router: Owned) -> Iterable[Row]:
    """Routes for outbound traffic: through the gateway router, or in local mode through the node itself."""
    for family in zone.layer2.families if zone.gateway is not None else ():
        link = zone.local.of_family(family.version)
        nexthop = family.management.ip if zone.is_local_mode else link.transit.gateway.ip
        yield router.route(family.subnet, nexthop, policy="src-ip")


def service_routes(zone: Layer2Zone, router: Owned) -> Iterable[Row]:
    """Return routes to services of the default network that pods may reach, through the node; in shared mode only."""
    for service in () if zone.is_local_mode else zone.settings.services:
        extra = {"k8s.ovn.org/udn-enabled-default-service": service.name}
        for address in service.addresses:
            if found := zone.layer2.of_family(address.version):
                yield router.route(address, found.management.ip, policy="dst-ip", extra=extra)


def policies(zone: Layer2Zone, router: Owned, port: str) -> Iterable[Row]:
    """Return the policies that send traffic for the node to its management port, and exempt internal traffic from
    egress policies.

    ``port`` is the router's port towards the switch.
    """
    switch = zone.layer2.names.layer2_switch
    for family in zone.layer2.families:
        ip = match_name(family.version)
        own = zone.gateway.addresses if zone.gateway is not None else ()
        node_ip = next((each.ip for each in own if each.version == family.version), None)
        if node_ip is not None:
            match = f'inport == "{port}" && {ip}.dst == {node_ip} /* {switch} */'
            yield router.reroute(_TO_NODE, match, family.management.ip)
        yield from internal_policies(router, zone.layer2.network, family.subnet, (family.subnet,), zone.settings)
    yield reply_policy(router, zone.layer2.network)


def management_snat(zone: Layer2Zone, router: Owned, port: str) -> Iterable[Row]:
    """Return the source NAT that shows the node the network's masquerade address instead of pod addresses, which may
    overlap.

    ``port`` is the router's port in column logical_port. On a distributed router it is the one towards the switch; OVN
    ignores the column on gateway routers.
    """
    mac, network = zone.layer2.management_mac(zone.local.node), zone.layer2.network
    for family in zone.layer2.families:
        external = family.masquerade.management_port.ip
        snat = partial(router.snat, external, family.subnet, zone.settings.snat_ports, port=port)
        yield from towards_node(snat, network, zone.settings, mac, family.version, local=zone.is_local_mode)
