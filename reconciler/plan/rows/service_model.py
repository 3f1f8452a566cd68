"""Services with cluster addresses, as plans read them. Source: core/v1 Service, discovery.k8s.io/v1 EndpointSlice."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from ovnguard.validators.network.model import IPAddress

PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
# The longest session affinity of the API; OVN-Kubernetes takes it for one without end.
LONGEST_AFFINITY: Final = 86_400


@dataclass(frozen=True, slots=True)
class Backend:
    """The address and port of one of a service's servers."""

    address: IPAddress
    port: int


@dataclass(frozen=True, slots=True)
class ServicePort:
    """One port of a service. ``node_port`` is 0 where nodes do not take connections for it.

    ``backends`` are the servers on all nodes; without them, connections are rejected. ``on_nodes`` are the servers of
    each node, for services with a local traffic policy.
    """

    protocol: str
    port: int
    node_port: int = 0
    backends: tuple[Backend, ...] = ()
    on_nodes: Mapping[str, tuple[Backend, ...]] = field(default_factory=lambda: MappingProxyType({}), hash=False)


@dataclass(frozen=True, slots=True)
class Service:
    """A service ``namespace/name``.

    ``addresses`` are those inside the cluster, ``external`` its external addresses and those of its load balancer.
    ``external_local`` and ``internal_local``: connections from outside, or from pods, go only to servers on the node
    that takes them. ``affinity``: seconds for which a client keeps its server, or 0. ``is_idle``: it has no servers
    until a packet wakes it.
    """

    name: str
    addresses: tuple[IPAddress, ...]
    ports: tuple[ServicePort, ...] = ()
    external: tuple[IPAddress, ...] = ()
    external_local: bool = False
    internal_local: bool = False
    affinity: int = 0
    is_idle: bool = False
