"""What ties a node's gateway router to the cluster router of a Layer3 network.

Source: ovn-kubernetes ``gateway.go``; enhancement "no-overlay mode", routes of gateway routers.
"""

from collections.abc import Iterable

from reconciler.plan.northbound import new_row
from reconciler.plan.rows import Column, Row
from reconciler.plan.topology.common_rows import network_ids, sorted_set
from reconciler.plan.topology.gateway_router import Edge, gateway_rows
from reconciler.plan.topology.layer3_zone import Layer3Zone
from validators.network.addresses.addressing import mac_of


def layer3_gateway_rows(
    zone: Layer3Zone, further: Iterable[Row], groups: tuple[Row, Row], protection: Row
) -> tuple[Row, ...]:
    """Return the local gateway router with ``further`` rows and everything else on it; see `gateway_rows`."""
    edge = zone.edge
    return gateway_rows(edge, (_join_port(zone, edge), *_routes(zone, edge), *further), groups, protection)


def _join_port(zone: Layer3Zone, edge: Edge) -> Row:
    columns: dict[str, Column] = {
        "name": edge.names.gateway_to_join(edge.node.name),
        "mac": mac_of(zone.local.joins[0].ip),
        "networks": sorted_set(*zone.local.joins),
        "options": edge.mtu,
        "external_ids": network_ids(edge.network),
    }
    return new_row("Logical_Router_Port", columns)


def _routes(zone: Layer3Zone, edge: Edge) -> Iterable[Row]:
    """Routes to pods, by the cluster router: without an overlay only to the node's own ones."""
    for family in zone.layer3.families:
        assert family.backbone is not None, "a primary network has a backbone"
        own = [share.subnet for share in zone.local.shares if share.version == family.version]
        for subnet in family.clusters if zone.layer3.has_overlay else own:
            yield edge.router.route(subnet, family.backbone.cluster_join.ip)
