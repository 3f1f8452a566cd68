"""What a pass waits for, and the texts and conditions that report it.

Source: cluster-network-operator, release 4.14, ``pkg/controller/statusmanager/pod_status.go``.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from ovnguard.reconciler.rollout.plan.model import Condition, Flavour, Folder, Observed, Phase, Problem
from ovnguard.reconciler.rollout.plan.rolls import Rolls, waits_for_route
from ovnguard.reconciler.rollout.plan.situation import Situation
from ovnguard.reconciler.rollout.plan.table import Row
from ovnguard.validators.network.ovnkube_settings.interconnect import NAMESPACE
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import (
    CONTROL_PLANE,
    MASTER,
    NODE,
    PREPULLER,
    Workload,
)


class Pending(NamedTuple):
    """An object that is not where it should be."""

    subject: str
    text: str


def pending(situation: Situation, row: Row, roll: Rolls) -> Iterator[Pending]:
    """Iterate over what the upgrade waits for, what is next in line first."""
    seen, wanted = situation.seen, situation.release.text
    if row.folder is not Folder.FINAL and waits_for_route(seen):
        subject = f"Route {seen.central_namespace}/ovnkube-sbdb"
        yield Pending(subject, f"{subject} has no host yet")
    if roll.prepull:
        yield from _pending(f"DaemonSet {NAMESPACE}/{PREPULLER}", seen.prepuller, wanted)
    multizone = row.folder in (Folder.TEMPORARY, Folder.FINAL)
    changes = seen.node is not None and seen.node.multizone is not multizone
    nodes = tuple(_pending(f"DaemonSet {NAMESPACE}/{NODE}", seen.node, wanted, changes=changes))
    central = tuple(_pending_central(seen, row, roll, wanted))
    yield from (*central, *nodes) if row.phase is Phase.DOWNGRADE else (*nodes, *central)


def _pending_central(seen: Observed, row: Row, roll: Rolls, wanted: str) -> Iterator[Pending]:
    kind = "StatefulSet" if seen.flavour is Flavour.MANAGED else "DaemonSet"
    master, plane = f"{kind} {seen.central_namespace}/{MASTER}", f"Deployment {seen.central_namespace}/{CONTROL_PLANE}"
    if roll.master is not None:
        yield from _pending(master, seen.master, wanted)
    if roll.control_plane is not None:
        yield from _pending(plane, seen.control_plane, wanted)
    if row.folder is Folder.FINAL and seen.master is not None:
        yield Pending(master, f"{master} is not removed yet")
    if row.phase is Phase.DOWNGRADE and seen.control_plane is not None:
        yield Pending(plane, f"{plane} is not removed yet")


def _pending(subject: str, workload: Workload | None, wanted: str, *, changes: bool = False) -> Iterator[Pending]:
    if workload is None:
        yield Pending(subject, f"{subject} does not exist yet")
    elif workload.version != wanted:
        yield Pending(subject, f"{subject} is not at version {wanted} yet")
    elif changes:
        yield Pending(subject, f"{subject} does not have its new zone mode yet")
    elif workload.progressing:
        yield Pending(subject, progress_text(workload))


def progress_text(workload: Workload) -> str:
    """Return how far a rollout is, in the words of the cluster network operator."""
    subject = f'{workload.kind} "{workload.namespace}/{workload.name}"'
    if not workload.observed:
        generations = f"generation {workload.generation}, observed generation {workload.observed_generation}"
        return f"{subject} update is being processed ({generations})"
    if workload.updated < workload.desired:
        return f"{subject} update is rolling out ({workload.updated} out of {workload.desired} updated)"
    if not workload.available and not workload.unavailable:
        return f"{subject} is not yet scheduled on any nodes"
    missing = max(workload.unavailable, workload.desired - workload.available, 1)
    return f"{subject} is not available (awaiting {missing} nodes)"


def level_reached(situation: Situation) -> bool:
    """Whether the operator may report the version: every workload is there, at the release and rolled out, and no
    upgrade is recorded.
    """
    seen = situation.seen
    central = seen.control_plane if situation.has_interconnect else seen.master
    leftover = seen.master if situation.has_interconnect else seen.control_plane
    if leftover is not None or (situation.has_interconnect and not situation.guards.configuration_gone(seen)):
        return False
    return all(
        each is not None and each.version == situation.release.text and not replace(each, hung=False).progressing
        for each in (seen.node, central)
    )


def conditions(seen: Observed, waiting: tuple[str, ...], problems: tuple[Problem, ...]) -> Iterator[Condition]:
    """Iterate over the conditions to report."""
    if problems:
        yield Condition("Progressing", False, "NotUnderstood")
        yield Condition("Degraded", True, "NotUnderstood", "; ".join(map(str, problems)))
        return
    message = "\n".join(waiting)
    yield Condition("Progressing", bool(waiting), "Deploying" if waiting else "AsDesired", message)
    hung = [each for each in (seen.node, seen.master, seen.control_plane, seen.prepuller) if each and each.hung]
    text = "\n".join(f'{each.kind} "{each.namespace}/{each.name}" rollout is not making progress' for each in hung)
    yield Condition("Degraded", True, "RolloutHung", text) if hung else Condition("Degraded", False, "AsExpected")
