"""The one switch of a Layer2 network, stretched over all zones by its tunnel key.

Source: OKEP-5094; ovn-kubernetes ``base_layer2_user_defined_network_controller.go``.
"""

from collections.abc import Iterable
from typing import Final

from reconciler.plan.ids import NetworkIds
from reconciler.plan.names import Names, address_set_hash
from reconciler.plan.northbound import new_row, refs
from reconciler.plan.rows import Column, Row
from reconciler.plan.topology.addresses import FamilyAddresses, Layer2
from reconciler.plan.topology.common import match_name, network_ids, role_ids
from reconciler.plan.topology.zone import Zone
from validators.network.addressing import SWITCH_TO_ROUTER_PORT_KEY
from validators.network.model import Network

_ACL_PRIORITY: Final = 1001
_ACL_TIER: Final = 2


def secondary_switch_rows(network: Network, ids: NetworkIds) -> tuple[Row, ...]:
    """Return the switch of a secondary Layer2 network; it has no router, no gateway and no management port."""
    names = Names(network.name)
    columns: dict[str, Column] = {
        "name": names.layer2_switch,
        "other_config": _config(network, names, ids),
        "external_ids": role_ids(network),
    }
    return (new_row("Logical_Switch", columns),)


def primary_switch_rows(zone: Zone, groups: Iterable[Row]) -> tuple[Row, ...]:
    """Return the switch of a primary network with its own ports; ``groups`` are its load balancer groups."""
    layer2 = zone.layer2
    names, ids = layer2.names, network_ids(layer2.network)
    to_router = new_row(
        "Logical_Switch_Port",
        {
            "name": names.switch_to_router,
            "type": "router",
            "addresses": ("router",),
            # upstream requests none; then northd may pick a key here that is a pod's in another zone
            "options": {
                "router-port": names.router_to_switch,
                "requested-tnl-key": str(SWITCH_TO_ROUTER_PORT_KEY),
            },
            "external_ids": ids,
        },
    )
    addresses = " ".join([layer2.management_mac, *(str(family.management.ip) for family in layer2.families)])
    management = new_row(
        "Logical_Switch_Port",
        {"name": names.management_port(zone.local.node.name), "addresses": (addresses,), "external_ids": ids},
    )
    acls = tuple(_management_acl(names.layer2_switch, family, ids) for family in layer2.families)
    columns: dict[str, Column] = {
        "name": names.layer2_switch,
        "ports": refs([to_router, management]),
        "acls": refs(acls),
        "load_balancer_group": refs(groups),
        "other_config": _config(layer2.network, names, layer2.ids),
        "external_ids": role_ids(layer2.network),
    }
    switch = new_row("Logical_Switch", columns)
    return (to_router, management, *acls, *_port_groups(layer2, management), switch)


def _management_acl(switch: str, family: FamilyAddresses, ids: dict[str, str]) -> Row:
    """The node may always reach pods, whatever a NetworkPolicy says: probes come from its management port."""
    match = f"{match_name(family.version)}.src=={family.management.ip}"
    columns: dict[str, Column] = {
        "direction": "to-lport",
        "priority": _ACL_PRIORITY,
        "match": match,
        "action": "allow-related",
        "tier": _ACL_TIER,
        "external_ids": ids,
    }
    return new_row("ACL", columns, f"{switch} acl to-lport {_ACL_PRIORITY} {match}")


def _port_groups(layer2: Layer2, management: Row) -> tuple[Row, Row]:
    """Groups that policies of the whole network name: ports of nodes, and ports of routers (none yet)."""
    return (
        _port_group(layer2, "clusterPortGroup", [management]),
        _port_group(layer2, "clusterRtrPortGroup", []),
    )


def _port_group(layer2: Layer2, name: str, ports: Iterable[Row]) -> Row:
    controller = layer2.names.controller
    identity = f"{controller}:Cluster:{name}"
    ids = {
        "k8s.ovn.org/id": identity,
        "k8s.ovn.org/name": name,
        "k8s.ovn.org/owner-controller": controller,
        "k8s.ovn.org/owner-type": "Cluster",
    }
    columns: dict[str, Column] = {
        "name": address_set_hash(identity),
        "ports": refs(ports),
        "external_ids": ids | network_ids(layer2.network),
    }
    return new_row("Port_Group", columns)


def _config(network: Network, names: Names, ids: NetworkIds) -> dict[str, str]:
    """Options of the switch: how it is interconnected, and the subnets, which keep northd's own IPAM off them."""
    config = {
        "interconn-ts": names.layer2_switch,
        "requested-tnl-key": str(ids.switch_key),
        "mcast_snoop": "true",
        "mcast_querier": "false",
        "mcast_flood_unregistered": "true",
    }
    for subnet in network.subnets:
        if subnet.cidr.version == 4:
            config["subnet"] = str(subnet.cidr)
        else:
            config["ipv6_prefix"] = str(subnet.cidr.network_address)
    return config
