"""Follows host names: asks for their addresses again when the records expire, and keeps the last good ones."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from ovnguard.reconciler.dns.apply.lookup import Answer, Question
from ovnguard.validators.network.model import IPAddress

SHORTEST: Final = 5.0
LONGEST: Final = 30.0
"""Seconds between two lookups of a name: the TTL of its records within these bounds; the shortest after a failure."""
_FAMILIES: Final = (4, 6)

LookUp = Callable[[Iterable[Question]], Mapping[Question, Answer]]


@dataclass(slots=True)
class _Followed:
    """The last good addresses of a name by family, and what its last lookup said."""

    due: float
    addresses: dict[int, tuple[IPAddress, ...]] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Followed:
    """The last good addresses of all names, and the problems of the last lookups.

    ``succeeded`` and ``failed`` count the names that were looked up now.
    """

    addresses: tuple[IPAddress, ...] = ()
    problems: tuple[str, ...] = ()
    succeeded: int = 0
    failed: int = 0


class FollowedNames:
    """The host names of a load balancer."""

    def __init__(self, look_up: LookUp, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._look_up = look_up
        self._monotonic = monotonic
        self._names: dict[str, _Followed] = {}

    def follow(self, names: Iterable[str]) -> Followed:
        """Look up those of ``names`` that are due, and forget all others."""
        now = self._monotonic()
        self._names = {name: self._names.get(name) or _Followed(now) for name in names}
        asked = [name for name, each in self._names.items() if each.due <= now]
        answers = self._look_up(Question(name, version) for name in asked for version in _FAMILIES) if asked else {}
        for name in asked:
            _take(self._names[name], name, answers, self._monotonic())
        every = self._names.values()
        return Followed(
            tuple(
                dict.fromkeys(ip for each in every for version in _FAMILIES for ip in each.addresses.get(version, ()))
            ),
            tuple(problem for each in every for problem in each.problems),
            sum(not self._names[name].problems for name in asked),
            sum(bool(self._names[name].problems) for name in asked),
        )

    def due(self) -> float | None:
        """Return the seconds until the next lookup, None without names."""
        now = self._monotonic()
        return min((max(0.0, each.due - now) for each in self._names.values()), default=None)


def _take(followed: _Followed, name: str, answers: Mapping[Question, Answer], now: float) -> None:
    """Take over what the lookup found; a family whose lookup failed keeps its addresses."""
    asked = {version: Question(name, version) for version in _FAMILIES}
    found = {version: answers[question] for version, question in asked.items()}
    good = {version: answer for version, answer in found.items() if not answer.problem}
    problems = [f"{asked[version]}: {answer.problem}" for version, answer in found.items() if answer.problem]
    if len({answer.problem for answer in found.values()}) == 1 and problems:
        problems = [f"{name}: {found[4].problem}"]
    ttls = [answer.ttl for answer in good.values() if answer.addresses]
    if ttls:
        followed.addresses |= {version: answer.addresses for version, answer in good.items()}
    elif not problems:
        problems = [f"{name}: has no address"]
    followed.problems = tuple(problems)
    followed.due = now + (SHORTEST if problems else min(max(SHORTEST, float(min(ttls))), LONGEST))
