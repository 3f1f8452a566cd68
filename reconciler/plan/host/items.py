"""Items of a node's network state, one value per item, with an identity that is stable across plans.

The state itself identifies ovnguard's items (ADR 14): routes and rules by their protocol, OVS interfaces and VRFs by
their marks, addresses and neighbours by their device or the masquerade subnet.

``network`` is the network of an item; comparisons ignore it, because the kernel does not store it.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Final, TypeAlias

from ovnguard.validators.network.addresses.addressing import IPInterface
from ovnguard.validators.network.model import IPAddress, IPNetwork

# Routing protocol of ovnguard's routes and rules: an unassigned number in iproute2's rt_protos.
PROTOCOL: Final = 118
INTEGRATION_BRIDGE: Final = "br-int"
MAIN_TABLE: Final = 254
# The metric of a VRF's last route, worse than any other (ovn-kubernetes ``gateway_udn.go``).
LAST_METRIC: Final = 4278198272
# The kernel's default metric of an IPv6 route.
IPV6_METRIC: Final = 1024
# The cookie of ovnguard's flows, and the metric that marks ovnguard's addresses on other devices.
COOKIE: Final = 0x6F766E67
ADDRESS_METRIC: Final = 7118


@dataclass(frozen=True, slots=True)
class Port:
    """An internal interface of the integration bridge: the node's own port in a network. ``mtu`` 0 is the default."""

    kind: ClassVar = "port"
    name: str
    iface_id: str
    mac: str
    mtu: int
    network: str = field(default="", compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """Its name."""
        return (self.name,)

    def __str__(self) -> str:
        return f"{self.name} of {INTEGRATION_BRIDGE}: iface-id {self.iface_id} mac {self.mac} mtu {self.mtu}"


@dataclass(frozen=True, slots=True)
class Vrf:
    """A VRF device with its routing table."""

    kind: ClassVar = "vrf"
    name: str
    table: int
    network: str = field(default="", compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """Its name."""
        return (self.name,)

    def __str__(self) -> str:
        return f"{self.name} table {self.table}"


@dataclass(frozen=True, slots=True)
class Link:
    """The kernel's side of one of ovnguard's ports: up, and in the VRF ``master`` unless that is empty."""

    kind: ClassVar = "link"
    name: str
    master: str = ""
    up: bool = True
    network: str = field(default="", compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """Its name."""
        return (self.name,)

    def __str__(self) -> str:
        return f"{self.name} {'up' if self.up else 'down'}{f' master {self.master}' if self.master else ''}"


@dataclass(frozen=True, slots=True)
class Sysctl:
    """A parameter of one of ovnguard's links, below /proc/sys; it disappears with the link."""

    kind: ClassVar = "sysctl"
    path: str
    value: str
    network: str = field(default="", compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """Its path."""
        return (self.path,)

    def __str__(self) -> str:
        return f"{self.path} = {self.value}"


@dataclass(frozen=True, slots=True)
class Address:
    """An address of a device. With ``bare`` it adds no route to its subnet (noprefixroute).

    The kernel does not choose a ``deprecated`` one (IPv6) as source of packets. A ``marked`` one has ovnguard's metric,
    which identifies it on a device of others.
    """

    kind: ClassVar = "address"
    device: str
    address: IPInterface
    bare: bool = False
    deprecated: bool = False
    marked: bool = False
    network: str = field(default="", compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """Device and address."""
        return (self.device, str(self.address))

    def __str__(self) -> str:
        flags = " noprefixroute" * self.bare + " deprecated" * self.deprecated
        return f"{self.address} dev {self.device}{flags}"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A permanent entry of the neighbour table: its MAC address is never requested."""

    kind: ClassVar = "neighbour"
    device: str
    address: IPAddress
    mac: str
    network: str = field(default="", compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """Device and address."""
        return (self.device, str(self.address))

    def __str__(self) -> str:
        return f"{self.address} lladdr {self.mac} dev {self.device}"


@dataclass(frozen=True, slots=True)
class Route:
    """One of ovnguard's routes. Without ``device`` it is an unreachable route; ``mtu`` 0 means the device's.

    ``source`` is the source address of the node's own packets.
    """

    kind: ClassVar = "route"
    table: int
    prefix: IPNetwork
    device: str = ""
    via: IPAddress | None = None
    mtu: int = 0
    metric: int = 0
    source: IPAddress | None = None
    network: str = field(default="", compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """Table, IP version, prefix and metric, which are unique in the kernel."""
        return (str(self.table), str(self.prefix.version), str(self.prefix), str(self.metric))

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments of `ip route`, without table and protocol."""
        words = [str(self.prefix)] if self.device else ["unreachable", str(self.prefix)]
        words += ["via", str(self.via)] * (self.via is not None)
        words += ["dev", self.device] * bool(self.device)
        words += ["scope", "link"] * (bool(self.device) and self.via is None and self.prefix.version == 4)
        words += ["src", str(self.source)] * (self.source is not None)
        words += ["metric", str(self.metric)] * bool(self.metric)
        words += ["mtu", str(self.mtu)] * bool(self.mtu)
        return tuple(words)

    def __str__(self) -> str:
        return f"{' '.join(self.words)} table {self.table}"


@dataclass(frozen=True, slots=True)
class Rule:
    """One of ovnguard's routing rules: packets of an IP version that match all given fields use ``table``."""

    kind: ClassVar = "rule"
    priority: int
    version: int
    table: int
    destination: IPNetwork | None = None
    incoming: str = ""
    mark: int = 0
    network: str = field(default="", compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """All fields: a rule has no mutable part."""
        return (f"{self.priority:05}", str(self.version), *self.words)

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments of `ip rule`, without priority and protocol."""
        words = ["iif", self.incoming] * bool(self.incoming)
        words += ["to", str(self.destination)] * (self.destination is not None)
        words += ["fwmark", hex(self.mark)] * bool(self.mark)
        return (*words, "lookup", str(self.table))

    def __str__(self) -> str:
        return f"{'-6 ' if self.version == 6 else ''}{self.priority}: {' '.join(self.words)}"


@dataclass(frozen=True, slots=True)
class Flow:
    """One of ovnguard's flows on ``bridge``; match and actions in the notation of `ovs-ofctl dump-flows`.

    Ports are written as their names in braces, ``{uplink}`` for the physical one; `LOCAL` is the bridge's own.
    """

    kind: ClassVar = "flow"
    bridge: str
    table: int
    priority: int
    match: str
    actions: str
    network: str = field(default="", compare=False)

    @property
    def key(self) -> tuple[str, ...]:
        """Bridge, table, priority and match, which are unique."""
        return (self.bridge, f"{self.table:03}", f"{65535 - self.priority:05}", self.match)

    @property
    def is_shared(self) -> bool:
        """Whether it matches exactly the packets with the bridge's MAC as destination."""
        return self.match.startswith("dl_dst=") and "," not in self.match

    @property
    def place(self) -> str:
        """Its identity on its bridge, as an argument of `ovs-ofctl`."""
        return f"table={self.table},priority={self.priority}{',' if self.match else ''}{self.match}"

    def __str__(self) -> str:
        return f"of {self.bridge}: {self.place} actions={self.actions}"


Item: TypeAlias = Port | Vrf | Link | Sysctl | Address | Neighbour | Route | Rule | Flow
# In the order of creation: later kinds need earlier ones.
KINDS: Final = tuple(each.kind for each in (Port, Vrf, Link, Sysctl, Address, Neighbour, Route, Rule, Flow))
