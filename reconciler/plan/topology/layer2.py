"""Primary Layer2 networks with a transit router: the rows of one node's zone.

Pods of all nodes are on one switch. Its gateway is the transit router, which has the same address and MAC in every
zone; one port leads to the switch, one to each node's gateway router. Only the local gateway router is real in this
zone: the ports towards the others are bound to remote chassis, and OVN tunnels packets there.

Source: OKEP-5094, "Proposed Solution"; ovn-kubernetes ``layer2_user_defined_network_controller.go``. Ports of pods,
load balancers and EgressIP are other controllers' rows.
"""

from reconciler.plan.names import Names
from reconciler.plan.northbound import new_row
from reconciler.plan.rows import Row
from reconciler.plan.topology.gateway import gateway_rows
from reconciler.plan.topology.switch import primary_switch_rows
from reconciler.plan.topology.transit_router import transit_router_rows
from reconciler.plan.topology.zone import Zone


def layer2_rows(zone: Zone, protection: Row) -> tuple[Row, ...]:
    """Return all rows of the network in this zone; ``protection`` is the Copp row that its routers refer to."""
    cluster, switches, routers = _load_balancer_groups(zone.layer2.names)
    return (
        cluster,
        switches,
        routers,
        *transit_router_rows(zone, protection),
        *primary_switch_rows(zone, (cluster, switches)),
        *gateway_rows(zone, cluster, routers, protection),
    )


def _load_balancer_groups(names: Names) -> tuple[Row, Row, Row]:
    """Groups that the service controller puts load balancers in: for all, for switches only, for routers only."""
    return (
        new_row("Load_Balancer_Group", {"name": names.load_balancer_group}),
        new_row("Load_Balancer_Group", {"name": names.switch_load_balancer_group}),
        new_row("Load_Balancer_Group", {"name": names.router_load_balancer_group}),
    )
