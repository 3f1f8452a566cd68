"""Rollouts without progress: after ten minutes without a change a rollout hangs.

The time of the last change outlives a process in a text, which the next leader reads.

Source: cluster-network-operator, release 4.14, ``pkg/controller/statusmanager/pod_status.go``.
"""

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, Self

from ovnguard.reconciler.rollout.plan.model import Observed
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import Workload

PATIENCE: Final = 600.0
"""Seconds without a change after which a rollout hangs."""
_MAX_TEXT: Final = 4096


@dataclass(frozen=True, slots=True)
class Progress:
    """What each unfinished rollout looked like, and since when, in seconds of the epoch."""

    seen: Mapping[str, tuple[str, float]] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str, now: float) -> Self:
        """Return the progress that ``text`` records; nothing for another text than `text` writes, or a future time."""
        try:
            value = json.loads(text) if text and len(text) <= _MAX_TEXT else {}
        except (ValueError, RecursionError):
            value = {}
        entries = value.items() if isinstance(value, dict) else ()
        return cls({key: (entry[0], float(entry[1])) for key, entry in entries if _is_entry(entry, now)})

    @property
    def text(self) -> str:
        """The text for the next leader."""
        return json.dumps({key: list(entry) for key, entry in sorted(self.seen.items())}) if self.seen else ""

    def after(self, workloads: Iterable[Workload], now: float) -> "Progress":
        """Return the progress of those that are unfinished now; each change restarts its time.

        A rollout that is marked, and of which nothing is remembered, hangs already.
        """
        found: dict[str, tuple[str, float]] = {}
        for each in filter(unfinished, workloads):
            key, state = str(each), _state(each)
            before = self.seen.get(key)
            if before is None:
                found[key] = (state, now - PATIENCE - 1 if each.hung else now)
            else:
                found[key] = before if before[0] == state else (state, now)
        return Progress(found)

    def hung(self, now: float) -> frozenset[str]:
        """Return the rollouts that hang."""
        return frozenset(key for key, (_, since) in self.seen.items() if now - since > PATIENCE)

    def hung_texts(self, workloads: Iterable[Workload], now: float) -> tuple[str, ...]:
        """Return what to say about each rollout that hangs: how far it is, and since when."""
        hung = self.hung(now)
        return tuple(_hung_text(each, self.seen[str(each)][1]) for each in workloads if str(each) in hung)

    def since(self) -> float | None:
        """Return when the rollout changed last that has been unchanged the longest, None without a rollout."""
        return min((since for _, since in self.seen.values()), default=None)

    def due(self, now: float) -> float | None:
        """Return the seconds until the next rollout hangs, None when none will."""
        left = (PATIENCE - (now - since) for _, since in self.seen.values())
        return min((each for each in left if each >= 0), default=None)


def with_marks(seen: Observed, hung: Collection[str]) -> Observed:
    """Return ``seen`` with exactly the rollouts ``hung`` marked: a mark is about the state that it was written for."""

    def marked(workload: Workload | None) -> Workload | None:
        return workload and replace(workload, hung=str(workload) in hung)

    return replace(
        seen,
        node=marked(seen.node),
        master=marked(seen.master),
        control_plane=marked(seen.control_plane),
        prepuller=marked(seen.prepuller),
    )


def unfinished(workload: Workload) -> bool:
    """Whether a rollout is unfinished, although the upgrade may go on without the rest of a marked one."""
    return replace(workload, hung=False).progressing


def _hung_text(workload: Workload, since: float) -> str:
    """The operator's words, and the numbers."""
    last = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    numbers = f"{workload.updated} of {workload.desired} updated, {workload.available} of {workload.desired} available"
    subject = f'{workload.kind} "{workload.namespace}/{workload.name}"'
    return f"{subject} rollout is not making progress - last change {last} ({numbers})"


def _state(workload: Workload) -> str:
    counters = (workload.generation, workload.desired, workload.updated, workload.available, workload.unavailable)
    return "/".join(map(str, counters))


def _is_entry(entry: Any, now: float) -> bool:
    return (
        isinstance(entry, list)
        and len(entry) == 2
        and isinstance(entry[0], str)
        and isinstance(entry[1], int | float)
        and not isinstance(entry[1], bool)
        and math.isfinite(entry[1])
        and 0 <= entry[1] <= now
    )
