"""The grace period: an unused network stays for a while, because it may be used again.

The period of a use begins when the use ends, and only another use ends it early: events in between
neither extend nor restart it. Nothing here reads a clock.

A process that begins does not know when earlier uses ended. It counts from its own first look, so a restart never makes
a period shorter.

Source: OKEP-5552, "Implementation Details"; ovn-kubernetes option ``--udn-deletion-grace-period``.
"""

from collections.abc import Container, Mapping, Set
from dataclasses import dataclass, field
from typing import TypeAlias

Use: TypeAlias = tuple[str, str]
"""A network and a node."""


@dataclass(frozen=True, slots=True)
class Grace:
    """The uses at one moment: ``active`` ones, and those that ended, with the moment at which that was seen."""

    active: frozenset[Use] = frozenset()
    since: Mapping[Use, float] = field(default_factory=dict, hash=False)

    def at(self, now: float, period: float, active: Set[Use], held: Set[Use] = frozenset()) -> "Grace":
        """Return the next state, in which ``active`` are used. ``held`` uses still have something to give back.

        A use that is not held is forgotten after its period.
        """
        ended = (self.active | held | self.since.keys()) - active
        since = {use: self.since.get(use, now) for use in ended}
        kept = {use: moment for use, moment in since.items() if use in held or now - moment < period}
        return Grace(frozenset(active), kept)

    def of(self, networks: Container[str]) -> "Grace":
        """Return the state without the uses of other networks."""
        active = frozenset(use for use in self.active if use[0] in networks)
        return Grace(active, {use: moment for use, moment in self.since.items() if use[0] in networks})

    def in_grace(self, now: float, period: float) -> frozenset[Use]:
        """Return the uses that ended less than ``period`` ago."""
        return frozenset(use for use, moment in self.since.items() if now - moment < period)

    def due(self, now: float, period: float) -> float | None:
        """Return the seconds until the first period ends, None when none runs."""
        running = [period - (now - moment) for moment in self.since.values() if now - moment < period]
        return min(running, default=None)
