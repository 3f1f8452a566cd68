"""The loop of this node's BGP: frr.conf loaded after changes have settled, and the sessions and routes that follow.

frr-k8s waits for 3 s after a change and retries after 5 s, and so does this; further retries come later and later.
Rows of OVN are written before FRR, and a failure here is a text whose next attempt has its own time: a pass of the zone
that finds FRR hanging waits for the time limit of vtysh, and such passes become rare.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from ovnguard.reconciler.apply.store_errors import FrrForeignError, StoreError
from ovnguard.reconciler.loop.status.zone_state import NO_BGP, BgpStatus
from ovnguard.reconciler.loop.zone.bgp_metrics import BgpMetrics, BgpNumbers
from ovnguard.reconciler.plan.bgp.convergence import Convergence
from ovnguard.reconciler.plan.bgp.wanted_routes import Session, WantedRoute, wanted_routes, wanted_sessions
from ovnguard.reconciler.plan.desired_state import DesiredState

DEBOUNCE: Final = 3.0
RETRY: Final = 5.0
LONGEST_RETRY: Final = 300.0
# Seconds between two looks while something is missing, and while nothing is.
MISSING_PAUSE: Final = 5.0
COMPLETE_PAUSE: Final = 30.0
BUDGET: Final = 120.0
"""Seconds that BGP may take until nothing is missing: 120 nodes in a full mesh took less than one minute."""
# A session's age in a text changes at these seconds only, so that a report does not change with every look.
_STEPS: Final = (0, 10, 40, 120, 600, 3600, 86400)
_SHOWN: Final = 3
_log = logging.getLogger(__name__)


class ReadBgp(Protocol):
    """Compares what must be with what bgpd and the kernel have: `reconciler.apply.frr.bgp_state.read_bgp`."""

    def __call__(
        self, sessions: Sequence[Session], routes: Sequence[WantedRoute], down: Mapping[Session, float]
    ) -> Convergence:
        """Return what is missing; raise StoreError when it cannot be read."""


@dataclass(frozen=True, slots=True)
class BgpParts:
    """The dependencies of a BGP loop.

    ``write`` brings FRR to a configuration, ``read`` looks at the result, None where FRR cannot be asked: ``unread``
    then says why. ``budget`` are the seconds until something missing is a failure.
    """

    write: Callable[[str], bool]
    read: ReadBgp | None = None
    unread: str = ""
    budget: float = BUDGET
    metrics: BgpMetrics = field(default_factory=BgpMetrics)
    monotonic: Callable[[], float] = time.monotonic
    clock: Callable[[], float] = time.time


class BgpLoop:
    """Keeps FRR of ``node`` as planned."""

    def __init__(self, node: str, parts: BgpParts) -> None:
        self._node = node
        self._parts = parts
        self._wanted: str | None = None
        self._settling = False
        self._write_at = self._look_at = parts.monotonic()
        self._attempts = 0
        self._unread = 0
        self._failure = ""
        self._planned: DesiredState | None = None
        self._goal: tuple[tuple[Session, ...], tuple[WantedRoute, ...]] = ((), ())
        self._down: dict[Session, float] = {}
        self._since: float | None = None
        self._status = NO_BGP

    def due(self) -> float | None:
        """Return the seconds until something is to be done, None for no such time."""
        now = self._parts.monotonic()
        # What is overdue waits for something else, such as a plan for the default network.
        ahead = [each - now for each in (self._write_at, self._look_at) if each > now]
        return min(ahead) if ahead and self._wanted is not None else None

    def write(self, text: str) -> bool:
        """Bring FRR to ``text`` when it is time; return whether anything changed.

        Raises FrrForeignError; any other failure is in the next status.
        """
        now = self._parts.monotonic()
        if text != self._wanted:
            if not self._settling:
                self._write_at = now if self._wanted is None else now + DEBOUNCE
            # What FRR does not run yet is not complete, even if all sessions are up.
            self._since = now if self._since is None else self._since
            self._wanted, self._settling, self._attempts, self._look_at = text, True, 0, now
        if now < self._write_at:
            return False
        self._settling = False
        try:
            changed = self._parts.write(text)
        except FrrForeignError:
            self._failure = ""
            raise
        except StoreError as error:
            self._failed(str(error))
            return False
        if changed or self._failure:
            self._parts.metrics.reloaded(succeeded=True, at=self._parts.clock())
            self._look_at = now
        self._failure, self._attempts = "", 0
        self._write_at = self._parts.monotonic() + COMPLETE_PAUSE
        return changed

    def _failed(self, text: str) -> None:
        self._failure = text
        self._parts.metrics.reloaded(succeeded=False, at=self._parts.clock())
        self._write_at = self._parts.monotonic() + _pause(self._attempts)
        self._attempts += 1

    def look(self, desired: DesiredState) -> BgpStatus:
        """Return the status; sessions and routes are read when it is time, or when other ones are wanted."""
        goal = self._goal_of(desired)
        now = self._parts.monotonic()
        if self._parts.read is None:
            texts = (self._parts.unread,) if self._wanted and self._parts.unread else ()
            return BgpStatus(self._failures(), texts)
        if goal != self._goal or now >= self._look_at:
            self._goal = goal
            self._status = self._read(self._parts.read, *goal)
        return replace(self._status, failures=(*self._failures(), *self._status.failures))

    def _goal_of(self, desired: DesiredState) -> tuple[tuple[Session, ...], tuple[WantedRoute, ...]]:
        """The sessions of the last configuration, and the routes of the plan."""
        if self._wanted is None:
            return (), ()
        routes = self._goal[1]
        if desired is not self._planned:
            self._planned, routes = desired, wanted_routes(desired.judged.ready, desired.nodes, self._node)
        return wanted_sessions(self._wanted), routes

    def _failures(self) -> tuple[str, ...]:
        return (self._failure,) if self._failure else ()

    def _read(self, read: ReadBgp, sessions: Sequence[Session], routes: Sequence[WantedRoute]) -> BgpStatus:
        now = self._parts.monotonic()
        self._look_at = now + MISSING_PAUSE
        if not sessions and not routes:
            self._look_at, self._since = now + COMPLETE_PAUSE, None
            self._report(Convergence())
            return BgpStatus(sessions=(0, 0))
        try:
            found = read(sessions, routes, {each: _step(now - since) for each, since in self._down.items()})
        except StoreError as error:
            self._since = now if self._since is None else self._since
            self._look_at = self._parts.monotonic() + _pause(self._unread)
            self._unread += 1
            return BgpStatus((f"BGP of node {self._node}: {error}",))
        self._unread = 0
        self._down = {each.session: self._down.get(each.session, now) for each in found.missing_sessions}
        self._follow(found, now)
        self._report(found)
        return self._status_of(found, now)

    def _follow(self, found: Convergence, now: float) -> None:
        """Measure the time from a change, or the first look at something missing, until nothing is missing."""
        if not found.is_complete or self._settling or self._failure:
            self._since = now if self._since is None else self._since
            return
        self._look_at = now + COMPLETE_PAUSE
        if self._since is not None:
            took, self._since = now - self._since, None
            self._parts.metrics.converged(took)
            sessions, routes = found.sessions, found.routes
            _log.info("BGP of node %s: %d sessions and %d routes after %.1f s", self._node, sessions, routes, took)

    def _report(self, found: Convergence) -> None:
        now = self._parts.monotonic()
        since = 0.0 if self._since is None else self._parts.clock() - (now - self._since)
        numbers = found.sessions, found.established, found.routes, len(found.missing_routes)
        self._parts.metrics.set(BgpNumbers(*numbers, since, self._parts.budget))

    def _status_of(self, found: Convergence, now: float) -> BgpStatus:
        texts, missing = [], {}
        if found.missing_sessions:
            count = f"{len(found.missing_sessions)} of {found.sessions} sessions not Established"
            texts.append(f"BGP of node {self._node}: {count}: {_few(found.missing_sessions)}")
        for network, routes in found.by_network().items():
            missing[network] = f"not learnt from other nodes: {_few(routes)}"
            texts.append(f"network {network}, node {self._node}: {missing[network]}")
        late = 0.0 if self._since is None else now - self._since
        failures = (f"BGP of node {self._node} has not converged within {self._parts.budget:g} s",)
        late_failures = failures if late > self._parts.budget else ()
        return BgpStatus(late_failures, tuple(texts), missing, (found.established, found.sessions))


def _pause(attempts: int) -> float:
    """Seconds until the next attempt, after this many failed ones before the last."""
    return float(min(RETRY * 2.0 ** min(attempts, 16), LONGEST_RETRY))


def _step(seconds: float) -> float:
    return float(max(each for each in _STEPS if each <= max(seconds, 0)))


def _few(each: Sequence[object]) -> str:
    more = [f"and {len(each) - _SHOWN} more"] if len(each) > _SHOWN else []
    return "; ".join([*map(str, each[:_SHOWN]), *more])
