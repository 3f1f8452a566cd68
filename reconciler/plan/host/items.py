"""Items of a node's network state, one value per item, with an identity that is the same in every plan.

The state itself shows what is ours (ADR 14): routes and rules by their protocol, OVS interfaces and VRFs by
their marks, addresses and neighbours by the device that they are on, or by lying in the masquerade subnet.

``network`` is the network of an item; comparisons ignore it, because the kernel does not store it.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Final, TypeAlias

from validators.network.addresses.addressing import IPInterface
from validators.network.model import IPAddress, IPNetwork

# Routing protocol of our routes and rules: a number that iproute2's rt_protos leaves free.
PROTOCOL: Final = 118
INTEGRATION_BRIDGE: Final = "br-int"
MAIN_TABLE: Final = 254
# How much worse than anything a VRF's last route is (ovn-kubernetes ``gateway_udn.go``).
LAST_METRIC: Final = 4278198272
# What the kernel takes for an IPv6 route without a metric.
IPV6_METRIC: Final = 1024
# Cookie of our flows, and metric by which addresses are ours on devices that are not.
COOKIE: Final = 0x6F766E67
ADDRESS_METRIC: Final = 7118


@dataclass(frozen=True, slots=True)
class Port:
    """An internal interface of the integration bridge: the node's own port in a network. ``mtu`` in octets."""

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
    """The kernel's side of one of our ports: up, and in the VRF ``master`` if that is not empty."""

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
    """A parameter of a link of ours, below /proc/sys; it goes when its link goes."""

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
    """An address of a device. With ``bare`` it brings no route to its subnet (noprefixroute).

    A ``deprecated`` one (IPv6) is not chosen as the source of packets by itself. One that is ``marked`` has our metric,
    by which it is known on a device that is not ours.
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
    """A route of ours. Without ``device`` it is an unreachable one; ``mtu`` 0 is the device's.

    ``source`` is the address that the node's own packets have.
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
        """Table, IP version, prefix and metric: what the kernel has one route for."""
        return (str(self.table), str(self.prefix.version), str(self.prefix), str(self.metric))

    @property
    def words(self) -> tuple[str, ...]:
        """It as `ip route` takes it, without table and protocol."""
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
    """A routing rule of ours: packets of an IP version that match all that is given look ``table`` up."""

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
        """All of it: a rule has nothing that could change."""
        return (f"{self.priority:05}", str(self.version), *self.words)

    @property
    def words(self) -> tuple[str, ...]:
        """It as `ip rule` takes it, without priority and protocol."""
        words = ["iif", self.incoming] * bool(self.incoming)
        words += ["to", str(self.destination)] * (self.destination is not None)
        words += ["fwmark", hex(self.mark)] * bool(self.mark)
        return (*words, "lookup", str(self.table))

    def __str__(self) -> str:
        return f"{'-6 ' if self.version == 6 else ''}{self.priority}: {' '.join(self.words)}"


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow of ours on ``bridge``; match and actions as `ovs-ofctl dump-flows` prints them.

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
        """Bridge, table, priority and match: what a table has one flow for."""
        return (self.bridge, f"{self.table:03}", f"{65535 - self.priority:05}", self.match)

    @property
    def is_shared(self) -> bool:
        """Whether it matches exactly the packets with the bridge's MAC as destination."""
        return self.match.startswith("dl_dst=") and "," not in self.match

    @property
    def place(self) -> str:
        """What identifies it on its bridge, as `ovs-ofctl` takes it."""
        return f"table={self.table},priority={self.priority}{',' if self.match else ''}{self.match}"

    def __str__(self) -> str:
        return f"of {self.bridge}: {self.place} actions={self.actions}"


Item: TypeAlias = Port | Vrf | Link | Sysctl | Address | Neighbour | Route | Rule | Flow
# In the order of creation: later kinds need earlier ones.
KINDS: Final = tuple(each.kind for each in (Port, Vrf, Link, Sysctl, Address, Neighbour, Route, Rule, Flow))
