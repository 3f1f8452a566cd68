"""The rest of an upgrade in which nothing fails: every write that is still to come, in order.

Each pass decides as the controller does; what it writes takes effect at once and rolls out completely.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from ovnguard.reconciler.rollout.plan import folders
from ovnguard.reconciler.rollout.plan.decision import decide
from ovnguard.reconciler.rollout.plan.model import (
    Action,
    ConfigMapAction,
    ConfigMapVerb,
    Decision,
    Flavour,
    Folder,
    Observed,
    Phase,
    Route,
    Step,
)
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import (
    CONTROL_PLANE,
    MASTER,
    MULTI_ZONE,
    NODE,
    PREPULLER,
    SINGLE_ZONE,
    Workload,
)

MAX_PASSES: Final = 20
"""More than any upgrade has; one that does not end is shown so far."""
_PREPULLER_FILE: Final = folders.PREPULLER_PATH.rpartition("/")[2]
_NAMES: Final = {
    folders.NODE_FILE: NODE,
    folders.MASTER_FILE: MASTER,
    folders.CONTROL_PLANE_FILE: CONTROL_PLANE,
    _PREPULLER_FILE: PREPULLER,
}
"""The workloads that are observed, by their manifests."""


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: its phase and folder, the write of the ConfigMap, and the steps that change something."""

    phase: Phase
    folder: Folder | None
    config_map: ConfigMapAction
    steps: tuple[Step, ...]


def forecast(seen: Observed) -> tuple[Pass, ...]:
    """Return the passes that change something until the upgrade is complete, the next one first."""
    found: list[Pass] = []
    written: dict[str, str] = {}
    for _ in range(MAX_PASSES):
        decision = decide(seen)
        changing = tuple(_changing(decision, seen, written))
        now = _after(decision, seen)
        if changing or decision.config_map.verb is not ConfigMapVerb.KEEP:
            found.append(Pass(decision.status.phase, decision.folder, decision.config_map, changing))
        elif now == seen:
            break
        seen = now
    return tuple(found)


def _changing(decision: Decision, seen: Observed, written: dict[str, str]) -> Iterator[Step]:
    """The steps that write something. ``written`` are the manifests of earlier passes by file, "" once removed."""
    for step in decision.steps:
        if step.action is Action.RELEASE or (step.action is Action.APPLY and step.file == folders.COMMON):
            # once is enough for a folder
            yield from [] if str(step) in written else [step]
            written[str(step)] = ""
            continue
        known, found = step.file in _NAMES, _workload(seen, step.file)
        if step.action is Action.ANNOTATE:
            yield step
        elif step.action is Action.REMOVE:
            if (found is not None) if known else written.get(step.file) != "":
                yield step
            written[step.file] = ""
        elif _writes(step, seen):
            source = _source(step)
            if written.get(step.file) != source and not (known and _runs(found) == _runs(_rendered(seen, step))):
                yield step
            written[step.file] = source


def _runs(workload: Workload | None) -> tuple[object, ...]:
    """What a workload runs, ready or not."""
    return () if workload is None else (workload.version, workload.interconnect, workload.zone_mode)


def _writes(step: Step, seen: Observed) -> bool:
    return step.action is Action.APPLY or (step.action is Action.CREATE_ONLY and _workload(seen, step.file) is None)


def _after(decision: Decision, seen: Observed) -> Observed:
    """What is observed when everything is written and rolled out."""
    action = decision.config_map
    if action.verb is ConfigMapVerb.DELETE:
        seen = replace(seen, config_map=None)
    elif action.verb is not ConfigMapVerb.KEEP:
        seen = replace(seen, config_map={**(seen.config_map or {}), **action.data})
    for step in decision.steps:
        if step.action is Action.REMOVE:
            seen = _with_workload(seen, step.file, None)
            seen = replace(seen, route=Route()) if step.file == folders.ROUTE_FILE else seen
        elif step.file == folders.ROUTE_FILE and step.action is Action.APPLY:
            # a new route has a host that is not known yet
            seen = replace(seen, route=replace(seen.route, exists=True, host=seen.route.host or "?"))
        elif step.file in _NAMES and _writes(step, seen):
            seen = _with_workload(seen, step.file, _rendered(seen, step))
    return seen


def _source(step: Step) -> str:
    """Where a manifest comes from, links followed."""
    link = folders.link_of(folders.folder_of(step.target), step.file)
    return step.target if link is None else f"{step.target.partition('/')[0]}/{link.removeprefix('../')}"


def _workload(seen: Observed, file: str) -> Workload | None:
    found = {
        folders.NODE_FILE: seen.node,
        folders.MASTER_FILE: seen.master,
        folders.CONTROL_PLANE_FILE: seen.control_plane,
        _PREPULLER_FILE: seen.prepuller,
    }
    return found.get(file)


def _with_workload(seen: Observed, file: str, workload: Workload | None) -> Observed:
    match file:
        case folders.NODE_FILE:
            return replace(seen, node=workload)
        case folders.MASTER_FILE:
            return replace(seen, master=workload)
        case folders.CONTROL_PLANE_FILE:
            return replace(seen, control_plane=workload)
    return replace(seen, prepuller=workload) if file == _PREPULLER_FILE else seen


def _rendered(seen: Observed, step: Step) -> Workload:
    """The workload of a manifest, rolled out."""
    file, before = step.file, _workload(seen, step.file)
    kind = "StatefulSet" if file == folders.MASTER_FILE and seen.flavour is Flavour.MANAGED else "DaemonSet"
    folder = folders.folder_of(_source(step))
    legacy, multizone = folder is Folder.LEGACY, folder is Folder.FINAL
    count = max(1, seen.master_addresses)
    new = Workload("Deployment" if file == folders.CONTROL_PLANE_FILE else kind, "", _NAMES[file], desired=count)
    return replace(
        before or new,
        version=None if seen.release is None else seen.release.text,
        interconnect=file != _PREPULLER_FILE and not legacy,
        zone_mode=MULTI_ZONE if multizone else SINGLE_ZONE,
        updated=(before or new).desired,
        available=(before or new).desired,
        unavailable=0,
        observed_generation=(before or new).generation,
        hung=False,
    )
