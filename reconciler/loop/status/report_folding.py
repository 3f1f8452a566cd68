"""The reports of all zones, folded by network: on how many nodes a network has which problem.

A report counts while its Node exists and it is renewed. Its age is measured by the reader's own clock, from the moment
at which the reader first saw this version: clocks of different machines are never compared.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from reconciler.apply.kube_report import KEY, RENEWED, node_of_report
from reconciler.loop.status.zone_report import (
    DRIFT,
    NOT_PLANNED,
    QUARANTINED,
    REFUSED,
    ROUTES_MISSING,
    WAITING,
    Problem,
    problems_in,
)
from validators.base.json_types import JsonObject
from validators.network.list_text import counted

STALE: Final = 3 * RENEWED
"""Seconds after which a report that was not renewed no longer counts."""
# Seconds between two foldings: the reports of many nodes change one after the other.
PAUSE: Final = 5.0
# The maximum numbers of different problems in a text.
_GROUPS: Final = 3
_IN_PUBLIC: Final = {
    REFUSED: "the network is refused",
    NOT_PLANNED: "the network cannot be planned",
    QUARANTINED: "the database refuses its rows",
    WAITING: "facts about the node or the network are missing",
    DRIFT: "rows are not as planned",
    ROUTES_MISSING: "routes to pods on other nodes are missing",
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """The problems of one network, by node, in the order of names."""

    by_node: tuple[tuple[str, Problem], ...]

    @property
    def reason(self) -> str:
        """The state on most nodes."""
        states = [problem.state for _, problem in self.by_node]
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


@dataclass(frozen=True, slots=True)
class Folded:
    """``troubles`` by network; ``silent`` are nodes whose reports are too old, ``gone`` those without a Node."""

    troubles: Mapping[str, Trouble] = field(default_factory=dict, hash=False)
    silent: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


class ReportFolder:
    """Folds the reports that a view shows; unchanged reports are not read again."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        # By node: version, when it was first seen, and its problems.
        self._seen: dict[str, tuple[str, float, Mapping[str, Problem]]] = {}
        self._last: tuple[float, Folded] | None = None

    def fold(self, objects: Iterable[JsonObject], nodes: Collection[str]) -> Folded:
        """Return the current problems; ``nodes`` are the names of all Nodes. Computed once in `PAUSE` seconds."""
        now = self._monotonic()
        if self._last is None or now - self._last[0] >= PAUSE:
            self._last = now, self._fold(now, objects, nodes)
        return self._last[1]

    def _fold(self, now: float, objects: Iterable[JsonObject], nodes: Collection[str]) -> Folded:
        self._seen = {node: self._read(node, obj, now) for obj in objects if (node := node_of_report(obj)) is not None}
        gone = tuple(sorted(self._seen.keys() - set(nodes)))
        silent = tuple(sorted(node for node, (_, since, _) in self._seen.items() if now - since > STALE))
        found: dict[str, list[tuple[str, Problem]]] = {}
        for node in sorted(self._seen.keys() - {*gone, *silent}):
            for network, problem in self._seen[node][2].items():
                found.setdefault(network, []).append((node, problem))
        troubles = {network: Trouble(tuple(each)) for network, each in found.items()}
        return Folded(troubles, tuple(each for each in silent if each not in gone), gone)

    def _read(self, node: str, obj: JsonObject, now: float) -> tuple[str, float, Mapping[str, Problem]]:
        version = str(obj["metadata"].get("resourceVersion", ""))
        before = self._seen.get(node)
        if before is not None and before[0] == version:
            return before
        return version, now, problems_in((obj.get("data") or {}).get(KEY))
