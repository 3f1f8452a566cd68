"""The FRR configuration that one FRRConfiguration requests for its nodes, as frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

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
    password: str
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


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The routes sent to a neighbour: prefixes with local preferences, communities and next hops (by IP version).

    Preferences are keyed by prefix, communities are pairs of community and prefix.
    """

    prefixes: frozenset[str] = frozenset()
    preferences: tuple[tuple[str, int], ...] = ()
    communities: frozenset[tuple[str, str]] = frozenset()
    next_hops: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbor:
    """One session of a router. ``id`` is its address or interface, with ``-<vrf>`` outside of the default VRF.

    An ``incoming`` of None accepts every prefix.
    """

    id: str
    address: str
    vrf: str
    session: Session
    outgoing: Outgoing
    incoming: frozenset[Incoming] | None
    field: str


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


@dataclass(frozen=True, slots=True)
class FrrPart:
    """One FRRConfiguration. ``routers`` are those before ``fault``, if there is one."""

    origin: str
    labels: Mapping[str, str]
    node_selector: object
    bfd_profiles: tuple[tuple[str, str], ...] = ()
    routers: tuple[Router, ...] = ()
    dual_stack: tuple[str, ...] = ()
    fault: Fault | None = None
