"""The addresses that may call the admission routes: given networks, and those of the cluster's API servers.

An API server without a client certificate for webhooks is known only by its address. Every API server publishes its
own address in the EndpointSlice of the Service `default/kubernetes`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import TYPE_CHECKING, Final, TypeAlias

import click

from ovnguard.validators.cluster.resources import Part, Resource
from ovnguard.webhook.server.client_address import IPAddress, canonical

if TYPE_CHECKING:
    from ovnguard.validators.cluster.client_protocol import Client

API_SERVERS: Final = "apiservers"
"""The value of ``--client-network`` for the addresses that the API servers publish."""
UNKNOWN: Final = "the addresses of the API servers are not known"
SLICES: Final = Resource("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", namespaced=True)
PUBLISHED: Final = Part(namespace="default", labels="kubernetes.io/service-name=kubernetes")
IPNetwork: TypeAlias = IPv4Network | IPv6Network


def _nobody() -> Sequence[object] | None:
    return ()


@dataclass(frozen=True, slots=True)
class ClientNetworks:
    """``slices`` returns the EndpointSlices of the API servers, or None while they are unknown."""

    networks: tuple[IPNetwork, ...]
    slices: Callable[[], Sequence[object] | None] = _nobody

    def accept(self, address: str) -> bool:
        """Whether a client with this address may call the admission routes."""
        client = canonical(address)
        if client is None:
            return False
        within = (client in network for network in self.networks if network.version == client.version)
        return any(within) or client in _addresses(self.slices() or ())

    def unready(self) -> tuple[str, ...]:
        """The reason why no API server could be recognised, if any."""
        return () if self.slices is _nobody or _addresses(self.slices() or ()) else (UNKNOWN,)


def client_networks(texts: Iterable[str]) -> tuple[tuple[IPNetwork, ...], bool]:
    """Return the networks of ``--client-network``, and whether API servers are among them. Raises click.UsageError."""
    networks: list[IPNetwork] = []
    published = False
    for text in texts:
        if text == API_SERVERS:
            published = True
            continue
        try:
            networks.append(ip_network(text))
        except ValueError as error:
            raise click.UsageError(f"--client-network: a CIDR or {API_SERVERS!r} is expected: {error}") from None
    return tuple(networks), published


def watched(client: "Client", networks: tuple[IPNetwork, ...]) -> ClientNetworks:
    """Return the networks with the addresses of API servers, and start to watch these."""
    from ovnguard.validators.cluster.live_view import Informer  # only servers of a cluster need it

    informer = Informer(client, [(SLICES, PUBLISHED)], lambda: None, tolerant=True)
    informer.start()
    return ClientNetworks(networks, lambda: informer.view.objects(SLICES.group_kind))


def _addresses(slices: Iterable[object]) -> frozenset[IPAddress]:
    found: set[IPAddress | None] = set()
    for each in slices:
        endpoints = each.get("endpoints") if isinstance(each, dict) else None
        for endpoint in endpoints if isinstance(endpoints, list) else ():
            addresses = endpoint.get("addresses") if isinstance(endpoint, dict) else None
            found.update(canonical(str(text)) for text in (addresses if isinstance(addresses, list) else ()))
    return frozenset(each for each in found if each is not None)
