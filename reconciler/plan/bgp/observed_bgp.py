"""What FRR and the kernel say about BGP: decoded JSON of `show bgp ...` and `ip -N -j route`, read within bounds.

Peers choose some of these texts: their names, the reasons for an end. So nothing is believed beyond its type and size.
Every function raises ValueError for another shape.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network
from typing import Any, Final

from ovnguard.reconciler.plan.bgp.wanted_routes import Session
from ovnguard.validators.network.model import IPNetwork

MAX_PEERS: Final = 20_000
MAX_PREFIXES: Final = 1_000_000
MAX_TEXT: Final = 120
ESTABLISHED: Final = "Established"


@dataclass(frozen=True, slots=True)
class Peer:
    """A session as bgpd reports it: state, seconds in it (0: never established), and how often it came and went."""

    state: str
    seconds: float = 0.0
    established: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class PeerDetail:
    """Why a session is down, and what its filters refused."""

    reason: str = ""
    filtered: int = 0
    route_map: str = ""


@dataclass(frozen=True, slots=True)
class ObservedBgp:
    """The state of one node. ``valid`` are prefixes with a usable path in bgpd, ``unusable`` those with another one by
    its next hop, ``kernel`` the prefixes of BGP in any table; ``has_zebra`` says whether zebra runs.
    """

    peers: Mapping[Session, Peer] = field(default_factory=dict, hash=False)
    details: Mapping[Session, PeerDetail] = field(default_factory=dict, hash=False)
    valid: frozenset[IPNetwork] = frozenset()
    unusable: Mapping[IPNetwork, str] = field(default_factory=dict, hash=False)
    kernel: frozenset[IPNetwork] = frozenset()
    has_zebra: bool = True


def peers_of(value: object) -> dict[Session, Peer]:
    """Return the sessions in ``show bgp vrf all summary json``; one with several families counts once, by the worst."""
    found: dict[Session, Peer] = {}
    for vrf, families in _objects(value):
        for _, family in _objects(families):
            peers = family.get("peers", {})
            if len(found) + len(peers) > MAX_PEERS:
                raise ValueError(f"more than {MAX_PEERS} peers")
            for name, peer in _objects(peers):
                session, read = Session(_text(name), _text(vrf)), _peer(peer)
                if session not in found or found[session].state == ESTABLISHED:
                    found[session] = read
    return found


def details_of(value: object) -> dict[Session, PeerDetail]:
    """Return the details in ``show bgp vrf all neighbors json``."""
    found: dict[Session, PeerDetail] = {}
    for vrf, peers in _objects(value):
        if len(peers) > MAX_PEERS:
            raise ValueError(f"more than {MAX_PEERS} peers")
        found |= {Session(_text(name), _text(vrf)): _detail(peer) for name, peer in _objects(peers)}
    return found


def paths_of(value: object) -> tuple[frozenset[IPNetwork], dict[IPNetwork, str]]:
    """Return ``valid`` and ``unusable`` of an `ObservedBgp` from ``show bgp vrf all ipv4|ipv6 unicast json``."""
    valid: set[IPNetwork] = set()
    unusable: dict[IPNetwork, str] = {}
    for _, table in _objects(value):
        routes = table.get("routes", {})
        if not isinstance(routes, Mapping) or len(valid) + len(routes) > MAX_PREFIXES:
            raise ValueError(f"no routes, or more than {MAX_PREFIXES}")
        for prefix, paths in routes.items():
            usable = [each for each in paths if isinstance(each, Mapping) and each.get("valid") is True]
            if usable:
                valid.add(ip_network(prefix))
            else:
                unusable[ip_network(prefix)] = next(_hops(paths), "")
    return frozenset(valid), unusable


def kernel_prefixes(value: object) -> frozenset[IPNetwork]:
    """Return the destinations in ``ip -N -j route show table all proto bgp``."""
    entries = [] if value is None else value
    if not isinstance(entries, list) or not all(isinstance(each, Mapping) for each in entries):
        raise ValueError("not a list of objects")
    if len(entries) > MAX_PREFIXES:
        raise ValueError(f"more than {MAX_PREFIXES} routes")
    return frozenset(ip_network(str(each["dst"])) for each in entries if each.get("dst") not in (None, "default"))


def _peer(value: Mapping[str, Any]) -> Peer:
    numbers = [value.get(key) for key in ("peerUptimeMsec", "connectionsEstablished", "connectionsDropped")]
    uptime, established, dropped = (each if type(each) is int and each > 0 else 0 for each in numbers)
    return Peer(_text(value.get("state", "")), uptime / 1000, established, dropped)


def _detail(value: Mapping[str, Any]) -> PeerDetail:
    reason = value.get("lastNotificationReason") or value.get("lastResetDueTo") or ""
    filtered = value.get("prefixStats")
    count = filtered.get("inboundFiltered") if isinstance(filtered, Mapping) else 0
    families = value.get("addressFamilyInfo")
    maps = [each.get("routeMapForIncomingAdvertisements", "") for _, each in _objects(families or {})]
    return PeerDetail(_text(reason), count if type(count) is int else 0, _text(next(filter(None, maps), "")))


def _hops(paths: object) -> Iterator[str]:
    for path in paths if isinstance(paths, list) else ():
        hops = path.get("nexthops") if isinstance(path, Mapping) else None
        yield from (_text(each.get("ip", "")) for each in hops or () if isinstance(each, Mapping))


def _objects(value: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The members of an object that are objects."""
    if not isinstance(value, Mapping):
        raise ValueError("not an object")
    return ((str(key), each) for key, each in value.items() if isinstance(each, Mapping))


def _text(value: object) -> str:
    """A short text in one line."""
    text = value if isinstance(value, str) else ""
    return "".join(each if each.isprintable() else " " for each in text[:MAX_TEXT])
