"""ClusterNetworkConnects as frozen values, and the networks that they select.

Source: ovn-kubernetes, ``pkg/crd/clusternetworkconnect/v1`` and ``pkg/clustermanager/networkconnect``.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster.network_namespaces import namespaces, primary_of
from ovnguard.validators.network.cluster.user_networks import user_networks
from ovnguard.validators.network.cluster_view import CLUSTER_NETWORK_CONNECT
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import IPNetwork, Network, Role
from ovnguard.validators.network.parse_values import Reader, dig, mapping, text_of
from ovnguard.validators.network.selectors import matches, or_everything

SUBNETS: Final = "spec.connectSubnets"
SELECTORS: Final = "spec.networkSelectors"


class ConnectSubnet(NamedTuple):
    """A subnet for links; each Layer3 network has a part of it, whose prefix length is ``part``."""

    path: str
    cidr: IPNetwork
    part: int


class NetworkConnect(NamedTuple):
    """One ClusterNetworkConnect: its name, its valid subnets, and its selectors; those that are absent are None."""

    name: str
    subnets: tuple[ConnectSubnet, ...]
    cudn_selector: object | None
    namespace_selector: object | None

    def networks(self, inventory: Inventory) -> tuple[Network, ...]:
        """Return the networks that it selects, by name, as far as they are known."""
        return tuple(dict(sorted((network.name, network) for network in self._selected(inventory))).values())

    def _selected(self, inventory: Inventory) -> Iterator[Network]:
        if self.cudn_selector is not None:
            for each in user_networks(inventory):
                if each.network.role is Role.PRIMARY and matches(self.cudn_selector, each.labels):
                    yield each.network
        if self.namespace_selector is not None:
            for namespace in namespaces(inventory).selected_by(self.namespace_selector):
                network = primary_of(inventory, namespace.name)
                if network is not None:
                    yield network


def network_connect(obj: JsonObject) -> NetworkConnect:
    """Parse a ClusterNetworkConnect. Never raises; invalid values, which the definition refuses, count as absent."""
    listed = mapping(obj, "spec").get("networkSelectors")
    items = listed if isinstance(listed, list) else ()
    selectors = {text_of(dig(each, "networkSelectionType")): each for each in items}
    cudns, spaces = (selectors.get(f"{kind}UserDefinedNetworks") for kind in ("Cluster", "Primary"))
    return NetworkConnect(
        ref_of(obj).name,
        tuple(_subnets(obj)),
        cudns and or_everything(dig(cudns, "clusterUserDefinedNetworkSelector", "networkSelector")),
        spaces and or_everything(dig(spaces, "primaryUserDefinedNetworkSelector", "namespaceSelector")),
    )


def _subnets(obj: JsonObject) -> Iterator[ConnectSubnet]:
    reader = Reader()
    for path, item in reader.items(SUBNETS, dig(obj, "spec", "connectSubnets")):
        cidr, part = reader.cidr(f"{path}.cidr", dig(item, "cidr")), dig(item, "networkPrefix")
        if cidr is not None and isinstance(part, int) and cidr.prefixlen < part < cidr.max_prefixlen:
            yield ConnectSubnet(f"{path}.cidr", cidr, part)


def network_connects(inventory: Inventory) -> tuple[NetworkConnect, ...]:
    """Return all known ClusterNetworkConnects, by name."""
    return inventory.followed(_read, CLUSTER_NETWORK_CONNECT)


def _read(now: ObservedObjects, _: object) -> tuple[NetworkConnect, ...]:
    found = map(network_connect, now.objects(CLUSTER_NETWORK_CONNECT))
    return tuple(sorted(found, key=lambda each: each.name))
