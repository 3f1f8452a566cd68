"""An upgrade as a picture in text: its phases, where it is among them, and how far each workload is."""

from collections.abc import Iterator, Sequence
from typing import Final

from ovnguard.reconciler.rollout.plan.model import Decision, Folder, Observed, Phase
from ovnguard.reconciler.rollout.plan.table import TABLE
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import Workload

_UPGRADE: Final = (
    Phase.FIRST_STARTS,
    Phase.FIRST_NODES,
    Phase.FIRST_MASTERS,
    Phase.SECOND_STARTS,
    Phase.SECOND_NODES,
    Phase.SECOND_CONTROL_PLANE,
    Phase.SECOND_SETTLES,
    Phase.SECOND_ENDS,
)
_WAYS: Final = ((Phase.INSTALL,), (Phase.DOWNGRADE,), (Phase.FAST_FORWARD, Phase.SECOND_ENDS), _UPGRADE)
_BAR: Final = 20


def title_of(phase: Phase, folder: Folder | None = None) -> str:
    """Return what happens in a phase. Where 4.13 has the same phase as later releases, ``folder`` selects one."""
    legacy = folder is Folder.LEGACY
    rows = [row for row in TABLE if row.phase is phase]
    rows.sort(key=lambda row: (row.folder is Folder.LEGACY) is not legacy)
    return rows[0].title if rows else "not understood: no step is taken"


def timeline(decision: Decision, release: str) -> Sequence[str]:
    """Return one line for each phase of the way that the cluster is on, and one for its end."""
    now, reached = decision.status.phase, decision.status.level_reached
    way = next((each for each in _WAYS if now in each), None)
    if way is None:
        return (
            [] if now is Phase.NOT_UNDERSTOOD else [_line(reached, now=not reached, text=f"{release} runs everywhere")]
        )
    place = way.index(now)
    lines = [
        _line(index < place, now=index == place, text=f"{phase:<4} {title_of(phase)}")
        for index, phase in enumerate(way)
    ]
    return [*lines, _line(reached, now=False, text=f"{release} runs everywhere")]


def workload_lines(seen: Observed) -> Iterator[str]:
    """Iterate over one line for each workload."""
    for each in (seen.prepuller, seen.node, seen.master, seen.control_plane):
        if each is not None:
            yield f"{each.name:<27} {each.version or 'no version':<12} {_zone(each):<27} {_bar(each)}"


def _line(done: bool, *, now: bool, text: str) -> str:
    return f"[{'>' if now else 'x' if done else ' '}] {text}"


def _zone(workload: Workload) -> str:
    if not workload.interconnect:
        return "no interconnect"
    return "a zone per node" if workload.multizone else "single zone, interconnect"


def _bar(workload: Workload) -> str:
    ready = min(workload.updated, workload.available) if workload.observed else 0
    filled = _BAR * ready // workload.desired if workload.desired else 0
    hung = ", hangs" if workload.hung else ""
    return f"|{'#' * filled}{'.' * (_BAR - filled)}| {ready} of {workload.desired}{hung}"
