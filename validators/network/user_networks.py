"""ClusterUserDefinedNetworks as RouteAdvertisements see them, and which of them meet in one VRF.

Source: ovn-kubernetes, ``pkg/clustermanager/routeadvertisements``; its controller does not look for overlaps.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from validators.json_types import JsonObject
from validators.network.inventory import Inventory
from validators.network.model import Network, Routing
from validators.network.no_overlay import declared
from validators.network.parse import network_of
from validators.network.parse_bgp import AUTO, RouteAdvertisement, route_advertisements, vrf_of
from validators.network.parse_operator import ref_of
from validators.network.prefix_index import PrefixIndex
from validators.network.selectors import Labels, labels_of
from validators.network.view import CUDN, ROUTE_ADVERTISEMENTS
from validators.records import dataclass

DEFAULT_VRF: Final = ""


@dataclass(frozen=True, slots=True)
class UserNetwork:
    """One ClusterUserDefinedNetwork; ``vrf`` is None where its name is not known beforehand."""

    name: str
    labels: Labels
    vrf: str | None
    network: Network
    managed: bool

    def is_in(self, target: str, advertisements: Iterable[RouteAdvertisement]) -> bool:
        """Whether its routes are in VRF ``target``: it is its own, or something advertises them there."""
        if self.vrf == target or (self.managed and target == DEFAULT_VRF):
            return True
        return any(
            each.pod_network and each.target_vrf == target and each.selects(self.labels) for each in advertisements
        )


def user_network(obj: JsonObject) -> UserNetwork | None:
    """Return what a ClusterUserDefinedNetwork declares, None when it cannot be read."""
    network = network_of(obj).network
    if network is None:
        return None
    managed = declared(obj).routed(Routing.MANAGED)
    return UserNetwork(ref_of(obj).name, labels_of(obj), vrf_of(obj), network, managed)


def user_networks(inventory: Inventory) -> tuple[UserNetwork, ...]:
    """Return all ClusterUserDefinedNetworks that are known and can be read, by name."""
    return inventory.derived(_read, CUDN)


def selected_names(inventory: Inventory) -> Mapping[str, frozenset[str]]:
    """Return, by name of every RouteAdvertisements, the ClusterUserDefinedNetworks that it selects."""
    return inventory.derived(_selected, ROUTE_ADVERTISEMENTS, CUDN)


def meeting_in(inventory: Inventory, vrf: str) -> PrefixIndex[str]:
    """Return the subnets whose routes meet in a VRF, with the names of their networks."""
    known = inventory.derived(_by_vrf, ROUTE_ADVERTISEMENTS, CUDN)
    return known.get(vrf) or PrefixIndex[str](())


def subnets_of(networks: Iterable[UserNetwork]) -> PrefixIndex[str]:
    """Return the subnets of ``networks`` with their names."""
    return PrefixIndex((subnet.cidr, each.name) for each in networks for subnet in each.network.subnets)


def shown_vrf(vrf: str) -> str:
    """Return how texts name a VRF."""
    return f"VRF {vrf}" if vrf else "the default VRF"


def _read(inventory: Inventory) -> tuple[UserNetwork, ...]:
    found = filter(None, map(user_network, inventory.objects(CUDN) or ()))
    return tuple(sorted(found, key=lambda each: each.name))


def _selected(inventory: Inventory) -> dict[str, frozenset[str]]:
    networks = user_networks(inventory)
    return {
        each.name: frozenset(network.name for network in networks if each.selects(network.labels))
        for each in route_advertisements(inventory)
    }


def _by_vrf(inventory: Inventory) -> dict[str, PrefixIndex[str]]:
    advertisements = [each for each in route_advertisements(inventory) if each.pod_network and each.target_vrf != AUTO]
    members: dict[str, list[UserNetwork]] = {DEFAULT_VRF: [], **{each.target_vrf: [] for each in advertisements}}
    for network in user_networks(inventory):
        found = {each.target_vrf for each in advertisements if each.selects(network.labels)}
        if network.vrf in members:
            found.add(network.vrf)
        if network.managed:
            found.add(DEFAULT_VRF)
        for vrf in found:
            members[vrf].append(network)
    return {vrf: subnets_of(networks) for vrf, networks in members.items()}
