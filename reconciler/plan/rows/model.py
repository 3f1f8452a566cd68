"""The values that plans pass around: remarks, pods on networks, EgressIP assignments, connections of networks.

Sources: ovn-kubernetes, annotation ``k8s.ovn.org/pod-networks``, ``pkg/kubevirt`` and ``pkg/ovn/egressip.go``;
k8s.ovn.org/v1 EgressIP and ClusterNetworkConnect.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.rows.names import pod_port
from ovnguard.validators.network.addresses.addressing import IPInterface, interface
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPAddress, IPNetwork, Network


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence about a network, a node, a pod (``namespace/name``); an empty name means all of them."""

    text: str
    network: str = ""
    node: str = ""
    pod: str = ""

    def __str__(self) -> str:
        named = (("network", self.network), ("node", self.node), ("pod", self.pod))
        about = ", ".join(f"{kind} {name}" for kind, name in named if name)
        return f"{about}: {self.text}" if about else self.text


@dataclass(frozen=True, slots=True)
class Lease:
    """What DHCP gives a virtual machine in a pod: one subnet of each IP version, and its IPv4 router if it has one."""

    subnets: tuple[IPNetwork, ...]
    router: IPAddress | None = None


class OpenPort(NamedTuple):
    """A port that a pod opens on the default network; ``port`` is None for icmp."""

    protocol: str
    port: int | None


@dataclass(frozen=True, slots=True)
class PodPort:
    """One pod on one network.

    ``attachment`` is the key of the annotation: ``default`` or the attachment's ``namespace/name``. ``key`` is the key
    of the pod's port on a switch that all zones share, None where none is recorded.

    ``machine`` is the virtual machine in the pod, '' in other pods: its pods may have the same addresses.
    ``enabled`` says whether the port carries the machine's traffic, None outside live migrations. ``lease`` is None
    where the machine gets no address by DHCP. ``moved``: the machine, which also keeps its address in the default
    network, runs on another node.

    ``isolated``: a port on the default network of a pod with another primary network, which only the node reaches,
    others only at ``open_ports``.
    """

    network: str
    attachment: str
    namespace: str
    pod: str
    uid: str
    node: str
    mac: str
    addresses: tuple[IPAddress, ...]
    key: int | None = None
    machine: str = ""
    enabled: bool | None = None
    lease: Lease | None = None
    moved: bool = False
    isolated: bool = False
    open_ports: tuple[OpenPort, ...] = ()

    @property
    def title(self) -> str:
        """Namespace and name of the pod."""
        return f"{self.namespace}/{self.pod}"

    @property
    def name(self) -> str:
        """The name of its port."""
        return pod_port(self.attachment, self.namespace, self.pod)


@dataclass(frozen=True, slots=True)
class RunningMachine:
    """A virtual machine of ``network`` that keeps its addresses on every node: it runs on ``node`` now."""

    network: str
    namespace: str
    machine: str
    node: str
    addresses: tuple[IPAddress, ...]


@dataclass(frozen=True, slots=True)
class ActiveNodes:
    """The nodes with rows of ``network`` under dynamic allocation: ``nodes`` use it, those in ``grace`` used it before.

    Only nodes that use it have ports and routes on other nodes.
    """

    network: str
    nodes: frozenset[str]
    grace: frozenset[str] = frozenset()

    def has_rows(self, node: str) -> bool:
        """Whether the network has rows in the zone of ``node``."""
        return node in self.nodes or node in self.grace


@dataclass(frozen=True, slots=True)
class UplinkState:
    """The bridge of an Uplink on one node, with the addresses that gateway routers have there."""

    uplink: str
    node: str
    bridge: str
    mac: str
    addresses: tuple[IPInterface, ...]
    next_hops: tuple[IPAddress, ...] = ()


# The lowest packet mark that the cluster manager allocates to EgressIP objects (annotation k8s.ovn.org/egressip-mark).
FIRST_MARK: Final = 50000
LAST_MARK: Final = 55000


@dataclass(frozen=True, slots=True)
class EgressPod:
    """A pod that an EgressIP serves: ``name`` is ``namespace/name``, ``node`` the node that it runs on."""

    name: str
    node: str
    addresses: tuple[IPAddress, ...]


@dataclass(frozen=True, slots=True)
class EgressHop:
    """A node that holds one address of an EgressIP."""

    node: str
    address: IPAddress


@dataclass(frozen=True, slots=True)
class EgressAssignment:
    """One EgressIP in one network: ``hops`` as its status lists them, ``mark`` the mark of its packets."""

    name: str
    network: str
    mark: int
    hops: tuple[EgressHop, ...]
    pods: tuple[EgressPod, ...]


@dataclass(frozen=True, slots=True)
class ServedEndpoint:
    """An address of a service's endpoint, and the node that it is on."""

    node: str
    address: IPAddress


@dataclass(frozen=True, slots=True)
class EgressService:
    """An EgressService, ``namespace/name``, whose endpoints leave through one node.

    ``network`` is that of the pods' default route; ``endpoints`` are addresses in the default network.
    """

    name: str
    node: str
    endpoints: tuple[ServedEndpoint, ...]
    network: str = DEFAULT_NETWORK


@dataclass(frozen=True, slots=True)
class ConnectedNetwork:
    """One network of a connection.

    ``subnets`` are those of its links to the connect router, ``first_key`` is the tunnel key of the first of them. A
    Layer3 network has a link for every node, by the node's id, a Layer2 network one, number 0.
    """

    network: Network
    network_id: int
    subnets: tuple[IPNetwork, ...]
    first_key: int

    def link(self, number: int) -> tuple[tuple[IPInterface, IPInterface], ...]:
        """Return the addresses of a link, for each IP family of the connect router and of the network's router.

        A number beyond the subnets has no addresses.
        """
        if any(2 * number + 1 >= subnet.num_addresses for subnet in self.subnets):
            return ()
        pairs = ((subnet, subnet.network_address + 2 * number) for subnet in self.subnets)
        return tuple(
            (interface(first, subnet.max_prefixlen - 1), interface(first + 1, subnet.max_prefixlen - 1))
            for subnet, first in pairs
        )


@dataclass(frozen=True, slots=True)
class Connection:
    """A ClusterNetworkConnect with what OVN-Kubernetes recorded: the tunnel ``key`` of its router, and its networks.

    ``pods`` and ``services``: what its networks reach of each other. ``service_subnets`` and ``ip_versions`` are the
    cluster's.
    """

    name: str
    key: int
    networks: tuple[ConnectedNetwork, ...]
    pods: bool
    services: bool
    service_subnets: tuple[IPNetwork, ...] = ()
    ip_versions: tuple[int, ...] = ()
