"""Primary Layer2 networks with a transit router: the rows of one node's zone.

Pods of all nodes are on one switch. Its gateway is the transit router, which has the same address and MAC in every
zone; one port leads to the switch, one to each node's gateway router. Only the local gateway router exists in this
zone: the ports towards the others are bound to remote chassis, and OVN tunnels packets there.

Source: OKEP-5094, "Proposed Solution"; ovn-kubernetes ``layer2_user_defined_network_controller.go``. Other modules and
controllers add ports of pods, load balancers and EgressIP.
"""

from collections.abc import Iterable
from typing import Final

from ovnguard.reconciler.plan.rows.northbound import new_row
from ovnguard.reconciler.plan.rows.row import Column, Row
from ovnguard.reconciler.plan.topology.common_rows import (
    Owned,
    load_balancer_groups,
    match_name,
    network_ids,
    sorted_set,
)
from ovnguard.reconciler.plan.topology.gateway_router import Edge, gateway_rows, join_snat
from ovnguard.reconciler.plan.topology.layer2_switch import primary_switch_rows
from ovnguard.reconciler.plan.topology.layer2_zone import Layer2Zone
from ovnguard.reconciler.plan.topology.node_snat import outbound_match
from ovnguard.reconciler.plan.topology.transit_router import (
    management_snat,
    policies,
    router_advertisements,
    service_routes,
    transit_router_rows,
)
from ovnguard.validators.network.addresses.addressing import mac_of


def layer2_rows(zone: Layer2Zone, protection: Row) -> tuple[Row, ...]:
    """Return all rows of the network in this zone; ``protection`` is the Copp row that its routers refer to."""
    cluster, switches, routers = load_balancer_groups(zone.layer2.names)
    switch = primary_switch_rows(zone, (cluster, switches))
    gateway: tuple[Row, ...] = ()
    if zone.gateway is not None:
        make = legacy_gateway_rows if zone.local.is_legacy else layer2_gateway_rows
        gateway = make(zone, zone.edge, (cluster, routers), protection)
    transit = () if zone.local.is_legacy else transit_router_rows(zone, protection)
    return (cluster, switches, routers, *transit, *switch, *gateway)


def layer2_gateway_rows(zone: Layer2Zone, edge: Edge, groups: tuple[Row, Row], protection: Row) -> tuple[Row, ...]:
    """Return the local gateway router with everything on it; see `gateway_rows`."""
    marks = zone.egress.on_gateway(edge.router, edge.names.management_port(edge.node.name))
    inside = (_transit_port(zone, edge), *_routes(zone, edge.router), *cluster_snat(zone, edge), *marks)
    return gateway_rows(edge, inside, groups, protection)


def _transit_port(zone: Layer2Zone, edge: Edge) -> Row:
    """The port towards the transit router; it keeps the join address, the source of load balancers' answers."""
    names, local = zone.layer2.names, zone.local
    transits = (link.transit.gateway for link in local.links)
    columns: dict[str, Column] = {
        "name": names.gateway_to_transit(local.node.name),
        "mac": mac_of(local.joins[0].ip),
        "networks": sorted_set(*local.joins, *transits),
        "peer": (names.transit_to_gateway(local.node.name),),
        "options": edge.mtu,
        "external_ids": network_ids(zone.layer2.network),
    }
    return new_row("Logical_Router_Port", columns)


def _routes(zone: Layer2Zone, router: Owned) -> Iterable[Row]:
    """Routes to the pods, through the transit router."""
    transit = zone.layer2.names.gateway_to_transit(zone.local.node.name)
    for family in zone.layer2.families:
        yield router.route(family.subnet, zone.local.of_family(family.version).transit.router.ip, port=transit)


def cluster_snat(zone: Layer2Zone, edge: Edge, match: str = "") -> Iterable[Row]:
    """Translate packets to the node's bridge, and ICMP errors from the join port, to the network's masquerade address.

    ``match`` limits the traffic of pods.
    """
    yield from join_snat(edge, zone.local.joins)
    for family in zone.layer2.families:
        external = family.masquerade.gateway_router.ip
        found = outbound_match(edge.network, zone.settings, family.version, match)
        yield edge.router.snat(external, family.subnet, zone.settings.snat_ports, match=found)


_TO_NODES_NETWORK: Final = 99


def legacy_gateway_rows(zone: Layer2Zone, edge: Edge, groups: tuple[Row, Row], protection: Row) -> tuple[Row, ...]:
    """Return the local gateway router, which is the pods' gateway too, with everything on it; see `gateway_rows`."""
    port = zone.layer2.names.legacy_router_to_switch
    inside = (
        _switch_port(zone, edge),
        *(_local_mode(zone, edge.router) if zone.is_local_mode else ()),
        *service_routes(zone, edge.router),
        *policies(zone, edge.router, port),
        # the name of a port that this topology does not have, as upstream writes it
        *management_snat(zone, edge.router, edge.names.gateway_to_join(edge.node.name)),
        *zone.egress.on_router(edge.router, zone.egress_hop),
        *cluster_snat(zone, edge, f'outport == "{edge.names.gateway_to_external(edge.node.name)}"'),
    )
    return gateway_rows(edge, inside, groups, protection)


def _switch_port(zone: Layer2Zone, edge: Edge) -> Row:
    """The port on the switch: on every node it has the pods' gateway address and the node's own join address."""
    joins = zone.local.joins
    columns: dict[str, Column] = {
        "name": zone.layer2.names.legacy_router_to_switch,
        "mac": mac_of(joins[0].ip),
        "networks": sorted_set(*joins, *(family.gateway for family in zone.layer2.families)),
        "options": edge.mtu,
        "ipv6_ra_configs": router_advertisements(zone.layer2, zone.settings),
        "external_ids": network_ids(zone.layer2.network),
    }
    return new_row("Logical_Router_Port", columns)


def _local_mode(zone: Layer2Zone, router: Owned) -> Iterable[Row]:
    """Outbound traffic, and traffic to the nodes' network, goes through the node."""
    for family in zone.layer2.families:
        yield router.route(family.subnet, family.management.ip, policy="src-ip")
        for address in zone.local.node.primary_addresses:
            if address.version == family.version:
                ip = match_name(family.version)
                match = f"{ip}.dst == {address.network} && {ip}.src == {family.subnet}"
                yield router.reroute(_TO_NODES_NETWORK, match, family.management.ip)
