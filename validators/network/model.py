"""The network model, independent of the declaring object and its API spelling: frozen, normalised, comparable."""

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
    """How a network connects its pods."""

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
    """Who creates the routes of a no-overlay network."""

    MANAGED = "managed"
    UNMANAGED = "unmanaged"


# Module-level names for enumeration members that every judgement compares: access through the class takes ten times as
# long (CPython 3.11 looks up members through a hook in Python).
LAYER2: Final = Topology.LAYER2
LAYER3: Final = Topology.LAYER3
LOCALNET: Final = Topology.LOCALNET
PRIMARY: Final = Role.PRIMARY
GENEVE: Final = Transport.GENEVE
NO_OVERLAY: Final = Transport.NO_OVERLAY


class ObjectRef(NamedTuple):
    """The API object that declares the network."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str = ""


class Subnet(NamedTuple):
    """One subnet; ``host_prefix`` is the prefix length of each node's subnet in a Layer3 network, else None."""

    cidr: IPNetwork
    host_prefix: int | None = None


class NoOverlay(NamedTuple):
    """Options of the no-overlay transport."""

    outbound_snat: bool
    routing: Routing


class ManagedBGP(NamedTuple):
    """Parameters of the BGP fabric that the cluster manages.

    ``topology`` is `FULL_MESH`, `ROUTE_REFLECTOR`, or an unknown name.
    """

    asn: int
    topology: str


class Network(NamedTuple):
    """One network, the input of every rule and every plan.

    ``name`` is the network name of OVN-Kubernetes: ``default``, ``cluster_udn_<name>``, ``<namespace>_<name>`` or a
    NetworkAttachmentDefinition's own. ``physical_network`` is a Localnet network's name for the bridges' network (its
    own name when empty), ``vlan`` its VLAN, 0 for none. ``transit_subnets`` is the earlier choice that the object
    records (annotation or NAD key), or empty; ``network_id`` and ``tunnel_keys`` likewise. Pods get no address of
    ``excluded_subnets``, and an address of ``reserved_subnets`` only on request. ``has_hybrid_overlay``: nodes outside
    of OVN have pods of the default network. ``uplink`` names the Uplink by which a primary network leaves the nodes,
    empty for the default network's bridge.
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
    has_hybrid_overlay: bool = False
    uplink: str = ""

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


def has_chosen_addresses(network: Network) -> bool:
    """Return whether a Layer2 network chooses addresses for itself, which OVN-Kubernetes does only with a feature."""
    if network.topology is not LAYER2:
        return False
    return bool(network.reserved_subnets or network.infrastructure_subnets or network.default_gateway_ips)
