"""A network, whatever object declares it and in whichever spelling of the API: frozen, normalised, comparable."""

from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final, NamedTuple, TypeAlias

IPNetwork: TypeAlias = IPv4Network | IPv6Network
IPAddress: TypeAlias = IPv4Address | IPv6Address

DEFAULT_NETWORK = "default"
FULL_MESH = "full-mesh"
ROUTE_REFLECTOR = "route-reflector"
TRANSIT_ANNOTATION = "ovnguard.io/transit-subnets"
NETWORK_ID_ANNOTATION = "ovnguard.io/network-id"
TUNNEL_KEYS_ANNOTATION = "ovnguard.io/tunnel-keys"


class Topology(StrEnum):
    """How pods of a network see each other."""

    LAYER2 = "layer2"
    LAYER3 = "layer3"
    LOCALNET = "localnet"


class Role(StrEnum):
    """Whether the network carries a pod's default route."""

    PRIMARY = "primary"
    SECONDARY = "secondary"


class Transport(StrEnum):
    """How packets of a network travel between nodes."""

    GENEVE = "geneve"
    NO_OVERLAY = "no-overlay"
    EVPN = "evpn"


class Routing(StrEnum):
    """Who makes the routes of a no-overlay network."""

    MANAGED = "managed"
    UNMANAGED = "unmanaged"


# Members of enumerations by names of their own, for what every judgement compares: asked of its class, each costs ten
# times as much (CPython 3.11 looks for members through a hook in Python).
LAYER2: Final = Topology.LAYER2
LAYER3: Final = Topology.LAYER3
LOCALNET: Final = Topology.LOCALNET
PRIMARY: Final = Role.PRIMARY
GENEVE: Final = Transport.GENEVE
NO_OVERLAY: Final = Transport.NO_OVERLAY


class ObjectRef(NamedTuple):
    """Which object of the API declares the network."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str = ""


class Subnet(NamedTuple):
    """One subnet; ``host_prefix`` is the length of each node's share in a Layer3 network, else None."""

    cidr: IPNetwork
    host_prefix: int | None = None


class NoOverlay(NamedTuple):
    """Options of the no-overlay transport."""

    outbound_snat: bool
    routing: Routing


class ManagedBGP(NamedTuple):
    """Parameters of the BGP fabric that the cluster manages; ``topology`` is `FULL_MESH` or `ROUTE_REFLECTOR`."""

    asn: int
    topology: str


@dataclass(frozen=True, slots=True)
class Network:
    """One network as every rule and every plan sees it.

    ``name`` is the network name of OVN-Kubernetes: ``default``, ``cluster_udn_<name>``, ``<namespace>_<name>`` or a
    NetworkAttachmentDefinition's own. ``physical_network`` is what a Localnet network calls the bridges' network (its
    own name when empty), ``vlan`` its VLAN, 0 for none. ``transit_subnets`` is what the object records of an earlier
    choice (annotation or NAD key), empty when nothing is recorded; ``network_id`` and ``tunnel_keys`` likewise.
    Pods are given no address of ``excluded_subnets``, and one of ``reserved_subnets`` only when they ask for it.
    """

    name: str
    source: ObjectRef
    topology: Topology
    role: Role
    transport: Transport = Transport.GENEVE
    subnets: tuple[Subnet, ...] = ()
    join_subnets: tuple[IPNetwork, ...] = ()
    transit_subnets: tuple[IPNetwork, ...] = ()
    default_gateway_ips: tuple[IPAddress, ...] = ()
    infrastructure_subnets: tuple[IPNetwork, ...] = ()
    reserved_subnets: tuple[IPNetwork, ...] = ()
    excluded_subnets: tuple[IPNetwork, ...] = ()
    service_subnets: tuple[IPNetwork, ...] = ()
    mtu: int | None = None
    no_overlay: NoOverlay | None = None
    managed_bgp: ManagedBGP | None = None
    network_id: int | None = None
    tunnel_keys: tuple[int, ...] = ()
    physical_network: str = ""
    vlan: int = 0

    @property
    def is_default(self) -> bool:
        """Whether this is the cluster's default network."""
        return self.name == DEFAULT_NETWORK

    def has_family(self, version: int) -> bool:
        """Whether it has subnets of IP ``version``."""
        return any(subnet.cidr.version == version for subnet in self.subnets)

    @property
    def needs_transit_subnet(self) -> bool:
        """Whether the Layer2 transit router topology needs a transit subnet for it (OKEP-5094)."""
        return self.topology is LAYER2 and self.role is PRIMARY
