"""Whether BGP has brought to a node what it must, and what is missing with the likely cause: a pure comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.plan.bgp.observed_bgp import ESTABLISHED, ObservedBgp, PeerDetail
from ovnguard.reconciler.plan.bgp.wanted_routes import Session, WantedRoute

NOT_KNOWN: Final = "bgpd has no such neighbour"


@dataclass(frozen=True, slots=True)
class MissingSession:
    """A session that is not Established; ``state`` is empty where bgpd does not know it."""

    session: Session
    state: str
    seconds: float
    cause: str

    def __str__(self) -> str:
        """Return the sentence."""
        since = f" for {self.seconds:.0f} s" if self.seconds else ""
        state = f" is {self.state}{since}" if self.state else " is missing"
        return f"session with {self.session}{state}{f': {self.cause}' if self.cause else ''}"


@dataclass(frozen=True, slots=True)
class MissingRoute:
    """A prefix that the node lacks."""

    route: WantedRoute
    cause: str

    def __str__(self) -> str:
        """Return the sentence."""
        return f"{self.route.prefix} of node {self.route.node}: {self.cause}"


@dataclass(frozen=True, slots=True)
class Convergence:
    """The numbers of wanted sessions and routes, and what of them is missing."""

    sessions: int = 0
    routes: int = 0
    missing_sessions: tuple[MissingSession, ...] = ()
    missing_routes: tuple[MissingRoute, ...] = ()

    @property
    def established(self) -> int:
        """The number of wanted sessions that are Established."""
        return self.sessions - len(self.missing_sessions)

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing."""
        return not (self.missing_sessions or self.missing_routes)

    def by_network(self) -> Mapping[str, tuple[MissingRoute, ...]]:
        """Return the missing routes by network."""
        names = dict.fromkeys(each.route.network for each in self.missing_routes)
        return {name: tuple(each for each in self.missing_routes if each.route.network == name) for name in names}


def compare(
    sessions: Sequence[Session],
    routes: Sequence[WantedRoute],
    observed: ObservedBgp,
    down: Mapping[Session, float] | None = None,
) -> Convergence:
    """Return what is missing; ``down`` are the seconds since which sessions are missing, if not bgpd's count."""
    missing = tuple(
        _missing_session(each, observed, down)
        for each in sessions
        if each not in observed.peers or observed.peers[each].state != ESTABLISHED
    )
    absent = {each.session: each for each in missing}
    lacking = (
        MissingRoute(each, _cause(each, sessions, absent, observed))
        for each in routes
        if each.prefix not in observed.valid or each.prefix not in observed.kernel
    )
    return Convergence(len(sessions), len(routes), missing, tuple(lacking))


def _missing_session(session: Session, observed: ObservedBgp, down: Mapping[Session, float] | None) -> MissingSession:
    peer = observed.peers.get(session)
    if peer is None:
        return MissingSession(session, "", 0.0, NOT_KNOWN)
    cause = observed.details.get(session, PeerDetail()).reason
    return MissingSession(session, peer.state, peer.seconds if down is None else down.get(session, 0.0), cause)


def _cause(
    route: WantedRoute,
    sessions: Sequence[Session],
    absent: Mapping[Session, MissingSession],
    observed: ObservedBgp,
) -> str:
    """The first link of the chain that is broken: session, prefix, next hop, zebra."""
    if route.prefix in observed.valid:
        reason = "zebra has not installed it" if observed.has_zebra else "zebra does not run"
        return f"bgpd has it, but the kernel does not: {reason}"
    if route.prefix in observed.unusable:
        return f"bgpd has it, but cannot reach its next hop {observed.unusable[route.prefix]}"
    own = {str(each) for each in route.addresses}
    direct = [each for each in sessions if each.peer in own]
    if not sessions:
        return "this node has no session at all"
    # Without a session of its own, a node's subnets come through any other, such as a route reflector's.
    ways = direct or list(sessions)
    broken = [absent[each] for each in ways if each in absent]
    if len(broken) == len(ways):
        return str(broken[0]) if direct else f"none of the {len(ways)} sessions is {ESTABLISHED}"
    return _not_received([each for each in ways if each not in absent], observed)


def _not_received(ways: Sequence[Session], observed: ObservedBgp) -> str:
    for session in ways:
        detail = observed.details.get(session, PeerDetail())
        if detail.filtered:
            name = f"route map {detail.route_map}" if detail.route_map else "a filter"
            return f"{session} does not advertise it, or {name} refuses it: {detail.filtered} prefixes were refused"
    more = f" and {len(ways) - 1} more peers do" if len(ways) > 1 else " does"
    return f"{ways[0]}{more} not advertise it"
