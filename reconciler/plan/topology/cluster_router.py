"""The cluster router of a Layer3 network: the gateway of the node's pods, connected to the outside and to other nodes.

Source: ovn-kubernetes ``master.go``, ``gateway.go``, ``zone_interconnect`` and ``pkg/kubevirt/router.go``; enhancement
"no-overlay mode", "NAT".
"""

from collections.abc import Iterable
from functools import partial
from typing import Final

from ovnguard.reconciler.plan.numbers.layer3_addresses import Layer3Peer, Share
from ovnguard.reconciler.plan.rows.northbound import new_row, of_table, refs
from ovnguard.reconciler.plan.rows.row import UPSTREAM_NETWORK_KEY, Column, Row
from ovnguard.reconciler.plan.topology.common_rows import ZONE_KEY, match_name, network_ids, owner_ids, sorted_set
from ovnguard.reconciler.plan.topology.internal_traffic import internal_policies, reply_policy
from ovnguard.reconciler.plan.topology.layer3_zone import Layer3Zone
from ovnguard.validators.network.addresses.addressing import interface, mac_of
from ovnguard.validators.network.model import NETWORK_ID_ANNOTATION as NUMBER_KEY
from ovnguard.validators.network.model import IPAddress

TO_NODE: Final = 1004
IC_NODE_KEY: Final = "ic-node"
MACHINE_KEY: Final = "k8s.ovn.org/vm"
NAMESPACE_KEY: Final = "k8s.ovn.org/namespace"


def cluster_router_rows(zone: Layer3Zone, further: Iterable[Row], protection: Row | None) -> tuple[Row, ...]:
    """Return the cluster router and all rows on it.

    ``further`` are rows that other modules add to it: source NAT, egress policies. ``protection`` is the Copp row.
    """
    children = (
        *_node_port(zone),
        *_transit_port(zone),
        *_interconnect_routes(zone),
        *_machine_routes(zone),
        *(_backbone_rows(zone) if zone.layer3.is_primary else ()),
        *further,
    )
    options = {"always_learn_from_arp_request": "false"}
    if zone.is_local_mode and not zone.layer3.network.is_default:
        options["ct-commit-all"] = "true"
    if zone.relays_multicast:
        options["mcast_relay"] = "true"
    columns: dict[str, Column] = {
        "name": zone.router.router,
        "ports": of_table("Logical_Router_Port", children),
        "static_routes": of_table("Logical_Router_Static_Route", children),
        "policies": of_table("Logical_Router_Policy", children),
        "nat": of_table("NAT", children),
        "copp": refs([protection] if protection is not None else ()),
        "options": options,
        "external_ids": {"k8s-cluster-router": "yes", **zone.router.ids, **number_ids(zone)},
    }
    return (*children, new_row("Logical_Router", columns))


def number_ids(zone: Layer3Zone) -> dict[str, str]:
    """Return the record of the network's id: without a transit switch, no other row records it for the next plan."""
    return {} if zone.layer3.network.is_default else {NUMBER_KEY: str(zone.layer3.ids.network_id)}


def _node_port(zone: Layer3Zone) -> tuple[Row, Row]:
    """The port that is the pods' gateway, bound to the local chassis so that it can translate addresses."""
    names, node = zone.layer3.names, zone.local.node
    name, ids = names.cluster_to_node(node.name), owner_ids(zone.layer3.network)
    pinned = new_row(
        "Gateway_Chassis",
        {"name": f"{name}-{node.chassis_id}", "chassis_name": node.chassis_id, "priority": 1, "external_ids": ids},
    )
    columns: dict[str, Column] = {
        "name": name,
        "mac": mac_of(zone.local.shares[0].gateway.ip),
        "networks": sorted_set(*(share.gateway for share in zone.local.shares)),
        "options": zone.gateway_mtu,
        "gateway_chassis": refs([pinned]),
        "external_ids": ids,
    }
    return pinned, new_row("Logical_Router_Port", columns)


def _transit_port(zone: Layer3Zone) -> Iterable[Row]:
    """The port towards other nodes' cluster routers; a network without overlay has none."""
    if zone.local.transits:
        columns: dict[str, Column] = {
            "name": zone.layer3.names.cluster_to_transit(zone.local.node.name),
            "mac": mac_of(zone.local.transits[0].ip),
            "networks": sorted_set(*zone.local.transits),
            "options": {"mcast_flood": "true"},
            "external_ids": owner_ids(zone.layer3.network),
        }
        yield new_row("Logical_Router_Port", columns)


def _interconnect_routes(zone: Layer3Zone) -> Iterable[Row]:
    """Routes to other nodes' pods and gateway routers, over the transit switch."""
    for peer in zone.remotes if zone.layer3.has_overlay else ():
        extra = {UPSTREAM_NETWORK_KEY: zone.layer3.network.name, IC_NODE_KEY: peer.node.name}
        hosts = (interface(join.ip, join.max_prefixlen).network for join in peer.joins)
        for target in (*(share.subnet for share in peer.shares), *hosts):
            yield zone.router.route(target, peer.transit(target.version), extra=extra, labelled=False)


def _machine_routes(zone: Layer3Zone) -> Iterable[Row]:
    """Routes to virtual machines that moved to a node with another subnet than that of their address."""
    for machine in zone.settings.machines:
        if machine.network != zone.layer3.network.name:
            continue
        is_local = machine.node == zone.local.node.name
        peer = next((each for each in (zone.local, *zone.remotes) if each.node.name == machine.node), None)
        if peer is None or any(each in share.subnet for each in machine.addresses for share in peer.shares):
            continue
        where = {ZONE_KEY: "local" if is_local else "remote"}
        ids = {**where, MACHINE_KEY: machine.machine, NAMESPACE_KEY: machine.namespace}
        route = partial(zone.router.route, policy="dst-ip", extra=ids, labelled=False)
        for address in machine.addresses:
            if is_local:
                port = zone.layer3.names.cluster_to_node(machine.node)
                yield route(address, address, port=port)
            elif any(each.version == address.version for each in peer.transits):
                yield route(address, peer.transit(address.version))


def _backbone_rows(zone: Layer3Zone) -> tuple[Row, ...]:
    """Rows of primary networks only: the route to the gateway router, and the routes and policies that use it."""
    return (_join_port(zone), *_egress_routes(zone), *_service_routes(zone), *_policies(zone))


def _join_port(zone: Layer3Zone) -> Row:
    addresses = zone.layer3.cluster_joins
    columns: dict[str, Column] = {
        "name": zone.layer3.names.cluster_to_join,
        "mac": mac_of(addresses[0].ip),
        "networks": sorted_set(*addresses),
        "external_ids": network_ids(zone.layer3.network),
    }
    return new_row("Logical_Router_Port", columns)


def _egress_routes(zone: Layer3Zone) -> Iterable[Row]:
    """Routes for outbound traffic of pods: through the gateway router, or in local mode through the node itself.

    The host routes to the join address bring replies back to the gateway router that the request came from. Traffic of
    other nodes' pods arrives here only when this node has an egress address.
    """
    router, local = zone.router, zone.local
    for join in local.joins if zone.gateway is not None else ():
        yield router.route(join.ip, join.ip)
    for share in local.shares if zone.gateway is not None else ():
        hop = share.management.ip if zone.is_local_mode else local.join(share.version)
        yield router.route(share.subnet, hop, policy="src-ip")
    for subnet in zone.layer3.clusters:
        # where a node's subnet is the whole network subnet, its route is this one
        if all(share.subnet != subnet for share in local.shares):
            yield router.route(subnet, local.join(subnet.version), policy="src-ip", labelled=False)


def _service_routes(zone: Layer3Zone) -> Iterable[Row]:
    """Services of the default network that pods of other networks may reach, through the node."""
    if zone.layer3.network.is_default or zone.is_local_mode:
        return
    for service in zone.settings.services:
        extra = {"k8s.ovn.org/udn-enabled-default-service": service.name}
        for address in service.addresses:
            share = first_share(zone.local, address.version)
            if share is not None:
                yield zone.router.route(address, share.management.ip, policy="dst-ip", extra=extra)


def _policies(zone: Layer3Zone) -> Iterable[Row]:
    """Traffic to the node goes to its management port; traffic inside the network bypasses egress policies."""
    names, node = zone.layer3.names, zone.local.node.name
    for address in _host_addresses(zone):
        share = first_share(zone.local, address.version)
        if share is not None:
            target = f"{match_name(address.version)}.dst == {address}"
            match = f'inport == "{names.cluster_to_node(node)}" && {target} /* {names.node_switch(node)} */'
            yield zone.router.reroute(TO_NODE, match, share.management.ip)
    for family in zone.layer3.families:
        for source in family.clusters:
            yield from internal_policies(zone.router, zone.layer3.network, source, family.clusters, zone.settings)
    yield reply_policy(zone.router, zone.layer3.network)


def _host_addresses(zone: Layer3Zone) -> tuple[IPAddress, ...]:
    """The node's own addresses: the first of each family on the bridge, and others that pods may reach.

    For the default network those are all host addresses; for others the gateway router's masquerade addresses.
    """
    if zone.gateway is None:
        return ()
    first: dict[int, IPAddress] = {}
    for each in zone.gateway.addresses:
        first.setdefault(each.version, each.ip)
    if zone.layer3.network.is_default:
        others = [each.ip for each in zone.local.node.host_cidrs]
    else:
        others = [family.own for family in zone.edge.families if family.own is not None]
    return tuple(dict.fromkeys((*first.values(), *others)))


def first_share(peer: Layer3Peer, version: int) -> Share | None:
    """Return the node's first subnet of an IP version, or None."""
    return next((share for share in peer.shares if share.version == version), None)
