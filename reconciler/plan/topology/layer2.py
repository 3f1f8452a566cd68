"""Primary Layer2 networks with a transit router: the rows of one node's zone.

Pods of all nodes are on one switch. Its gateway is the transit router, which has the same address and MAC in every
zone; one port leads to the switch, one to each node's gateway router. Only the local gateway router is real in this
zone: the ports towards the others are bound to remote chassis, and OVN tunnels packets there.

Source: OKEP-5094, "Proposed Solution"; ovn-kubernetes ``layer2_user_defined_network_controller.go``. Ports of pods,
load balancers and EgressIP are other controllers' rows.
"""

from reconciler.plan.rows import Row
from reconciler.plan.topology.common_rows import load_balancer_groups
from reconciler.plan.topology.layer2_gateway import layer2_gateway_rows
from reconciler.plan.topology.layer2_legacy import legacy_gateway_rows
from reconciler.plan.topology.layer2_switch import primary_switch_rows
from reconciler.plan.topology.layer2_zone import Zone
from reconciler.plan.topology.transit_router import transit_router_rows


def layer2_rows(zone: Zone, protection: Row) -> tuple[Row, ...]:
    """Return all rows of the network in this zone; ``protection`` is the Copp row that its routers refer to."""
    cluster, switches, routers = load_balancer_groups(zone.layer2.names)
    switch = primary_switch_rows(zone, (cluster, switches))
    if zone.local.is_legacy:
        gateway = legacy_gateway_rows(zone, zone.edge, (cluster, routers), protection)
        return (cluster, switches, routers, *switch, *gateway)
    return (
        cluster,
        switches,
        routers,
        *transit_router_rows(zone, protection),
        *switch,
        *layer2_gateway_rows(zone, zone.edge, (cluster, routers), protection),
    )
