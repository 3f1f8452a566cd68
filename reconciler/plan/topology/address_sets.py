"""Address sets that source NAT and policies of Layer3 networks refer to, each made when the first row needs it.

Names are upstream's: the hash of the database id. Source: enhancement "no-overlay mode"; ovn-kubernetes
``pkg/ovn/address_set`` and ``libovsdb/ops/db_object_ids.go``.
"""

from collections.abc import Iterable
from typing import Final

from reconciler.plan.names import address_set_hash
from reconciler.plan.northbound import new_row
from reconciler.plan.rows import Column, Row
from reconciler.plan.topology.common import network_ids, sorted_set
from reconciler.plan.topology.layer3_zone import Layer3Zone
from validators.network.model import Network

EXEMPTION: Final = "no-overlay-snat-exemption"
NODE_IPS: Final = "node-ips"
SERVICES: Final = "udn-enabled-services"
_CLUSTER: Final = "Cluster"
_EGRESS: Final = "EgressIP"


def address_set(network: Network, owner_type: str, name: str, version: int, addresses: Iterable[object]) -> Row:
    """Return an address set of one IP version."""
    controller = f"{network.name}-network-controller"
    identity = f"{controller}:{owner_type}:{name}:v{version}:{network.name}"
    ids = {
        "k8s.ovn.org/id": identity,
        "k8s.ovn.org/name": name,
        "k8s.ovn.org/owner-controller": controller,
        "k8s.ovn.org/owner-type": owner_type,
        "ip-family": f"v{version}",
        "network": network.name,
    }
    columns: dict[str, Column] = {
        "name": address_set_hash(identity),
        "addresses": sorted_set(*sorted(set(map(str, addresses)))),
        "external_ids": ids | network_ids(network),
    }
    return new_row("Address_Set", columns)


class AddressSets:
    """The sets of one network in one zone; `used` are those that somebody asked for."""

    def __init__(self, zone: Layer3Zone) -> None:
        self._zone = zone
        self._made: dict[tuple[str, int], Row] = {}

    @property
    def used(self) -> tuple[Row, ...]:
        """Every set that was asked for."""
        return tuple(self._made.values())

    @property
    def translates(self) -> bool:
        """Whether the network's outboundSNAT is enabled."""
        options = self._zone.layer3.network.no_overlay
        return options is not None and options.outbound_snat

    def exempt(self, version: int) -> Row:
        """Where no outbound source NAT happens: the whole network, and the own node's addresses."""
        zone = self._zone
        family = zone.layer3.of_family(version)
        hosts = (each.ip for each in zone.local.node.host_cidrs if each.version == version)
        return self._get(_CLUSTER, EXEMPTION, version, (*(family.clusters if family else ()), *hosts))

    def nodes(self, version: int) -> Row:
        """Every address of every node."""
        return self._get(_EGRESS, NODE_IPS, version, self._zone.node_ips.get(version, ()))

    def services(self, version: int) -> Row:
        """Services of the default network that pods of other networks may reach."""
        addresses = [each for service in self._zone.settings.services for each in service.addresses]
        return self._get(_EGRESS, SERVICES, version, (each for each in addresses if each.version == version))

    def _get(self, owner_type: str, name: str, version: int, addresses: Iterable[object]) -> Row:
        if (name, version) not in self._made:
            made = address_set(self._zone.layer3.network, owner_type, name, version, addresses)
            self._made[name, version] = made
        return self._made[name, version]
