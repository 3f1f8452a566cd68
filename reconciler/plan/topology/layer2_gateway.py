"""What ties a node's gateway router to the transit router of a primary Layer2 network.

Source: OKEP-5094, "NAT configuration" and "Static Routes and Logical Router Policies".
"""

from collections.abc import Iterable

from reconciler.plan.northbound import new_row
from reconciler.plan.rows import Column, Row
from reconciler.plan.topology.common_rows import Owned, network_ids, sorted_set
from reconciler.plan.topology.gateway_router import Edge, gateway_rows
from reconciler.plan.topology.layer2_zone import Zone
from validators.network.addresses.addressing import mac_of


def layer2_gateway_rows(zone: Zone, edge: Edge, groups: tuple[Row, Row], protection: Row) -> tuple[Row, ...]:
    """Return the local gateway router with everything on it; see `gateway_rows`."""
    marks = zone.egress.on_gateway(edge.router, edge.names.management_port(edge.node.name))
    inside = (_transit_port(zone, edge), *_routes(zone, edge.router), *cluster_snat(zone, edge), *marks)
    return gateway_rows(edge, inside, groups, protection)


def _transit_port(zone: Zone, edge: Edge) -> Row:
    """The port towards the transit router; it keeps the join address, which load balancers answer from."""
    names, local = zone.layer2.names, zone.local
    networks = [interface_ for link in local.links for interface_ in (link.join, link.transit.gateway)]
    columns: dict[str, Column] = {
        "name": names.gateway_to_transit(local.node.name),
        "mac": mac_of(local.links[0].join.ip),
        "networks": sorted_set(*networks),
        "peer": (names.transit_to_gateway(local.node.name),),
        "options": edge.mtu,
        "external_ids": network_ids(zone.layer2.network),
    }
    return new_row("Logical_Router_Port", columns)


def _routes(zone: Zone, router: Owned) -> Iterable[Row]:
    """Routes to the pods, by the transit router."""
    transit = zone.layer2.names.gateway_to_transit(zone.local.node.name)
    for family in zone.layer2.families:
        yield router.route(family.subnet, zone.local.of_family(family.version).transit.router.ip, port=transit)


def cluster_snat(zone: Zone, edge: Edge, match: str = "") -> Iterable[Row]:
    """What leaves to the node's bridge gets the network's masquerade address; so do ICMP errors from the join port.

    ``match`` limits what pods' traffic that is.
    """
    for family in zone.layer2.families:
        external = family.masquerade.gateway_router.ip
        yield edge.router.snat(external, zone.local.of_family(family.version).join.ip, zone.settings.snat_ports)
        yield edge.router.snat(external, family.subnet, zone.settings.snat_ports, match=match)
