"""Ports of a Layer2 switch towards routers, in the topology with transit routers, the one before, and in between.

Source: OKEP-5094, "Upgrade Strategy".
"""

from collections.abc import Mapping

from ovnguard.reconciler.plan.numbers.layer2_addresses import Peer
from ovnguard.reconciler.plan.rows.northbound import new_row
from ovnguard.reconciler.plan.rows.row import Column, Row
from ovnguard.reconciler.plan.topology.common_rows import NODE_KEY, network_ids
from ovnguard.reconciler.plan.topology.layer2_zone import Layer2Zone
from ovnguard.validators.network.addresses.addressing import mac_of


def switch_router_ports(zone: Layer2Zone) -> tuple[Row, ...]:
    """Return the switch's ports towards this node's router, and those for other nodes' gateway routers.

    A node without a transit router has such ports for every other node; a node with one, only for those without.
    """
    names, ids = zone.layer2.names, network_ids(zone.layer2.network)
    own = {"requested-tnl-key": str(zone.local.port_key)}
    if zone.local.is_legacy:
        port = _router_port(names.legacy_switch_to_router, names.legacy_router_to_switch, own, ids)
        return (port, *(_remote_port(zone, peer) for peer in zone.remotes))
    port = _router_port(names.switch_to_router, names.router_to_switch, {}, ids)
    if not zone.is_upgrading:
        return (port,)
    second = _router_port(names.upgrade_switch_to_router, names.upgrade_router_to_switch, own, ids)
    return (port, second, *(_remote_port(zone, peer) for peer in zone.legacy_remotes))


def _router_port(name: str, peer: str, options: Mapping[str, str], ids: Mapping[str, str]) -> Row:
    columns: dict[str, Column] = {
        "name": name,
        "type": "router",
        "addresses": ("router",),
        "options": {"router-port": peer, **options},
        "external_ids": ids,
    }
    return new_row("Logical_Switch_Port", columns)


def _remote_port(zone: Layer2Zone, peer: Peer) -> Row:
    joins = peer.joins
    columns: dict[str, Column] = {
        "name": zone.layer2.names.legacy_remote_router(peer.node.name),
        "type": "remote",
        "addresses": (" ".join([mac_of(joins[0].ip), *map(str, joins)]),),
        "options": {"requested-tnl-key": str(peer.port_key), "requested-chassis": peer.node.chassis_id},
        "external_ids": network_ids(zone.layer2.network) | {NODE_KEY: peer.node.name},
    }
    return new_row("Logical_Switch_Port", columns)
