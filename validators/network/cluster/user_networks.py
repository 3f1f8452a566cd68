"""ClusterUserDefinedNetworks as targets of RouteAdvertisements, and those with routes in the same VRF.

Source: ovn-kubernetes, ``pkg/clustermanager/routeadvertisements``; its controller does not check for overlaps.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.addresses.prefix_index import PrefixIndex
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster.no_overlay import declared
from ovnguard.validators.network.cluster.route_advertisements import (
    AUTO,
    RouteAdvertisement,
    known_advertisements,
    vrf_of,
)
from ovnguard.validators.network.cluster_view import CUDN, ROUTE_ADVERTISEMENTS
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import Network, Routing
from ovnguard.validators.network.selectors import Labels, labels_of

DEFAULT_VRF: Final = ""


class UserNetwork(NamedTuple):
    """One ClusterUserDefinedNetwork; ``vrf`` is None while its name is unknown."""

    name: str
    labels: Labels
    vrf: str | None
    network: Network
    managed: bool

    def is_in(self, target: str, advertisements: Iterable[RouteAdvertisement]) -> bool:
        """Whether its routes are in VRF ``target``: its own VRF, or one that they are advertised into."""
        if self.vrf == target or (self.managed and target == DEFAULT_VRF):
            return True
        return any(
            each.pod_network and each.target_vrf == target and each.selects(self.labels) for each in advertisements
        )


def user_network(obj: JsonObject) -> UserNetwork | None:
    """Parse a ClusterUserDefinedNetwork; None when it is invalid."""
    network = network_of(obj).network
    if network is None:
        return None
    managed = declared(obj).routed(Routing.MANAGED)
    return UserNetwork(ref_of(obj).name, labels_of(obj), vrf_of(obj), network, managed)


def user_networks(inventory: Inventory) -> tuple[UserNetwork, ...]:
    """Return all known, valid ClusterUserDefinedNetworks, by name."""
    return inventory.followed(_read, CUDN).shown


def selected_names(inventory: Inventory) -> Mapping[str, frozenset[str]]:
    """Return the ClusterUserDefinedNetworks that each RouteAdvertisements selects, by its name."""
    return inventory.followed(_selected, ROUTE_ADVERTISEMENTS, CUDN)


def meeting_in(inventory: Inventory, vrf: str) -> PrefixIndex[str]:
    """Return the subnets with routes in a VRF, with the names of their networks."""
    return inventory.followed(_by_vrf, ROUTE_ADVERTISEMENTS, CUDN).get(vrf) or PrefixIndex[str](())


def subnets_of(networks: Iterable[UserNetwork]) -> PrefixIndex[str]:
    """Return the subnets of ``networks`` with their names."""
    return PrefixIndex((subnet.cidr, each.name) for each in networks for subnet in each.network.subnets)


def shown_vrf(vrf: str) -> str:
    """Return the name of a VRF in messages."""
    return f"VRF {vrf}" if vrf else "the default VRF"


class _Read(NamedTuple):
    """All ClusterUserDefinedNetworks by the ``id()`` of their objects, and the valid ones by name."""

    by_object: Mapping[int, UserNetwork | None]
    shown: tuple[UserNetwork, ...]


def _read(now: ObservedObjects, before: _Read | None) -> _Read:
    known = {} if before is None else before.by_object
    objects = now.objects(CUDN)
    read = {id(obj): known[id(obj)] if id(obj) in known else user_network(obj) for obj in objects}
    readable = (network for obj in objects if (network := read[id(obj)]) is not None)
    return _Read(read, tuple(sorted(readable, key=lambda each: each.name)))


def _selected(now: ObservedObjects, _: object) -> Mapping[str, frozenset[str]]:
    networks = now.followed(_read, CUDN).shown
    return {
        each.name: frozenset(network.name for network in networks if each.selects(network.labels))
        for each in now.followed(known_advertisements, ROUTE_ADVERTISEMENTS)
    }


def _by_vrf(now: ObservedObjects, _: object) -> Mapping[str, PrefixIndex[str]]:
    known = now.followed(known_advertisements, ROUTE_ADVERTISEMENTS)
    advertisements = [each for each in known if each.pod_network and each.target_vrf != AUTO]
    members = _members(now.followed(_read, CUDN).shown, advertisements)
    return {vrf: subnets_of(networks) for vrf, networks in members.items()}


def _members(
    networks: Iterable[UserNetwork], advertisements: Iterable[RouteAdvertisement]
) -> dict[str, list[UserNetwork]]:
    """The VRFs that contain each network."""
    members: dict[str, list[UserNetwork]] = {DEFAULT_VRF: [], **{each.target_vrf: [] for each in advertisements}}
    for network in networks:
        found = {each.target_vrf for each in advertisements if each.selects(network.labels)}
        if network.vrf in members:
            found.add(network.vrf)
        if network.managed:
            found.add(DEFAULT_VRF)
        for vrf in found:
            members[vrf].append(network)
    return members
