"""The transit router: the gateway of all pods of a network, the same in every zone, tied to every gateway router.

It becomes a transit router by its ports towards other nodes' gateway routers, which name a remote chassis. Its own
tunnel key and the keys of all its ports must be the same in every zone.

Source: OKEP-5094, "Ports, switches and routers topology", "NAT configuration", "Static Routes and Logical Router
Policies", "Transit router specifics".
"""

from typing import Final

from reconciler.plan.northbound import new_row, of_table, refs
from reconciler.plan.rows import Column, Row
from reconciler.plan.topology.addresses import Layer2, Link, Peer
from reconciler.plan.topology.common import NODE_KEY, Owned, match_name, network_ids, sorted_set
from reconciler.plan.topology.zone import Zone
from validators.network.addressing import ROUTER_TO_SWITCH_PORT_KEY, gateway_port_key, mac_of
from validators.network.model import TRANSIT_ANNOTATION
from validators.network.node import GatewayMode

_TO_NODE: Final = 1004
_INSIDE: Final = 102
_EGRESS_REPLY_MARK: Final = 42


def transit_router_rows(zone: Zone, protection: Row) -> tuple[Row, ...]:
    """Return the transit router and everything on it; ``protection`` is the Copp row it refers to."""
    layer2 = zone.layer2
    router = Owned(layer2.names.transit_router, network_ids(layer2.network))
    children = (
        *_switch_facing_port(zone),
        _local_gateway_port(zone),
        *(_remote_gateway_port(zone, peer) for peer in zone.remotes),
        *_join_routes(zone, router),
        *_egress_routes(zone, router),
        *_policies(zone, router),
        *_management_snat(zone, router),
    )
    options = {"requested-tnl-key": str(layer2.router_key)}
    if zone.gateway.mode is GatewayMode.LOCAL:
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
    """The transit subnets, on the router because no other column tells their size: the next plan keeps to them."""
    return ",".join(str(family.transit) for family in layer2.families)


def _switch_facing_port(zone: Zone) -> tuple[Row, Row]:
    """The port that is every pod's gateway, pinned to the local chassis so that it may translate addresses."""
    layer2 = zone.layer2
    ids = network_ids(layer2.network)
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
            "networks": sorted_set(*(family.gateway for family in layer2.families)),
            "options": {**zone.gateway_mtu, "requested-tnl-key": str(ROUTER_TO_SWITCH_PORT_KEY)},
            "gateway_chassis": refs([pinned]),
            "ipv6_ra_configs": _router_advertisements(layer2),
            "external_ids": ids,
        },
    )
    return pinned, port


def _router_advertisements(layer2: Layer2) -> dict[str, str]:
    if layer2.of_family(6) is None:
        return {}
    mtu = {"mtu": str(layer2.network.mtu)} if layer2.network.mtu else {}
    return mtu | {
        "address_mode": "dhcpv6_stateful",
        "max_interval": "900",
        "min_interval": "300",
        "router_preference": "LOW",
        "send_periodic": "true",
    }


def _local_gateway_port(zone: Zone) -> Row:
    names = zone.layer2.names
    columns = _gateway_port(zone, zone.local)
    columns["peer"] = (names.gateway_to_transit(zone.local.node.name),)
    columns["external_ids"] = network_ids(zone.layer2.network)
    return new_row("Logical_Router_Port", columns)


def _remote_gateway_port(zone: Zone, peer: Peer) -> Row:
    """The port towards another node's gateway router; requested-chassis is what makes the router a transit router."""
    columns = _gateway_port(zone, peer)
    columns["options"] = {**_key_option(peer), "requested-chassis": peer.node.chassis_id}
    columns["external_ids"] = network_ids(zone.layer2.network) | {NODE_KEY: peer.node.name}
    return new_row("Logical_Router_Port", columns)


def _gateway_port(zone: Zone, peer: Peer) -> dict[str, Column]:
    """What the port towards a gateway router has in common in all zones."""
    return {
        "name": zone.layer2.names.transit_to_gateway(peer.node.name),
        "mac": mac_of(peer.links[0].transit.router.ip),
        "networks": sorted_set(*(link.transit.router for link in peer.links)),
        "options": _key_option(peer),
    }


def _key_option(peer: Peer) -> dict[str, str]:
    assert peer.node.node_id is not None, "a peer has a node id"
    return {"requested-tnl-key": str(gateway_port_key(peer.node.node_id))}


def _join_routes(zone: Zone, router: Owned) -> tuple[Row, ...]:
    """Host routes to the join address of every gateway router: replies to load balanced traffic go there."""
    local = tuple(_join_route(router, link) for link in zone.local.links)
    remote = tuple(_join_route(router, link, peer.node.name) for peer in zone.remotes for link in peer.links)
    return (*local, *remote)


def _join_route(router: Owned, link: Link, node: str = "") -> Row:
    return router.route(link.join.ip, link.transit.gateway.ip, extra={NODE_KEY: node} if node else None)


def _egress_routes(zone: Zone, router: Owned) -> tuple[Row, ...]:
    """Where traffic of the network leaves: through the gateway router, or in local mode through the node itself."""
    local_mode = zone.gateway.mode is GatewayMode.LOCAL
    rows = []
    for family in zone.layer2.families:
        link = zone.local.of_family(family.version)
        nexthop = family.management.ip if local_mode else link.transit.gateway.ip
        rows.append(router.route(family.subnet, nexthop, policy="src-ip"))
    if local_mode:
        return tuple(rows)
    for service in zone.settings.services:
        extra = {"k8s.ovn.org/udn-enabled-default-service": service.name}
        for address in service.addresses:
            if found := zone.layer2.of_family(address.version):
                rows.append(router.route(address, found.management.ip, policy="dst-ip", extra=extra))
    return tuple(rows)


def _policies(zone: Zone, router: Owned) -> tuple[Row, ...]:
    """Traffic to the node goes to its management port; traffic inside the network is kept from egress policies."""
    names = zone.layer2.names
    rows = []
    for family in zone.layer2.families:
        ip = match_name(family.version)
        node_ip = next((each.ip for each in zone.gateway.addresses if each.version == family.version), None)
        if node_ip is not None:
            match = f'inport == "{names.router_to_switch}" && {ip}.dst == {node_ip} /* {names.layer2_switch} */'
            rows.append(router.reroute(_TO_NODE, match, family.management.ip))
        inside = [family.subnet]
        inside += [net for net in zone.settings.default_join_subnets if net.version == family.version]
        rows += [router.allow(_INSIDE, f"{ip}.src == {family.subnet} && {ip}.dst == {net}") for net in inside]
    return (*rows, router.allow(_INSIDE, f"pkt.mark == {_EGRESS_REPLY_MARK}"))


def _management_snat(zone: Zone, router: Owned) -> tuple[Row, ...]:
    """The node sees the network's masquerade address instead of pod addresses, which may overlap between networks."""
    layer2 = zone.layer2
    return tuple(
        router.snat(
            family.masquerade.management_port.ip,
            family.subnet,
            zone.settings.snat_ports,
            port=layer2.names.router_to_switch,
            match=f"eth.dst == {layer2.management_mac}",
        )
        for family in layer2.families
    )
