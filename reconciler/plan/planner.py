"""The planner: networks and nodes in, the content of every node's zone out.

A network that cannot be planned is an error value and does not affect the others. A node that is not ready is skipped:
a zone changes only when all facts about its own node are known, so a temporarily missing annotation does not empty the
zone.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType

from ovnguard.reconciler.plan.bgp.frr_files import FrrFiles
from ovnguard.reconciler.plan.bgp.routing import Routing, plan_routing
from ovnguard.reconciler.plan.cluster_rows import Isolated, cluster_rows
from ovnguard.reconciler.plan.connections.connected_groups import beyond_subnets, with_connections
from ovnguard.reconciler.plan.inputs.plannable_nodes import (
    PlannableNodes,
    Waiting,
    addresses_of,
    counted,
    plannable_nodes,
)
from ovnguard.reconciler.plan.inputs.uplinks import UplinkGateways, uplink_fault
from ovnguard.reconciler.plan.numbers.layer2_addresses import Layer2, Peer, layer2_of, peer_of, upgrade_faults
from ovnguard.reconciler.plan.numbers.live_allocations import LiveAllocation
from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds, allocate
from ovnguard.reconciler.plan.pods.pod_groups import pod_groups
from ovnguard.reconciler.plan.rows.model import ActiveNodes, PodPort, Remark
from ovnguard.reconciler.plan.rows.names import Names, is_safe
from ovnguard.reconciler.plan.rows.row import Row, ZonePlan
from ovnguard.reconciler.plan.rows.row_groups import SHARED, RowGroups
from ovnguard.reconciler.plan.rows.settings import Settings, common_part, parts_of_networks
from ovnguard.reconciler.plan.services.allowed_services import missing_note
from ovnguard.reconciler.plan.services.service_groups import with_services
from ovnguard.reconciler.plan.topology.common_rows import protection_rows
from ovnguard.reconciler.plan.topology.layer2 import layer2_rows
from ovnguard.reconciler.plan.topology.layer2_switch import secondary_switch_rows
from ovnguard.reconciler.plan.topology.layer2_zone import Layer2Zone
from ovnguard.reconciler.plan.topology.layer3_networks import ClusterContext, PlannedLayer3, layer3s_of
from ovnguard.reconciler.plan.topology.localnet import localnet_rows
from ovnguard.reconciler.plan.topology.routed_isolation import Routed
from ovnguard.validators.network.addresses.addressing import AddressError
from ovnguard.validators.network.declared.node import TOPOLOGY_VERSION, GatewayMode, Node
from ovnguard.validators.network.model import Network, Role, Topology, Transport


@dataclass(frozen=True, slots=True)
class Plan:
    """The content of every zone, with notes and errors.

    ``notes`` name objects that are not planned yet, ``errors`` those that cannot be planned. ``routing`` are the
    objects behind the zones' FRR files; of generated ones, those of the wanted zones. ``ids`` are the numbers of every
    network by its name.
    ``waiting`` are, by node, the networks that currently lack facts for its zone: no rows are planned there, and
    existing ones should stay. ``refused`` are the names of the ports that pods with errors do not get, ``stranded``
    those of pods on unknown nodes.
    """

    zones: tuple[ZonePlan, ...]
    notes: tuple[Remark, ...] = ()
    errors: tuple[Remark, ...] = ()
    routing: Routing = field(default_factory=Routing)
    ids: Mapping[str, NetworkIds] = field(default_factory=dict, hash=False)
    waiting: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    refused: frozenset[str] = frozenset()
    stranded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Planned:
    """A primary Layer2 network with the links of every node that has them."""

    layer2: Layer2
    peers: Mapping[str, Peer]


def make_plan(
    networks: Sequence[Network],
    nodes: Sequence[Node],
    settings: Settings,
    zones: Collection[str] | None = None,
    held: Mapping[str, LiveAllocation] = MappingProxyType({}),
    memo: Memo | None = None,
    pods: Mapping[str, tuple[PodPort, ...]] = MappingProxyType({}),
) -> Plan:
    """Return the plan of ``networks`` on ``nodes``, both in order of creation; zones come in order of node names.

    ``zones`` names the nodes whose zones are wanted, all by default: a node that maintains only its own zone need not
    plan all rows. The content of a zone does not depend on it. ``held`` are allocations in live rows; a network keeps
    them unless its object records others. ``memo`` makes the next plan of almost the same networks cheap, and reuses
    the row objects of unchanged networks. ``pods`` are by network name, in order of creation; pods of networks that are
    not planned have no ports.
    """
    memo = Memo() if memo is None else memo
    errors = beyond_subnets(settings.connections, nodes)
    usable, ids = _numbered(_usable(networks, nodes, errors), held, errors)
    memo.begin(nodes, common_part(settings), {network.name for network in usable})
    layer2s = _layer2s(usable, ids, settings, errors, memo)
    members = plannable_nodes(nodes, needs_gateway=bool(layer2s))
    waiting = Waiting()
    activity = settings.activity
    planned = tuple(_planned(each, members, activity.get(each.network.name), errors, waiting, memo) for each in layer2s)
    layer3s = layer3s_of(usable, ids, settings, members, errors, waiting, memo)
    routing = plan_routing(usable, ids, nodes, settings, zones)
    frr = FrrFiles(routing.configurations, usable, settings, settings.routing.secrets)
    shared = _rows_of_every_zone(usable, ids, memo)
    addresses = addresses_of(nodes) if layer2s or layer3s else {}
    ports = pod_groups(usable, ids, pods, nodes, members, settings, memo)
    uplinks = UplinkGateways(settings.uplinks)
    cluster = ClusterContext(settings, addresses, parts_of_networks(settings), activity, uplinks)
    made = []
    for node in members.zones:
        if zones is None or node.name in zones:
            own = {name: rows for name, rows in shared.items() if cluster.has_rows(name, node.name)}
            groups = ports.joined({**own, **_with_routers(node, planned, layer3s, cluster, memo)}, node, memo)
            served = with_services(groups, node, usable, ids, settings, memo)
            rows = RowGroups(with_connections(served, node, nodes, usable, ids, cluster, memo))
            made.append(ZonePlan(node.name, rows, *frr.on(node)))
    silent = [*_unserved(planned, layer3s, members, settings), *_no_egress(layer3s, settings)]
    lacking = uplinks.notes(usable, members.zones, cluster.has_rows)
    notes = (*members.notes, *silent, *waiting.notes, *lacking, *routing.notes, *frr.notes, *ports.notes)
    errors += (*members.errors, *routing.errors, *frr.errors, *dict.fromkeys(ports.errors))
    portless = frozenset(ports.refused), frozenset(ports.stranded)
    return Plan(tuple(made), tuple(dict.fromkeys(notes)), tuple(errors), routing, ids, waiting.by_node, *portless)


def _numbered(
    networks: Sequence[Network], held: Mapping[str, LiveAllocation], errors: list[Remark]
) -> tuple[tuple[Network, ...], Mapping[str, NetworkIds]]:
    """The networks that have numbers, and these by name."""
    allocation = allocate(networks, held)
    errors += (Remark(error.text, error.network) for error in allocation.errors)
    return tuple(network for network in networks if network.name in allocation.ids), allocation.ids


def _usable(networks: Sequence[Network], nodes: Sequence[Node], errors: list[Remark]) -> tuple[Network, ...]:
    """Networks whose names do not clash ('-', '/' and '.' are the same in OVN names), with uplinks that nodes allow."""
    taken: dict[str, str] = {}
    usable = []
    for network in networks:
        prefix = Names(network.name).prefix
        if not is_safe(network.name):
            errors.append(Remark("the name has characters that OVN names cannot have", network.name[:253]))
        elif prefix in taken:
            errors.append(Remark(f'its OVN names are those of network "{taken[prefix]}"', network.name))
        elif network.transport is Transport.EVPN:
            errors.append(Remark("networks with transport EVPN cannot be planned", network.name))
        elif fault := uplink_fault(network, nodes):
            errors.append(Remark(fault, network.name))
        else:
            taken[prefix] = network.name
            usable.append(network)
    return tuple(usable)


def _layer2s(
    networks: Sequence[Network],
    ids: Mapping[str, NetworkIds],
    settings: Settings,
    errors: list[Remark],
    memo: Memo,
) -> tuple[Layer2, ...]:
    found = []
    for network in networks:
        if network.topology is not Topology.LAYER2 or network.role is not Role.PRIMARY:
            continue
        numbers = ids[network.name]
        layer2 = memo.of("addresses", network, numbers, partial(layer2_of, network, numbers, settings))
        if isinstance(layer2, AddressError):
            errors.append(Remark(layer2.text, network.name))
        else:
            found.append(layer2)
    return tuple(found)


def _planned(
    layer2: Layer2,
    members: PlannableNodes,
    active: ActiveNodes | None,
    errors: list[Remark],
    waiting: Waiting,
    memo: Memo,
) -> _Planned:
    """Links of all nodes that can have them."""
    make = partial(_links, layer2, members, active)
    planned, failed, unknown = memo.of("links", layer2.network, layer2.ids, make, active)
    if failed or unknown:
        for remark in failed:
            waiting.add(remark.node, layer2.network.name)
        errors += counted(failed)
        waiting.notes += counted(unknown)
    return planned


def _links(
    layer2: Layer2, members: PlannableNodes, active: ActiveNodes | None
) -> tuple[_Planned, list[Remark], list[Remark]]:
    """The links of all nodes, errors about nodes without, and notes about nodes of unknown topology."""
    links = {node.name: peer_of(layer2, node) for node in members.linked(active)}
    links |= upgrade_faults(layer2, [each for each in links.values() if isinstance(each, Peer)])
    wrong = {node: each for node, each in links.items() if isinstance(each, AddressError)}
    peers = {node: each for node, each in links.items() if isinstance(each, Peer)}
    name, text = layer2.network.name, f"other nodes have no port for its gateway router: waiting for {TOPOLOGY_VERSION}"
    unknown = [node for node, peer in peers.items() if peer.is_unknown and len(peers) > 1]
    return (
        _Planned(layer2, peers),
        [Remark(each.text, name, node) for node, each in wrong.items()],
        [Remark(text, name, node) for node in unknown],
    )


def _with_routers(
    node: Node, planned: Sequence[_Planned], layer3s: Sequence[PlannedLayer3], cluster: ClusterContext, memo: Memo
) -> Mapping[str, tuple[Row, ...]]:
    """Rows of all networks with routers in the zone of ``node`` by network, and the rows that their routers share."""
    kind, settings = f"rows of {node.name}", cluster.settings
    protection = protection_rows(settings.acl_logging_rate)
    groups: dict[str, tuple[Row, ...]] = {}
    routed: list[Routed] = []
    for each in planned:
        layer2 = each.layer2
        has_rows = cluster.has_rows(layer2.network.name, node.name)
        if node.gateway is not None and has_rows and node.name in each.peers:
            make = partial(_layer2_zone, node, each, cluster, protection[-1])
            inputs = cluster.inputs_of(layer2.network, node)
            groups[layer2.network.name] = memo.of(kind, layer2.network, layer2.ids, make, inputs)
            if settings.advertises and settings.is_routed(layer2.network):
                names, is_legacy = layer2.names, each.peers[node.name].is_legacy
                port = names.legacy_switch_to_router if is_legacy else names.switch_to_router
                routed.append(Routed(layer2.network, port))
    for other in layer3s:
        if other.is_planned_on(node, cluster):
            layer3 = other.layer3
            make = partial(other.rows, node, cluster, protection[-1])
            inputs = cluster.inputs_of(layer3.network, node)
            groups[layer3.network.name] = memo.of(kind, layer3.network, layer3.ids, make, inputs)
            if settings.advertises and layer3.is_primary and settings.is_routed(layer3.network):
                routed.append(Routed(layer3.network, layer3.names.node_to_cluster(node.name)))
    common = cluster_rows(node, (each.layer2 for each in planned), layer3s, Isolated(routed, groups), cluster)
    return {SHARED: (*protection, *common), **groups} if groups else {}


def _layer2_zone(node: Node, each: _Planned, cluster: ClusterContext, protection: Row) -> tuple[Row, ...]:
    found = cluster.remotes(each.layer2.network.name, node.name, each.peers)
    remotes = tuple(peer for peer in found if not peer.is_unknown)
    gateway = cluster.uplinks.gateway(each.layer2.network, node)
    zone = Layer2Zone(each.layer2, each.peers[node.name], gateway, remotes, cluster.settings)
    return layer2_rows(zone, protection)


def _rows_of_every_zone(
    networks: Sequence[Network], ids: Mapping[str, NetworkIds], memo: Memo
) -> Mapping[str, tuple[Row, ...]]:
    """Rows that do not depend on a node: switches without routers."""
    groups = {}
    for network in networks:
        if network.topology is Topology.LOCALNET:
            make = localnet_rows
        elif network.topology is Topology.LAYER2 and network.role is Role.SECONDARY:
            make = secondary_switch_rows
        else:
            continue
        numbers = ids[network.name]
        groups[network.name] = memo.of("rows", network, numbers, partial(make, network, numbers))
    return groups


def _unserved(
    planned: Sequence[_Planned], layer3s: Sequence[PlannedLayer3], members: PlannableNodes, settings: Settings
) -> list[Remark]:
    """The note about routes that lack a known destination; only zones in shared mode would have them."""
    needy = bool(planned) or any(each.uses_services for each in layer3s)
    shared = any(node.gateway is not None and node.gateway.mode is GatewayMode.SHARED for node in members.zones)
    remarks = []
    if settings.default_mtu is None and (planned or layer3s):
        remarks.append(Remark("no gateway_mtu: the default network's MTU is not known"))
    if needy and shared and settings.unknown_services:
        remarks.append(Remark(missing_note(settings.unknown_services)))
    return remarks


def _no_egress(layer3s: Sequence[PlannedLayer3], settings: Settings) -> list[Remark]:
    """EgressIPs and EgressServices without rows: without tunnels, pods leave only through their own node."""
    routed = [each.layer3.network.name for each in layer3s if not each.layer3.has_overlay]
    kinds = (("EgressIP", settings.egress), ("EgressService", settings.egress_services))
    text = "without tunnels, pods leave only through their own node"
    return [
        Remark(f"no {kind}: {text}", name)
        for kind, objects in kinds
        for name in routed
        if any(each.network == name for each in objects)
    ]
