"""How many connections may be without a request, and which one ends when there are too many.

A connection *waits* until its client has sent a whole TLS hello, and *speaks* until its request is complete; then it
has *asked*. One that was kept for another request speaks again from its first byte. A connection is *silent* when it
has waited or spoken for longer than an honest client does.

Clients that may not ask are *outsiders*: they share one allowance, which counts each of their connections until it
ends. They also have few threads, for which a connection with a hello is *ready*. Every other address has an allowance
of its own, which counts the connections that have not asked.

Nothing here knows sockets: a connection is any hashable object, and times are seconds of one clock.
"""

import threading
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import takewhile
from operator import itemgetter
from typing import Final, Generic, TypeVar


class Stage(Enum):
    """What a counted connection does."""

    WAITS = auto()
    READY = auto()
    SPEAKS = auto()
    ASKED = auto()


SILENT_SECONDS: Final = 3.0
"""Seconds after which a connection that waits or speaks is silent: an API server may open hundreds of connections
together, and one that speaks may also wait for this server.
"""
OUTSIDER_SECONDS: Final = 1.0
"""The same for outsiders: a probe has one connection."""

_WITH_HELLO: Final = (Stage.READY, Stage.SPEAKS, Stage.ASKED)

Connection = TypeVar("Connection", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Limits:
    """Numbers of connections. ``waiting``: without a hello, of all clients. ``of_address``: of one address, without a
    request; more as long as none is silent. ``of_outsiders``: of all outsiders; more of them wait as long as none is
    silent.
    """

    waiting: int
    of_address: int
    of_outsiders: int


@dataclass(slots=True, eq=False)
class _Peer(Generic[Connection]):
    """The counted connections of an address by their stage, each with the time since when, the oldest first."""

    address: Hashable
    outsider: bool
    stages: dict[Stage, dict[Connection, float]] = field(default_factory=lambda: {stage: {} for stage in Stage})

    def count(self, *stages: Stage) -> int:
        """Return the number of connections in these stages."""
        return sum(len(self.stages[stage]) for stage in stages)

    def silent(self, stage: Stage, now: float) -> dict[Connection, float]:
        """Return the silent connections of a stage, each with the time since when."""
        until = now - (OUTSIDER_SECONDS if self.outsider else SILENT_SECONDS)
        return dict(takewhile(lambda item: item[1] <= until, self.stages[stage].items()))

    def surplus(self, allowance: int, now: float) -> list[Connection]:
        """Return the silent connections beyond an allowance, one that speaks only if too many speak."""
        silent = self.silent(Stage.WAITS, now)
        if self.count(Stage.SPEAKS) > allowance:
            silent |= self.silent(Stage.SPEAKS, now)
        return sorted(silent, key=silent.__getitem__)[: self.count(Stage.WAITS, Stage.SPEAKS) - allowance]


class Allowances(Generic[Connection]):
    """The counted connections of a worker. The methods may be called in any thread."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._peers: dict[tuple[Hashable, bool], _Peer[Connection]] = {}
        self._places: dict[Connection, tuple[_Peer[Connection], Stage]] = {}
        self._newest: Connection | None = None
        self._lock = threading.Lock()

    def waits(self, connection: Connection, address: Hashable, now: float, *, outsider: bool) -> None:
        """Count a new connection."""
        with self._lock:
            self._put(connection, address, outsider, Stage.WAITS, now)

    def ready(self, connection: Connection, now: float) -> None:
        """Note that a client has sent a whole hello, but that there is no thread for its connection."""
        with self._lock:
            if (peer := self._take(connection)) is not None:
                self._put(connection, peer.address, peer.outsider, Stage.READY, now)
                self._newest = connection

    def speaks(self, connection: Connection, address: Hashable, now: float) -> None:
        """Count a connection that has a thread: after its hello, or with the first bytes of another request."""
        with self._lock:
            peer = self._take(connection)
            self._put(connection, address, peer is not None and peer.outsider, Stage.SPEAKS, now)

    def asked(self, connection: Connection, now: float) -> None:
        """Note that a request is complete: the connection counts on only if it is an outsider's."""
        with self._lock:
            if (peer := self._take(connection)) is not None and peer.outsider:
                self._put(connection, peer.address, peer.outsider, Stage.ASKED, now)

    def leave(self, connection: Connection) -> None:
        """Count a connection no more."""
        with self._lock:
            self._take(connection)

    def stage(self, connection: Connection) -> Stage | None:
        """Return what a connection does, or None if it does not count."""
        return self._places.get(connection, (None, None))[1]

    def is_outsider(self, connection: Connection) -> bool:
        """Whether a connection is counted and an outsider's."""
        place = self._places.get(connection)
        return place is not None and place[0].outsider

    def surplus(self, now: float, excess: int = 0) -> list[Connection]:
        """Return the connections to end: always the oldest, and those of the address that has most first.

        Beyond an allowance they are silent ones. Outsiders that have sent a hello get no time: those that are ready,
        speak or have asked end, in this order, but never the newest. Where too many wait in total, any of them ends.
        ``excess``: how many connections the worker has too many; it gets silent ones that speak.
        """
        limits = self._limits
        with self._lock:
            peers = list(self._peers.values())
            outsiders = [peer for peer in peers if peer.outsider]
            hard = sum(peer.count(*_WITH_HELLO) for peer in outsiders) - limits.of_outsiders
            soft = sum(peer.count(*Stage) for peer in outsiders) - limits.of_outsiders
            waiting = sum(peer.count(Stage.WAITS) for peer in peers) - limits.waiting
            found = [
                *_of_largest((list(peer.stages[Stage.WAITS]) for peer in peers), waiting),
                *_of_largest((self._replaceable(peer) for peer in outsiders), hard),
                *_of_largest((list(peer.silent(Stage.WAITS, now)) for peer in outsiders), soft - max(hard, 0)),
                *_of_largest((list(peer.silent(Stage.SPEAKS, now)) for peer in peers), excess),
            ]
            for peer in peers:
                if not peer.outsider and peer.count(Stage.WAITS, Stage.SPEAKS) > limits.of_address:
                    found += peer.surplus(limits.of_address, now)
            return list(dict.fromkeys(found))

    def _replaceable(self, peer: _Peer[Connection]) -> list[Connection]:
        return [each for stage in _WITH_HELLO for each in peer.stages[stage] if each is not self._newest]

    def _put(self, connection: Connection, address: Hashable, outsider: bool, stage: Stage, now: float) -> None:
        peer = self._peers.get((address, outsider))
        if peer is None:
            peer = self._peers[address, outsider] = _Peer(address, outsider)
        peer.stages[stage][connection] = now
        self._places[connection] = (peer, stage)

    def _take(self, connection: Connection) -> _Peer[Connection] | None:
        peer, stage = self._places.pop(connection, (None, Stage.WAITS))
        if peer is not None:
            del peer.stages[stage][connection]
            if not peer.count(*Stage):
                del self._peers[peer.address, peer.outsider]
        return peer


def _of_largest(connections: Iterable[list[Connection]], number: int) -> list[Connection]:
    """Return so many connections, one after the other from the list that has most left."""
    if number <= 0:
        return []
    left = [(len(each) - taken, connection) for each in connections for taken, connection in enumerate(each)]
    return [connection for _, connection in sorted(left, key=itemgetter(0), reverse=True)[:number]]
