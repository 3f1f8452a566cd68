"""The reports of all zones, folded by network: how many of its zones have it, and on which nodes it has which problem.

A network is expected on every Node, or on those that use it under dynamic allocation. A zone has it when its report
contains the mark of this generation. A Node that is not ready counts only with what its zone reports.

A report counts while its own Node exists and it is renewed. Its age is measured by the reader's own clock, from the
moment at which the reader first saw this version: clocks of different machines are never compared.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ovnguard.reconciler.apply.kube_report import KEY, RENEWED, is_of_another, node_of_report
from ovnguard.reconciler.loop.status.zone_report import (
    DRIFT,
    NOT_PLANNED,
    QUARANTINED,
    REFUSED,
    ROUTES_MISSING,
    WAITING,
    Contents,
    Problem,
    contents_of,
    marks_in,
)
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.list_text import counted

STALE: Final = 3 * RENEWED
"""Seconds after which a report that was not renewed no longer counts."""
# Seconds between two foldings: the reports of many nodes change one after the other.
PAUSE: Final = 1.0
NOT_REPORTED: Final = "NotReported"
"""The report of a zone does not contain the network yet."""
NO_REPORT: Final = "NoReport"
"""There is no report of the zone, or it is not renewed."""
NOT_RECORDED: Final = "NotRecorded"
"""The API server refuses the numbers of the node."""
# The maximum numbers of different problems in a text.
_GROUPS: Final = 3
_IN_PUBLIC: Final = {
    REFUSED: "the network is refused",
    NOT_PLANNED: "the network cannot be planned",
    QUARANTINED: "the database refuses its rows",
    WAITING: "facts about the node or the network are missing",
    DRIFT: "rows are not as planned",
    ROUTES_MISSING: "routes to pods on other nodes are missing",
    NOT_REPORTED: "the zone has not reported the network yet",
    NO_REPORT: "the zone does not report",
    NOT_RECORDED: "the numbers of the node are not recorded",
}
REASONS: Final = tuple(_IN_PUBLIC)
"""The values of `Trouble.reason`."""
SILENT: Final = "Silent"
"""A zone does not renew its report."""
ZONE_STATES: Final = ("Ready", "NotReady", NO_REPORT, SILENT)
_UNSEEN: Final = Problem(NOT_REPORTED, _IN_PUBLIC[NOT_REPORTED])
_ABSENT: Final = Problem(NO_REPORT, _IN_PUBLIC[NO_REPORT])
_SILENT: Final = Problem(NO_REPORT, f"the zone has not renewed its report for {STALE:g} s")


@dataclass(frozen=True, slots=True)
class Trouble:
    """The problems of one network, by node, in the order of names."""

    by_node: tuple[tuple[str, Problem], ...]

    @property
    def reason(self) -> str:
        """The state on most nodes; what a zone reports explains more than that another one is silent."""
        found = [problem.state for _, problem in self.by_node]
        states = [state for state in found if state not in (NOT_REPORTED, NO_REPORT)] or found
        return max(sorted(set(states)), key=states.count)

    def text(self, *, public: bool) -> str:
        """Return the sentence; a ``public`` one names no other object, because namespaces learn nothing of others."""
        groups: dict[str, list[str]] = {}
        for node, problem in self.by_node:
            groups.setdefault(_IN_PUBLIC[problem.state] if public else problem.message, []).append(node)
        largest = sorted(groups.items(), key=lambda each: (-len(each[1]), each[0]))
        parts = [f"on {counted(len(nodes), 'node')}: {text}, e.g. {nodes[0]}" for text, nodes in largest[:_GROUPS]]
        if len(largest) > _GROUPS:
            parts.append(f"and {len(largest) - _GROUPS} other problems")
        return "; ".join(parts)


class Standing(NamedTuple):
    """In how many of the ``expected`` zones a network is ready, and the trouble in the others."""

    ready: int
    expected: int
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True)
class Folded:
    """``problems`` by network and node; ``silent`` are nodes whose reports are too old, ``gone`` those without a Node.

    ``zones`` are the nodes whose reports count, by the marks in them; ``missing`` is why others have none.
    """

    problems: Mapping[str, Mapping[str, Problem]] = field(default_factory=dict, hash=False)
    silent: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    zones: Mapping[str | None, frozenset[str]] = field(default_factory=dict, hash=False)
    missing: Mapping[str, Problem] = field(default_factory=dict, hash=False)
    unready: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict, hash=False)

    def standing(
        self,
        network: str,
        mark: str,
        users: Collection[str] | None = None,
        refusals: Mapping[str, str] = MappingProxyType({}),
    ) -> Standing:
        """Return where a network stands; ``users`` are the nodes that use it, None for all.

        ``refusals`` are by node why the API server refuses the node's numbers.
        """
        found = {node: each for node, each in self.problems.get(network, {}).items() if users is None or node in users}
        lacking = self.missing if users is None else {node: self.missing[node] for node in users & self.missing.keys()}
        found.update((node, each) for node, each in lacking.items() if node not in self.unready)
        ready = 0
        for marks, nodes in self.zones.items():
            asked = nodes if users is None else nodes.intersection(users)
            if marks is None or mark in _marks(marks):
                ready += len(asked - found.keys())
            else:
                found.update((node, self._unseen(node)) for node in asked - found.keys() - self.unready)
        for node in refusals.keys() & found.keys():
            if found[node].state in (WAITING, NOT_REPORTED, NO_REPORT):
                found[node] = Problem(NOT_RECORDED, refusals[node])
        trouble = Trouble(tuple(sorted(found.items()))) if found else None
        return Standing(ready, ready + len(found), trouble)

    def states(self) -> Mapping[str, int]:
        """Return how many zones are in each of `ZONE_STATES`; one that reports any problem is not ready."""
        troubled = {node for found in self.problems.values() for node in found}
        troubled |= {node for node, text in self.texts.items() if text}
        ready = len(self.texts.keys() - troubled)
        counts = ready, len(troubled), len(self.missing) - len(self.silent), len(self.silent)
        return dict(zip(ZONE_STATES, counts, strict=True))

    def _unseen(self, node: str) -> Problem:
        text = self.texts.get(node)
        return Problem(NOT_REPORTED, f"the zone fails: {text}") if text else _UNSEEN

    def reported(self, network: str) -> Trouble | None:
        """Return only what zones report about a network."""
        found = self.problems.get(network)
        return Trouble(tuple(sorted(found.items()))) if found else None


class ReportFolder:
    """Folds the reports that a view shows; unchanged reports are not read again."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        # By node: version, when it was first seen, and its contents.
        self._seen: dict[str, tuple[str, float, Contents]] = {}
        self._last: tuple[float, Folded] | None = None
        self._inputs: tuple[Iterable[JsonObject], tuple[str, ...]] = ((), ())
        self._behind = False

    def fold(self, objects: Iterable[JsonObject], nodes: Mapping[str, JsonObject]) -> Folded:
        """Return the current state; ``nodes`` are all Nodes by name. Computed once in `PAUSE` seconds."""
        now = self._monotonic()
        inputs = objects, tuple(nodes)
        if self._last is None or now - self._last[0] >= PAUSE:
            self._last, self._inputs = (now, self._fold(now, objects, nodes)), inputs
        self._behind = self._inputs[0] is not objects or self._inputs[1] != inputs[1]
        return self._last[1]

    def due(self) -> float | None:
        """Return the seconds until reports that came during the pause are folded, None if none came."""
        return max(0.0, self._last[0] + PAUSE - self._monotonic()) if self._last is not None and self._behind else None

    def _fold(self, now: float, objects: Iterable[JsonObject], nodes: Mapping[str, JsonObject]) -> Folded:
        found = [(node, obj) for obj in objects if (node := node_of_report(obj)) is not None]
        own = [(node, obj) for node, obj in found if not is_of_another(obj, nodes.get(node))]
        self._seen = {node: self._read(node, obj, now) for node, obj in own}
        gone = tuple(sorted(self._seen.keys() - nodes.keys()))
        silent = tuple(sorted(node for node, (_, since, _) in self._seen.items() if now - since > STALE))
        problems: dict[str, dict[str, Problem]] = {}
        zones: dict[str | None, set[str]] = {}
        texts = {}
        for node in sorted(self._seen.keys() - {*gone, *silent}):
            contents = self._seen[node][2]
            zones.setdefault(contents.ready, set()).add(node)
            texts[node] = contents.text
            for network, problem in contents.problems.items():
                problems.setdefault(network, {})[node] = problem
        return Folded(
            problems,
            tuple(each for each in silent if each not in gone),
            gone,
            {ready: frozenset(found) for ready, found in zones.items()},
            {node: _SILENT if node in silent else _ABSENT for node in sorted(nodes.keys() - texts.keys())},
            frozenset(name for name, obj in nodes.items() if _is_unready(obj)),
            texts,
        )

    def _read(self, node: str, obj: JsonObject, now: float) -> tuple[str, float, Contents]:
        version = str(obj["metadata"].get("resourceVersion", ""))
        before = self._seen.get(node)
        if before is not None and before[0] == version:
            return before
        return version, now, contents_of((obj.get("data") or {}).get(KEY))


@lru_cache(maxsize=256)
def _marks(ready: str) -> frozenset[str]:
    return marks_in(ready)


def _is_unready(obj: JsonObject) -> bool:
    """Whether the kubelet of a Node says that it is not ready, or no longer says anything."""
    status: Any = obj.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    found = [each for each in conditions or () if isinstance(each, dict) and each.get("type") == "Ready"]
    return any(each.get("status") != "True" for each in found)
