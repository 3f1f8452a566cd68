"""The switches of a Layer3 network: the node's own, the join switch and the transit switch.

Source: ovn-kubernetes ``base_network_controller.go`` and ``zone_interconnect``.
"""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final

from ovnguard.reconciler.plan.numbers.layer3_addresses import Layer3Peer
from ovnguard.reconciler.plan.rows.northbound import new_row, refs
from ovnguard.reconciler.plan.rows.row import Column, Row
from ovnguard.reconciler.plan.topology.common_rows import network_ids, owner_ids, role_ids
from ovnguard.reconciler.plan.topology.layer2_switch import management_acl, management_port, network_port_groups
from ovnguard.reconciler.plan.topology.layer3_zone import Layer3Zone
from ovnguard.reconciler.plan.topology.multicast import querier_config
from ovnguard.reconciler.plan.topology.routed_isolation import pass_acl
from ovnguard.validators.network.addresses.addressing import mac_of
from ovnguard.validators.network.model import Network, Role

_IC_NODE: str = "node"
# The gateway of virtual machines, which needs no pod's address. Source: ovn-kubernetes ``pkg/kubevirt``.
_VM_GATEWAYS: Final = (ip_address("169.254.1.1"), ip_address("fe80::1"))


def node_switch_rows(zone: Layer3Zone, groups: Iterable[Row]) -> tuple[Row, ...]:
    """Return the switch of the node's pods with its own ports; ``groups`` are its load balancer groups."""
    layer3, node, shares = zone.layer3, zone.local.node.name, zone.local.shares
    names, ids = layer3.names, owner_ids(layer3.network)
    name = names.node_switch(node)
    options = _arp_proxy(layer3.network) if layer3.network.is_default else {}
    ports = [_router_port(names.node_to_cluster(node), names.cluster_to_node(node), ids, options)]
    further: tuple[Row, ...] = ()
    acls: tuple[Row, ...] = ()
    rules: tuple[Row, ...] = ()
    if layer3.is_primary:
        addresses = tuple(share.management.ip for share in shares)
        ports.append(management_port(names.management_port(node), zone.local.management_mac, addresses, ids))
        acls = tuple(management_acl(layer3.network, name, address) for address in addresses)
        if zone.settings.isolates and zone.settings.is_routed(layer3.network):
            acls += (pass_acl(layer3.network, layer3.ids.network_id),)
        rules = zone.egress.on_switch(name)
        further = network_port_groups(layer3.network, ports[-1], ports[:1], zone.local.node, zone.settings)
    columns: dict[str, Column] = {
        "name": name,
        "ports": refs(ports),
        "acls": refs(acls),
        "qos_rules": refs(rules),
        "load_balancer_group": refs(groups),
        "other_config": _node_config(zone),
        "external_ids": role_ids(layer3.network),
    }
    return (*ports, *acls, *rules, *further, new_row("Logical_Switch", columns))


def _arp_proxy(network: Network) -> dict[str, str]:
    """The router answers for the gateway that every virtual machine has, and for pods on other nodes.

    A virtual machine that moves to another node keeps its addresses and its gateway.
    """
    subnets = (str(subnet.cidr) for subnet in network.subnets)
    return {"arp_proxy": " ".join((mac_of(_VM_GATEWAYS[0]), *map(str, _VM_GATEWAYS), *subnets))}


def _node_config(zone: Layer3Zone) -> dict[str, str]:
    """The subnets, whose addresses northd's own IPAM must not use, and the asker of multicast groups."""
    config = {}
    for share in zone.local.shares:
        if share.version == 4:
            config["subnet"] = str(share.subnet)
            if zone.layer3.network.role is Role.SECONDARY:
                # no port here has the management port's address, so northd needs an explicit exclusion
                config["exclude_ips"] = str(share.management.ip)
        else:
            config["ipv6_prefix"] = str(share.subnet.network_address)
    return config | (querier_config(zone.local.shares) if zone.relays_multicast else {})


def join_switch_rows(zone: Layer3Zone) -> tuple[Row, ...]:
    """Return the switch between cluster router and gateway router."""
    names, node = zone.layer3.names, zone.local.node.name
    network = zone.layer3.network
    ids = network_ids(network)
    ports = [_router_port(names.join_to_cluster, names.cluster_to_join, owner_ids(network))]
    if zone.gateway is not None:
        ports.append(_router_port(names.join_to_gateway(node), names.gateway_to_join(node), ids))
    return (*ports, new_row("Logical_Switch", {"name": names.join_switch, "ports": refs(ports), "external_ids": ids}))


def transit_switch_rows(zone: Layer3Zone) -> tuple[Row, ...]:
    """Return the switch that all zones share, with a port for each node's cluster router; none without overlay."""
    if not zone.layer3.has_overlay:
        return ()
    name = zone.layer3.names.transit_switch
    ports = (_local_transit_port(zone), *(_remote_transit_port(zone, peer) for peer in zone.remotes))
    columns: dict[str, Column] = {
        "name": name,
        "ports": refs(ports),
        "other_config": {
            "interconn-ts": name,
            "requested-tnl-key": str(zone.layer3.ids.switch_key),
            "mcast_snoop": "true",
            "mcast_querier": "false",
            "mcast_flood_unregistered": "true",
        },
        "external_ids": role_ids(zone.layer3.network),
    }
    return (*ports, new_row("Logical_Switch", columns))


def _local_transit_port(zone: Layer3Zone) -> Row:
    names, node = zone.layer3.names, zone.local.node
    options = {"requested-tnl-key": str(node.node_id)}
    ids = owner_ids(zone.layer3.network) | {_IC_NODE: node.name}
    return _router_port(names.transit_to_cluster(node.name), names.cluster_to_transit(node.name), ids, options)


def _remote_transit_port(zone: Layer3Zone, peer: Layer3Peer) -> Row:
    columns: dict[str, Column] = {
        "name": zone.layer3.names.transit_to_cluster(peer.node.name),
        "type": "remote",
        "addresses": (" ".join([mac_of(peer.transits[0].ip), *map(str, peer.transits)]),),
        "options": {"requested-tnl-key": str(peer.node.node_id), "requested-chassis": peer.node.chassis_id},
        "external_ids": owner_ids(zone.layer3.network) | {_IC_NODE: peer.node.name},
    }
    return new_row("Logical_Switch_Port", columns)


def _router_port(name: str, peer: str, ids: dict[str, str], options: dict[str, str] | None = None) -> Row:
    columns: dict[str, Column] = {
        "name": name,
        "type": "router",
        "addresses": ("router",),
        "options": {"router-port": peer, **(options or {})},
        "external_ids": ids,
    }
    return new_row("Logical_Switch_Port", columns)
