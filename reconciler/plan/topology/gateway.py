"""A node's gateway router and the switch that ties it to the node's bridge.

Source: ovn-kubernetes ``gateway.go``; OKEP-5094, "NAT configuration" and "Static Routes and Logical Router Policies".
"""

from collections.abc import Iterable

from reconciler.plan.names import PHYSICAL_NETWORK
from reconciler.plan.northbound import new_row, of_table, refs
from reconciler.plan.rows import Column, Row
from reconciler.plan.topology.common import Owned, network_ids, role_ids, sorted_set
from reconciler.plan.topology.zone import Zone
from validators.network.addressing import interface, mac_of
from validators.network.model import IPAddress, IPNetwork

_ANY = {4: "0.0.0.0/0", 6: "::/0"}


def gateway_rows(zone: Zone, cluster: Row, routers: Row, protection: Row) -> tuple[Row, ...]:
    """Return the local gateway router with everything on it, and the external switch.

    ``cluster`` and ``routers`` are load balancer groups; the latter takes services in only when the node serves
    node ports. ``protection`` is the Copp row.
    """
    groups = (cluster, routers) if zone.gateway.node_port else (cluster,)
    names, node = zone.layer2.names, zone.local.node
    router = Owned(names.gateway_router(node.name), network_ids(zone.layer2.network))
    children = (
        _transit_port(zone),
        _external_port(zone),
        *_routes(zone, router),
        *_snat(zone, router),
    )
    columns: dict[str, Column] = {
        "name": router.router,
        "ports": of_table("Logical_Router_Port", children),
        "static_routes": of_table("Logical_Router_Static_Route", children),
        "nat": of_table("NAT", children),
        "load_balancer_group": refs(groups),
        "copp": refs([protection]),
        "options": _options(zone),
        "external_ids": role_ids(zone.layer2.network) | _physical_ips(zone),
    }
    return (*children, new_row("Logical_Router", columns), *_external_switch(zone), *_static_macs(zone))


def _options(zone: Zone) -> dict[str, str]:
    """Options of the router. ``router_ip`` would be ambiguous for load balancers: the port has several networks."""
    return {
        "chassis": zone.local.node.chassis_id,
        "always_learn_from_arp_request": "false",
        "dynamic_neigh_routers": "false",
        "mac_binding_age_threshold": "300",
        "disable_garp_rarp": "true",
        "lb_force_snat_ip": " ".join(str(link.join.ip) for link in zone.local.links),
    }


def _physical_ips(zone: Zone) -> dict[str, str]:
    addresses: list[IPAddress] = [each.ip for each in zone.gateway.addresses]
    addresses += [family.masquerade.gateway_router.ip for family in zone.layer2.families]
    return {"physical_ip": str(addresses[0]), "physical_ips": ",".join(str(address) for address in addresses)}


def _transit_port(zone: Zone) -> Row:
    """The port towards the transit router; it keeps the join address, which load balancers answer from."""
    names, local = zone.layer2.names, zone.local
    networks = [interface_ for link in local.links for interface_ in (link.join, link.transit.gateway)]
    columns: dict[str, Column] = {
        "name": names.gateway_to_transit(local.node.name),
        "mac": mac_of(local.links[0].join.ip),
        "networks": sorted_set(*networks),
        "peer": (names.transit_to_gateway(local.node.name),),
        "options": zone.gateway_mtu,
        "external_ids": network_ids(zone.layer2.network),
    }
    return new_row("Logical_Router_Port", columns)


def _external_port(zone: Zone) -> Row:
    """The port towards the bridge, with the node's own MAC and addresses.

    Masquerade addresses stand there as host addresses: with the subnet's length they would make connected routes
    that beat the static ones.
    """
    own = (family.masquerade.gateway_router.ip for family in zone.layer2.families)
    hosts = (interface(address, address.max_prefixlen) for address in own)
    columns: dict[str, Column] = {
        "name": zone.layer2.names.gateway_to_external(zone.local.node.name),
        "mac": zone.gateway.mac,
        "networks": sorted_set(*zone.gateway.addresses, *hosts),
        "external_ids": network_ids(zone.layer2.network),
    }
    return new_row("Logical_Router_Port", columns)


def _routes(zone: Zone, router: Owned) -> Iterable[Row]:
    names, node = zone.layer2.names, zone.local.node.name
    external, transit = names.gateway_to_external(node), names.gateway_to_transit(node)
    for family in zone.layer2.families:
        yield router.route(family.masquerade_subnet, family.next_hop, port=external)
        yield router.route(family.subnet, zone.local.of_family(family.version).transit.router.ip, port=transit)
    own = {each.version for each in zone.gateway.addresses}
    for hop in zone.gateway.next_hops:
        # upstream looks default routes up by prefix and port, so that of several next hops only the last survives
        if hop.version in own:
            yield router.route(_everything(hop), hop, port=external, each_hop=True)


def _everything(hop: IPAddress) -> IPNetwork:
    return type(interface(hop, 0).network)(_ANY[hop.version])


def _snat(zone: Zone, router: Owned) -> Iterable[Row]:
    """What leaves to the node's bridge gets the network's masquerade address; so do ICMP errors from the join port."""
    for family in zone.layer2.families:
        external = family.masquerade.gateway_router.ip
        yield router.snat(external, zone.local.of_family(family.version).join.ip, zone.settings.snat_ports)
        yield router.snat(external, family.subnet, zone.settings.snat_ports)


def _external_switch(zone: Zone) -> tuple[Row, ...]:
    names, node, gateway = zone.layer2.names, zone.local.node.name, zone.gateway
    ids = network_ids(zone.layer2.network)
    physical: dict[str, Column] = {
        "name": names.localnet_port(gateway.bridge_id, node),
        "type": "localnet",
        "addresses": ("unknown",),
        "tag_request": (gateway.vlan_id,) if gateway.vlan_id else (),
        "options": {"network_name": PHYSICAL_NETWORK},
        "external_ids": ids,
    }
    to_router: dict[str, Column] = {
        "name": names.external_to_gateway(node),
        "type": "router",
        "addresses": (gateway.mac,),
        "options": {"router-port": names.gateway_to_external(node)},
        "external_ids": ids,
    }
    ports = (new_row("Logical_Switch_Port", physical), new_row("Logical_Switch_Port", to_router))
    switch: dict[str, Column] = {
        "name": names.external_switch(node),
        "ports": refs(ports),
        "external_ids": role_ids(zone.layer2.network),
    }
    return (*ports, new_row("Logical_Switch", switch))


def _static_macs(zone: Zone) -> Iterable[Row]:
    """MACs of addresses that nobody answers for: the dummy next hop and the node behind the masquerade subnet."""
    port = zone.layer2.names.gateway_to_external(zone.local.node.name)
    for family in zone.layer2.families:
        for address in (family.next_hop, family.host):
            columns: dict[str, Column] = {
                "logical_port": port,
                "ip": str(address),
                "mac": mac_of(address),
                "override_dynamic_mac": True,
            }
            yield new_row("Static_MAC_Binding", columns)
