"""The host part of a node's plan, from the same networks, nodes and numbers as its rows."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.plan.host.default_network import PORT, default_items, default_nft
from ovnguard.reconciler.plan.host.flows import bridge_flows
from ovnguard.reconciler.plan.host.host_diff import order_of
from ovnguard.reconciler.plan.host.host_network import HostNetwork, HostNetworkFamily
from ovnguard.reconciler.plan.host.host_plan import ALL_ABILITIES, Abilities, HostPlan
from ovnguard.reconciler.plan.host.items import Address
from ovnguard.reconciler.plan.host.user_network import isolation, port_name, user_items
from ovnguard.reconciler.plan.numbers.layer2_addresses import Layer2, layer2_of, router_mac
from ovnguard.reconciler.plan.numbers.layer3_addresses import Layer3, Layer3Peer, layer3_of, layer3_peer_of
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.rows.model import Remark
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.addresses.addressing import AddressError, interface, mac_of
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPAddress, IPNetwork, Network, Role, Topology

NO_VRF: Final = (
    "the kernel has no VRF devices: rules by interface select the networks' tables instead; sockets cannot be bound "
    "to a network, routes of its VRF are not imported, and the node reaches one of several overlapping networks"
)


@dataclass(frozen=True, slots=True)
class HostInputs:
    """The inputs of host parts. ``ids`` are those of a Plan; networks in ``doubtful`` are not planned now."""

    networks: tuple[Network, ...]
    nodes: tuple[Node, ...]
    ids: Mapping[str, NetworkIds]
    settings: Settings
    doubtful: frozenset[str] = frozenset()


def host_plan(name: str, inputs: HostInputs, abilities: Abilities = ALL_ABILITIES) -> HostPlan:
    """Return the host part of node ``name``; empty for an unknown node or one without a recorded gateway."""
    node = next((each for each in inputs.nodes if each.name == name), None)
    masquerades = inputs.settings.masquerade_subnets
    if node is None or node.gateway is None or node.node_id is None:
        return HostPlan(name, masquerades=masquerades)
    host_networks = tuple(_host_networks(node, inputs))
    default = next((each for each in host_networks if each.network.is_default), None)
    users = tuple(each for each in host_networks if not each.network.is_default)
    items = [item for on_host in users for item in user_items(on_host, _id(on_host, inputs), abilities)]
    sets, chains = isolation(users)
    if default is not None:
        items += default_items(default)
        others = tuple(each for each in inputs.nodes if each.name != name)
        more_sets, more_chains = default_nft(default, others)
        sets, chains = [*sets, *more_sets], [*chains, *more_chains]
    marked = _egress(users, inputs)
    items += bridge_flows([(on_host, _id(on_host, inputs)) for on_host in host_networks], marked)
    for _, address in marked:
        own = interface(address, address.max_prefixlen)
        items.append(Address(node.gateway.bridge_id, own, marked=True, network=DEFAULT_NETWORK))
    items = list({(item.kind, item.key): item for item in items}.values())
    items.sort(key=order_of)
    return HostPlan(
        name,
        tuple(items),
        tuple(sorted(sets, key=lambda each: each.name)),
        tuple(sorted(chains, key=lambda each: each.name)),
        tuple(_notes(node, users, inputs, abilities)),
        masquerades,
    )


def _host_networks(node: Node, inputs: HostInputs) -> Iterable[HostNetwork]:
    services = services_of(inputs.networks)
    for network in inputs.networks:
        if network.role is not Role.PRIMARY or network.name not in inputs.ids or network.name in inputs.doubtful:
            continue
        if network.uplink:
            continue
        on_host = _host_network(network, node, inputs, services)
        if on_host is not None:
            yield on_host


def services_of(networks: Sequence[Network]) -> tuple[IPNetwork, ...]:
    """Return the cluster's service subnets, which the default network's object specifies."""
    return next((network.service_subnets for network in networks if network.is_default), ())


def _host_network(
    network: Network, node: Node, inputs: HostInputs, services: tuple[IPNetwork, ...]
) -> HostNetwork | None:
    ids = inputs.ids[network.name]
    gateway = node.gateway
    assert gateway is not None, "a host part needs a node with a gateway"
    found: tuple[tuple[HostNetworkFamily, ...], str, str] | None = None
    if network.topology is Topology.LAYER2:
        layer2 = layer2_of(network, ids, inputs.settings)
        if isinstance(layer2, Layer2):
            found = (_of_layer2(layer2), layer2.management_mac(node), router_mac(layer2, node))
    elif network.topology is Topology.LAYER3:
        layer3 = layer3_of(network, ids, inputs.settings)
        peer = layer3 if isinstance(layer3, AddressError) else layer3_peer_of(layer3, node)
        if isinstance(layer3, Layer3) and isinstance(peer, Layer3Peer):
            found = (_of_layer3(layer3, peer), peer.management_mac, mac_of(peer.shares[0].gateway.ip))
    if found is None:
        return None
    families, mac, router = found
    port = PORT if network.is_default else port_name(ids.network_id)
    iface_id = Names(network.name).management_port(node.name)
    return HostNetwork(network, node, gateway, inputs.settings, port, iface_id, mac, router, families, services)


def _of_layer2(layer2: Layer2) -> tuple[HostNetworkFamily, ...]:
    return tuple(
        HostNetworkFamily(
            (each.subnet,),
            each.subnet,
            each.gateway.ip,
            each.management,
            each.masquerade_subnet,
            each.masquerade.management_port.ip,
            each.masquerade.gateway_router.ip,
        )
        for each in layer2.families
    )


def _of_layer3(layer3: Layer3, peer: Layer3Peer) -> tuple[HostNetworkFamily, ...]:
    found = []
    seen: set[int] = set()
    for share in peer.shares:
        family = layer3.of_family(share.version)
        # a second subnet of a family has no address on the port
        if family is None or family.backbone is None or share.version in seen:
            continue
        seen.add(share.version)
        own = family.backbone.own
        found.append(
            HostNetworkFamily(
                family.clusters,
                share.subnet,
                share.gateway.ip,
                share.management,
                family.backbone.masquerade_subnet,
                None if own is None else own.management_port.ip,
                None if own is None else own.gateway_router.ip,
            )
        )
    return tuple(found)


def _egress(users: Sequence[HostNetwork], inputs: HostInputs) -> tuple[tuple[int, IPAddress], ...]:
    """Packet marks and addresses of user-defined networks' EgressIPs that are assigned to this node.

    As upstream, all marks apply to packets of every network.
    """
    networks = {on_host.network.name: on_host.node.name for on_host in users}
    found = [
        (each.mark, hop.address)
        for each in inputs.settings.egress
        for hop in each.hops
        if networks.get(each.network) == hop.node
    ]
    return tuple(dict.fromkeys(found))


def _id(on_host: HostNetwork, inputs: HostInputs) -> int:
    return inputs.ids[on_host.network.name].network_id


def _notes(node: Node, users: Collection[HostNetwork], inputs: HostInputs, abilities: Abilities) -> Iterable[Remark]:
    for network in inputs.networks:
        if network.uplink and network.name in inputs.ids:
            yield Remark("no host part, because it has an uplink", network.name, node.name)
    if node.gateway is not None and node.gateway.vlan_id:
        yield Remark("no flows of the external bridge, because its gateway is in a VLAN", node=node.name)
    if users and not abilities.vrf:
        yield Remark(NO_VRF, node=node.name)
    if users and not services_of(inputs.networks):
        yield Remark("no routes to services: no object defines the cluster's service subnets", node=node.name)
