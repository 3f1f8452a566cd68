"""One network on one node, and the host items that carry the network's name."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.plan.host.items import IPV6_METRIC, MAIN_TABLE, Address, Link, Port, Route, Sysctl
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.addresses.addressing import (
    MASQUERADE_HOST_ETP_LOCAL,
    MASQUERADE_NEXT_HOP,
    IPInterface,
    interface,
)
from ovnguard.validators.network.declared.node import GatewayMode, Node, NodeGateway
from ovnguard.validators.network.model import IPAddress, IPNetwork, Network, Transport

# Loose reverse path filter: packets with masquerade addresses arrive from management ports.
_LOOSE: Final = "2"


@dataclass(frozen=True, slots=True)
class HostNetworkFamily:
    """One IP family of a network on a node. ``clusters`` are all its subnets, ``subnet`` is the node's own.

    ``masquerade`` is the management port's masquerade address, ``router_masquerade`` the gateway router's; None for the
    default network.
    """

    clusters: tuple[IPNetwork, ...]
    subnet: IPNetwork
    gateway: IPAddress
    management: IPInterface
    masquerade_subnet: IPNetwork
    masquerade: IPAddress | None = None
    router_masquerade: IPAddress | None = None

    @property
    def version(self) -> int:
        """The IP version."""
        return self.subnet.version

    @property
    def next_hop(self) -> IPAddress:
        """The dummy next hop towards services."""
        return self.masquerade_subnet.network_address + MASQUERADE_NEXT_HOP

    @property
    def kept_source(self) -> IPAddress:
        """The address for services with local traffic policy, whose clients' addresses stay untranslated."""
        return self.masquerade_subnet.network_address + MASQUERADE_HOST_ETP_LOCAL


@dataclass(frozen=True, slots=True)
class HostNetwork:
    """A network on a node.

    ``services`` are the cluster's service subnets, ``mac`` is the management port's and ``router_mac`` the MAC of the
    router that the port reaches.
    """

    network: Network
    node: Node
    gateway: NodeGateway
    settings: Settings
    port: str
    iface_id: str
    mac: str
    router_mac: str
    families: tuple[HostNetworkFamily, ...]
    services: tuple[IPNetwork, ...]

    @property
    def is_local_mode(self) -> bool:
        """Whether pods' traffic leaves through the node's own routing."""
        return self.gateway.mode is GatewayMode.LOCAL

    @property
    def is_routed(self) -> bool:
        """Whether pods' traffic crosses nodes without tunnels."""
        return self.network.transport is Transport.NO_OVERLAY

    @property
    def mtu(self) -> int:
        """The MTU of the network in octets, 0 while it is unknown."""
        return self.network.mtu or self.settings.default_mtu or 0

    def next_hop(self, version: int) -> IPAddress | None:
        """The node's first next hop of an IP version; a table has one default route."""
        return next((each for each in self.gateway.next_hops if each.version == version), None)

    def port_items(self, master: str) -> Iterable[Port | Link | Sysctl]:
        """Return the management port and its link. IPv6 has neither parameter per link."""
        name, network = self.port, self.network.name
        yield Port(name, self.iface_id, self.mac, self.mtu, network)
        yield Link(name, master, network=network)
        if any(each.version == 4 for each in self.families):
            yield Sysctl(f"net/ipv4/conf/{name}/forwarding", "1", network)
            yield Sysctl(f"net/ipv4/conf/{name}/rp_filter", _LOOSE, network)

    def addresses(self, *, bare: bool) -> Iterable[Address]:
        """Return the management port's addresses."""
        return (Address(self.port, each.management, bare, network=self.network.name) for each in self.families)

    def route(
        self,
        prefix: IPNetwork,
        device: str,
        via: IPAddress | None = None,
        *,
        table: int = MAIN_TABLE,
        mtu: int = 0,
        source: IPAddress | None = None,
    ) -> Route:
        """Return a route of this network."""
        metric = IPV6_METRIC if prefix.version == 6 else 0
        return Route(table, prefix, device, via, mtu, metric, source, self.network.name)


def single(address: IPAddress) -> IPNetwork:
    """Return the network of this one address."""
    return interface(address, address.max_prefixlen).network
