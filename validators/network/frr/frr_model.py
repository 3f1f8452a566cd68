"""The FRR configuration that one FRRConfiguration requests for its nodes, as frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ovnguard.validators.network.frr.frr_secrets import Password

DEFAULT_PORT = 179
DEFAULT_HOLD_TIME = 180
DEFAULT_KEEPALIVE_TIME = 60
DEFAULT_CONNECT_TIME = 60


@dataclass(frozen=True, slots=True)
class Fault:
    """The reason why frr-k8s refuses an object. ``origin`` is its ``<namespace>/<name>``, ``field`` the path in it."""

    origin: str
    field: str
    text: str


class Session(NamedTuple):
    """The values on which all declarations of a neighbour must agree; unset values have their default. Times are in
    seconds.

    The fields are in the order in which frr-k8s compares them.
    """

    asn: str
    port: int
    source: str
    password: Password
    bfd_profile: str
    multihop: bool
    family: str
    hold_time: int
    keepalive_time: int
    connect_time: int
    local_asn: int


class Incoming(NamedTuple):
    """A prefix that the session accepts; ``le`` and ``ge`` are 0 where unset."""

    prefix: str
    le: int
    ge: int


class Outgoing(NamedTuple):
    """The routes sent to a neighbour: prefixes with local preferences, communities and next hops (by IP version).

    Preferences are keyed by prefix, communities are pairs of community (``a:b`` or ``large:a:b:c``) and prefix.
    """

    prefixes: frozenset[str] = frozenset()
    preferences: tuple[tuple[str, int], ...] = ()
    communities: frozenset[tuple[str, str]] = frozenset()
    next_hops: tuple[tuple[int, str], ...] = ()


class Neighbor(NamedTuple):
    """One session of a router. ``id`` is its address or interface, with ``-<vrf>`` outside of the default VRF.

    An ``incoming`` of None accepts every prefix. ``address_families`` are ``unicast`` and ``evpn``.
    """

    id: str
    address: str
    interface: str
    vrf: str
    session: Session
    address_families: frozenset[str]
    graceful_restart: bool
    outgoing: Outgoing
    incoming: frozenset[Incoming] | None
    field: str

    @property
    def peer(self) -> str:
        """Its address or interface."""
        return self.address or self.interface


class Vni(NamedTuple):
    """A VNI with its route distinguisher and targets; FRR derives those that are empty."""

    number: int
    distinguisher: str = ""
    imported: frozenset[str] = frozenset()
    exported: frozenset[str] = frozenset()


class Evpn(NamedTuple):
    """EVPN of a router; ``advertised`` are the kinds of prefixes of the layer 3 VNI."""

    advertises_vnis: bool = False
    advertises_svi: bool = False
    layer2: tuple[Vni, ...] = ()
    layer3: Vni | None = None
    advertised: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Router:
    """BGP in one VRF; the default VRF is the empty string, also among ``imports``."""

    asn: int
    router_id: str
    vrf: str
    prefixes: frozenset[str]
    imports: frozenset[str]
    neighbors: tuple[Neighbor, ...]
    field: str
    evpn: Evpn | None = None


class BfdProfile(NamedTuple):
    """Settings of BFD sessions; None leaves FRR's default. Intervals are in milliseconds."""

    name: str
    receive_interval: int | None = None
    transmit_interval: int | None = None
    detect_multiplier: int | None = None
    echo_interval: int | None = None
    echo_mode: bool = False
    passive_mode: bool = False
    minimum_ttl: int | None = None


class Raw(NamedTuple):
    """Lines for the end of frr.conf, in the order of priority and name of the object."""

    priority: int
    name: str
    namespace: str
    text: str


@dataclass(frozen=True, slots=True)
class FrrPart:
    """One FRRConfiguration. ``routers`` are those before ``fault``, if there is one."""

    origin: str
    labels: Mapping[str, str]
    node_selector: object
    bfd_profiles: tuple[BfdProfile, ...] = ()
    routers: tuple[Router, ...] = ()
    dual_stack: tuple[str, ...] = ()
    raw: Raw | None = None
    fault: Fault | None = None
