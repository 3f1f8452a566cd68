"""Layer3 networks: the rows of one node's zone, including the default network's.

Every node has its own switch and its own cluster router. With an overlay, a transit switch joins the cluster routers;
without one, the nodes' routes lead from gateway router to gateway router. Primary networks have a gateway router on
each node behind a join switch; secondary ones only connect pods.

Source: ovn-kubernetes ``layer3_user_defined_network_controller.go`` and ``default_network_controller.go``; enhancement
"no-overlay mode".
"""

from collections.abc import Iterable

from ovnguard.reconciler.plan.rows.northbound import new_row
from ovnguard.reconciler.plan.rows.row import Column, Row
from ovnguard.reconciler.plan.topology.cluster_router import cluster_router_rows
from ovnguard.reconciler.plan.topology.common_rows import load_balancer_groups, network_ids, sorted_set
from ovnguard.reconciler.plan.topology.egress_service import egress_service_rows
from ovnguard.reconciler.plan.topology.gateway_router import Edge, gateway_rows
from ovnguard.reconciler.plan.topology.layer3_snat import snat_of
from ovnguard.reconciler.plan.topology.layer3_switches import join_switch_rows, node_switch_rows, transit_switch_rows
from ovnguard.reconciler.plan.topology.layer3_zone import Layer3Zone
from ovnguard.reconciler.plan.topology.pod_isolation import isolation_rows
from ovnguard.validators.network.addresses.addressing import mac_of


def layer3_rows(zone: Layer3Zone, protection: Row) -> tuple[Row, ...]:
    """Return all rows of the network in this zone; ``protection`` is the Copp row that its routers refer to."""
    cluster, switches, routers = load_balancer_groups(zone.layer3.names)
    if not zone.layer3.is_primary:
        return (
            cluster,
            switches,
            routers,
            *cluster_router_rows(zone, (), protection),
            *node_switch_rows(zone, (cluster, switches)),
            *transit_switch_rows(zone),
        )
    snat = snat_of(zone)
    reroutes = (*zone.egress.on_router(zone.router, zone.egress_hop), *egress_service_rows(zone))
    gateway: tuple[Row, ...] = ()
    if zone.gateway is not None:
        marks = zone.egress.on_gateway(zone.edge.router, zone.layer3.names.management_port(zone.local.node.name))
        gateway = layer3_gateway_rows(zone, (*snat.on_gateway, *marks), (cluster, routers), protection)
    isolation: tuple[Row, ...] = ()
    if zone.layer3.network.is_default:
        isolation = isolation_rows(zone.layer3.network, [share.management.ip for share in zone.local.shares])
    return (
        cluster,
        switches,
        routers,
        *snat.sets,
        *cluster_router_rows(zone, (*snat.on_cluster_router, *reroutes), protection),
        *node_switch_rows(zone, (cluster, switches)),
        *isolation,
        *join_switch_rows(zone),
        *transit_switch_rows(zone),
        *gateway,
    )


def layer3_gateway_rows(
    zone: Layer3Zone, further: Iterable[Row], groups: tuple[Row, Row], protection: Row
) -> tuple[Row, ...]:
    """Return the local gateway router with ``further`` and all other rows on it; see `gateway_rows`."""
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
    """Routes to pods, through the cluster router: without an overlay only to the node's own pods."""
    for family in zone.layer3.families:
        assert family.backbone is not None, "a primary network has a backbone"
        own = [share.subnet for share in zone.local.shares if share.version == family.version]
        for subnet in family.clusters if zone.layer3.has_overlay else own:
            yield edge.router.route(subnet, family.backbone.cluster_join.ip)
