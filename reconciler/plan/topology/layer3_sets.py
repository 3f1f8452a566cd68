"""Address sets of Layer3 networks, each made when the first row needs it."""

from collections.abc import Iterable

from reconciler.plan.rows import Row
from reconciler.plan.topology.address_sets import CLUSTER, EGRESS, EXEMPTION, NODE_IPS, SERVICES, address_set
from reconciler.plan.topology.layer3_zone import Layer3Zone


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
        return self._get(CLUSTER, EXEMPTION, version, (*(family.clusters if family else ()), *hosts))

    def nodes(self, version: int) -> Row:
        """Every address of every node."""
        return self._get(EGRESS, NODE_IPS, version, self._zone.node_ips.get(version, ()))

    def services(self, version: int) -> Row:
        """Services of the default network that pods of other networks may reach."""
        addresses = [each for service in self._zone.settings.services for each in service.addresses]
        return self._get(EGRESS, SERVICES, version, (each for each in addresses if each.version == version))

    def _get(self, owner_type: str, name: str, version: int, addresses: Iterable[object]) -> Row:
        if (name, version) not in self._made:
            made = address_set(self._zone.layer3.network, owner_type, name, version, addresses)
            self._made[name, version] = made
        return self._made[name, version]
