"""Primary Layer2 networks before transit routers: every node's gateway router is on the switch itself.

Nodes that have not been upgraded keep it, because changing it under running pods would break their connections.

Source: OKEP-5094, "Upgrade Strategy"; ovn-kubernetes ``layer2_user_defined_network_controller.go``.
"""

from collections.abc import Iterable
from typing import Final

from reconciler.plan.northbound import new_row
from reconciler.plan.rows import Column, Row
from reconciler.plan.topology.common_rows import Owned, match_name, network_ids, sorted_set
from reconciler.plan.topology.gateway_router import Edge, gateway_rows
from reconciler.plan.topology.layer2_gateway import cluster_snat
from reconciler.plan.topology.layer2_zone import Zone
from reconciler.plan.topology.transit_router import management_snat, policies, router_advertisements, service_routes
from validators.network.addresses.addressing import mac_of

_TO_NODES_NETWORK: Final = 99


def legacy_gateway_rows(zone: Zone, edge: Edge, groups: tuple[Row, Row], protection: Row) -> tuple[Row, ...]:
    """Return the local gateway router, which is the pods' gateway too, with everything on it; see `gateway_rows`."""
    port = zone.layer2.names.legacy_router_to_switch
    inside = (
        _switch_port(zone, edge),
        *(_local_mode(zone, edge.router) if zone.is_local_mode else ()),
        *service_routes(zone, edge.router),
        *policies(zone, edge.router, port),
        *management_snat(zone, edge.router, port),
        *cluster_snat(zone, edge, f'outport == "{edge.names.gateway_to_external(edge.node.name)}"'),
    )
    return gateway_rows(edge, inside, groups, protection)


def _switch_port(zone: Zone, edge: Edge) -> Row:
    """The port on the switch: every node's has the pods' gateway address, beside the node's own join address."""
    joins = [link.join for link in zone.local.links]
    columns: dict[str, Column] = {
        "name": zone.layer2.names.legacy_router_to_switch,
        "mac": mac_of(joins[0].ip),
        "networks": sorted_set(*joins, *(family.gateway for family in zone.layer2.families)),
        "options": edge.mtu,
        "ipv6_ra_configs": router_advertisements(zone.layer2),
        "external_ids": network_ids(zone.layer2.network),
    }
    return new_row("Logical_Router_Port", columns)


def _local_mode(zone: Zone, router: Owned) -> Iterable[Row]:
    """What leaves goes through the node, and so does what is for the nodes' own network."""
    for family in zone.layer2.families:
        yield router.route(family.subnet, family.management.ip, policy="src-ip")
        for address in zone.local.node.primary_addresses:
            if address.version == family.version:
                ip = match_name(family.version)
                match = f"{ip}.dst == {address.network} && {ip}.src == {family.subnet}"
                yield router.reroute(_TO_NODES_NETWORK, match, family.management.ip)
