"""The one switch of a Layer2 network, stretched over all zones by its tunnel key.

Source: OKEP-5094; ovn-kubernetes ``base_layer2_user_defined_network_controller.go``.
"""

from collections.abc import Iterable
from typing import Final

from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.rows.names import Names, address_set_hash
from ovnguard.reconciler.plan.rows.northbound import new_row, refs
from ovnguard.reconciler.plan.rows.row import DATABASE_ID, Column, Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.common_rows import (
    ACL_METER,
    load_balancer_groups,
    match_name,
    owner_ids,
    role_ids,
)
from ovnguard.reconciler.plan.topology.database_ids import NAME, database_ids
from ovnguard.reconciler.plan.topology.hairpin import hairpin_acls
from ovnguard.reconciler.plan.topology.layer2_switch_ports import switch_router_ports
from ovnguard.reconciler.plan.topology.layer2_zone import Layer2Zone
from ovnguard.reconciler.plan.topology.multicast import deny_acls, relay_acls
from ovnguard.reconciler.plan.topology.routed_isolation import pass_acl
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPAddress, Network

_ACL_PRIORITY: Final = 1001
_ACL_TIER: Final = 2


def secondary_switch_rows(network: Network, ids: NetworkIds) -> tuple[Row, ...]:
    """Return the switch of a secondary Layer2 network; it has no router, no gateway and no management port."""
    names = Names(network.name)
    cluster, switches, routers = load_balancer_groups(names)
    columns: dict[str, Column] = {
        "name": names.layer2_switch,
        "load_balancer_group": refs([cluster, switches]),
        "other_config": _config(network, names, ids),
        "external_ids": role_ids(network),
    }
    return (cluster, switches, routers, new_row("Logical_Switch", columns))


def primary_switch_rows(zone: Layer2Zone, groups: Iterable[Row]) -> tuple[Row, ...]:
    """Return the switch of a primary network with its own ports; ``groups`` are its load balancer groups."""
    layer2 = zone.layer2
    names, ids = layer2.names, owner_ids(layer2.network)
    to_router = switch_router_ports(zone)
    addresses = tuple(family.management.ip for family in layer2.families)
    mac = layer2.management_mac(zone.local.node)
    management = management_port(names.management_port(zone.local.node.name), mac, addresses, ids)
    acls = tuple(management_acl(layer2.network, names.layer2_switch, address) for address in addresses)
    if zone.settings.isolates and zone.settings.is_routed(layer2.network):
        acls += (pass_acl(layer2.network, layer2.ids.network_id),)
    rules = zone.egress.on_switch(names.layer2_switch)
    columns: dict[str, Column] = {
        "name": names.layer2_switch,
        "ports": refs([*to_router, management]),
        "acls": refs(acls),
        "qos_rules": refs(rules),
        "load_balancer_group": refs(groups),
        "other_config": _config(layer2.network, names, layer2.ids),
        "external_ids": role_ids(layer2.network),
    }
    further = network_port_groups(layer2.network, management, (), zone.local.node, zone.settings)
    return (*to_router, management, *acls, *rules, *further, new_row("Logical_Switch", columns))


def management_port(name: str, mac: str, addresses: Iterable[IPAddress], ids: dict[str, str]) -> Row:
    """Return the node's own port on a workload switch."""
    texts = " ".join([mac, *map(str, addresses)])
    return new_row("Logical_Switch_Port", {"name": name, "addresses": (texts,), "external_ids": ids})


def management_acl(network: Network, switch: str, address: IPAddress) -> Row:
    """Return the ACL that lets the node reach pods despite any NetworkPolicy: probes come from its own port."""
    match = f"{match_name(address.version)}.src=={address}"
    ids = database_ids(Names(network.name).controller, "NetpolNode", {NAME: switch, "ip": str(address)})
    columns: dict[str, Column] = {
        "direction": "to-lport",
        "priority": _ACL_PRIORITY,
        "match": match,
        "action": "allow-related",
        "meter": (ACL_METER,),
        "tier": _ACL_TIER,
        "external_ids": ids | owner_ids(network),
    }
    return new_row("ACL", columns, f"{switch} acl to-lport {_ACL_PRIORITY} {match}")


def network_port_groups(
    network: Network, management: Row, relays: Iterable[Row], node: Node, settings: Settings
) -> tuple[Row, ...]:
    """Return groups that policies of the whole network name, with ACLs: ports of nodes, and of routers that relay
    multicast.
    """
    acls = hairpin_acls(network, node, settings.masquerade_subnets)
    ids = _group_ids(network, "clusterRtrPortGroup")
    relayed: tuple[Row, ...] = ()
    if settings.multicast:
        acls += deny_acls(network)
        relayed = relay_acls(network, address_set_hash(ids[DATABASE_ID]))
    nodes = _port_group(network, _group_ids(network, "clusterPortGroup"), [management], acls)
    return (*acls, nodes, *relayed, _port_group(network, ids, relays if settings.multicast else (), relayed))


def _group_ids(network: Network, name: str) -> dict[str, str]:
    return database_ids(Names(network.name).controller, "Cluster", {NAME: name})


def _port_group(network: Network, ids: dict[str, str], ports: Iterable[Row], acls: Iterable[Row]) -> Row:
    columns: dict[str, Column] = {
        "name": address_set_hash(ids[DATABASE_ID]),
        "ports": refs(ports),
        "acls": refs(acls),
        "external_ids": ids | owner_ids(network),
    }
    return new_row("Port_Group", columns)


def _config(network: Network, names: Names, ids: NetworkIds) -> dict[str, str]:
    """Options of the switch: its interconnection, and the subnets, whose addresses northd's own IPAM must not use."""
    config = {
        "interconn-ts": names.layer2_switch,
        "requested-tnl-key": str(ids.switch_key),
        "mcast_snoop": "true",
        "mcast_querier": "false",
        "mcast_flood_unregistered": "true",
    }
    return config | subnet_config(network)


def subnet_config(network: Network) -> dict[str, str]:
    """Return the options of a switch that contain its subnets."""
    config = {}
    for subnet in network.subnets:
        if subnet.cidr.version == 4:
            config["subnet"] = str(subnet.cidr)
        else:
            config["ipv6_prefix"] = str(subnet.cidr.network_address)
    return config
