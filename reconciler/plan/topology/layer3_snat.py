"""Source NAT of primary Layer3 networks: on gateway routers towards the outside, on cluster routers towards the node.

With an overlay, all outbound traffic is translated, unless the network is advertised. Without one, pods' addresses are
routable, so outboundSNAT decides: if enabled, all traffic is translated except inside the network and to the own node;
if disabled, as of an advertised network, only traffic to nodes, which have no route back to the network's pods.

Source: enhancement "no-overlay mode"; ovn-kubernetes ``gateway.go``, ``no_overlay`` address sets.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from ovnguard.reconciler.plan.numbers.layer3_addresses import Share
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.topology.address_sets import exempted
from ovnguard.reconciler.plan.topology.common_rows import Scope, match_name
from ovnguard.reconciler.plan.topology.gateway_router import Edge, join_snat
from ovnguard.reconciler.plan.topology.layer3_zone import Layer3Zone
from ovnguard.reconciler.plan.topology.node_snat import outbound_match, towards_node
from ovnguard.validators.network.model import IPAddress, IPNetwork, Network


class AddressSets:
    """The address sets of one network in one zone; `used` are those with references from rows."""

    def __init__(self, zone: Layer3Zone) -> None:
        self._zone = zone
        self._made: dict[int, Row] = {}

    @property
    def used(self) -> tuple[Row, ...]:
        """Every set that was returned."""
        return tuple(self._made.values())

    def exempt(self, version: int) -> Row:
        """Destinations without outbound source NAT: the whole network, and the own node's addresses."""
        zone = self._zone
        family = zone.layer3.of_family(version)
        hosts = (each.ip for each in zone.local.node.host_cidrs if each.version == version)
        if version not in self._made:
            addresses = (*(family.clusters if family else ()), *hosts)
            self._made[version] = exempted(zone.layer3.network, version, addresses)
        return self._made[version]


_OWNER_TYPE = "NoOverlayClusterSubnetSNAT"


def exempts(network: Network, *, local: bool) -> bool:
    """Whether the gateway router translates all but the exempted destinations: outboundSNAT in shared mode."""
    return _translates(network) and not local


def _translates(network: Network) -> bool:
    return network.no_overlay is not None and network.no_overlay.outbound_snat


@dataclass(frozen=True, slots=True)
class SourceNat:
    """NAT rows of both routers, and the Address_Set rows that they need."""

    sets: tuple[Row, ...]
    on_gateway: tuple[Row, ...]
    on_cluster_router: tuple[Row, ...]


def snat_of(zone: Layer3Zone) -> SourceNat:
    """Return the source NAT of a primary network in this zone."""
    sets = AddressSets(zone)
    gateway: tuple[Row, ...] = ()
    if zone.gateway is not None:
        gateway = (*join_snat(zone.edge, zone.local.joins), *_outbound(zone, zone.edge, sets))
    router = tuple(row for share in zone.local.shares for row in _management(zone, share, sets))
    return SourceNat(sets.used, gateway, router)


def _outbound(zone: Layer3Zone, edge: Edge, sets: AddressSets) -> Iterable[Row]:
    """Source NAT of packets to the node's bridge; in local mode the node translates those of pods to the outside."""
    ports, network = zone.settings.snat_ports, zone.layer3.network
    for subnet in zone.layer3.clusters:
        outside = edge.outside(subnet.version)
        if outside is None:
            continue
        scope, match = Scope(), ""
        if exempts(network, local=zone.is_local_mode):
            scope = _exempting(zone, subnet, sets)
        else:
            match = outbound_match(network, zone.settings, subnet.version)
        if not zone.translates_pods:
            yield edge.router.snat(outside, subnet, ports, match=match, scope=scope)


def _exempting(zone: Layer3Zone, subnet: IPNetwork, sets: AddressSets) -> Scope:
    """Source NAT of all but the exempted destinations, with the database id that upstream uses to look up the row."""
    controller, node = zone.layer3.names.controller, zone.local.node.name
    cidr, family = str(subnet).replace(":", "."), match_name(subnet.version)
    network = zone.layer3.network.name
    ids = {
        "k8s.ovn.org/owner-controller": controller,
        "k8s.ovn.org/owner-type": _OWNER_TYPE,
        "k8s.ovn.org/name": node,
        "k8s.ovn.org/cidr": cidr,
        "k8s.ovn.org/id": f"{controller}:{_OWNER_TYPE}:{node}:{cidr}:{family}:{network}",
        "ip-family": family,
        "network": network,
    }
    return Scope(exempted=(sets.exempt(subnet.version),), ids=ids)


def _management(zone: Layer3Zone, share: Share, sets: AddressSets) -> Iterable[Row]:
    """The node sees the network's masquerade address instead of pod addresses, which may overlap between networks."""
    address = _management_address(zone, share.version)
    if address is None:
        return
    port, mac = zone.layer3.names.cluster_to_node(zone.local.node.name), zone.local.management_mac
    snat = partial(zone.router.snat, address, share.subnet, zone.settings.snat_ports, port=port)
    if _translates(zone.layer3.network) and zone.is_local_mode:
        yield snat(scope=Scope(exempted=(sets.exempt(share.version),)))
        return
    network, local = zone.layer3.network, zone.is_local_mode
    yield from towards_node(snat, network, zone.settings, mac, share.version, local=local)


def _management_address(zone: Layer3Zone, version: int) -> IPAddress | None:
    family = zone.layer3.of_family(version)
    backbone = family.backbone if family is not None else None
    return None if backbone is None or backbone.own is None else backbone.own.management_port.ip
