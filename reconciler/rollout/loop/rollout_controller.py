"""The controller of the interconnect upgrade: read, decide, execute, report. A pass needs nothing from the one before.

In an audit it writes no object: it computes and reports by log, Events and metrics.
"""

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ovnguard.reconciler.apply.objects.server_side_apply import Applier
from ovnguard.reconciler.loop.inputs.live_view import ListedView
from ovnguard.reconciler.loop.process.events import Event, EventRecorder, reference_to
from ovnguard.reconciler.loop.process.lease import Memory
from ovnguard.reconciler.rollout.loop.operator_check import OperatorCheck
from ovnguard.reconciler.rollout.loop.rollout_metrics import RolloutMetrics, RolloutNumbers
from ovnguard.reconciler.rollout.loop.rollout_reader import Reading, RolloutReader, RolloutTarget
from ovnguard.reconciler.rollout.loop.rollout_report import HUNG, REFUSED, Finding, RolloutReport
from ovnguard.reconciler.rollout.loop.rollout_resources import PODS, WORKLOADS
from ovnguard.reconciler.rollout.loop.step_executor import StepExecutor
from ovnguard.reconciler.rollout.plan.decision import decide
from ovnguard.reconciler.rollout.plan.hanging import Progress, unfinished, with_marks
from ovnguard.reconciler.rollout.plan.model import Decision, Observed, Phase
from ovnguard.reconciler.rollout.plan.stalls import Stall, stalls_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ClusterError
from ovnguard.validators.network.cluster_view import NODE
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.ovnkube_settings.interconnect import NAMESPACE
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import HUNG_ANNOTATION, Workload

UPGRADE: Final = "UpgradeInterconnect"
PHASE: Final = "RolloutPhase"
OVERRIDDEN: Final = "RolloutOverridden"
FAILED: Final = "RolloutStepFailed"
NOT_UNDERSTOOD: Final = "RolloutNotUnderstood"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RolloutParts:
    """The dependencies of a controller. ``guest`` is the cluster of the nodes, ``control`` that of the control plane;
    they are one unless control planes are hosted. In an audit there are no ``executor`` and no ``report``.
    """

    target: RolloutTarget
    guest: Applier
    control: Applier
    guest_view: ListedView
    control_view: ListedView
    announcer: EventRecorder
    leading: Callable[[], bool]
    executor: StepExecutor | None = None
    report: RolloutReport | None = None
    memory: Memory | None = None
    metrics: RolloutMetrics = field(default_factory=RolloutMetrics)
    clock: Callable[[], float] = time.time


class RolloutController:
    """Brings a cluster to its target while it leads."""

    def __init__(self, parts: RolloutParts) -> None:
        self._parts = parts
        self._reader = RolloutReader(parts.guest, parts.control, parts.target)
        self._operator = OperatorCheck(parts.control, parts.target.hosted)
        self._progress = Progress()
        self._recalled = False
        self._announced: dict[str, str] = {}

    def tick(self) -> tuple[str, ...]:
        """Make one pass; return the failures, which the next pass retries."""
        parts = self._parts
        if not parts.leading():
            self._recalled = False
            self._operator.forget()
            if parts.report is not None:
                parts.report.forget()
            return ()
        if parts.guest_view.waiting_for() or parts.control_view.waiting_for():
            return ()
        try:
            reading = self._reader.read(parts.guest_view.objects(NODE) or ())
            if parts.executor is not None:
                reading = self._operator.checked(reading)
        except ClusterError as error:
            return (str(error),)
        failures = self._mark_hung(reading)
        decision = decide(self._marked(reading.seen))
        refused = self._refused(reading)
        failures += () if refused else self._execute(decision, reading)
        hung = self._progress.hung_texts(_workloads(reading.seen), parts.clock())
        finding = Finding(decision, parts.target.release, self._stalls(reading), failures, hung, refused)
        self._announce(finding, reading)
        return failures + self._publish(finding)

    def due(self) -> float | None:
        """Return the seconds until a rollout hangs, None if none can."""
        return self._progress.due(self._parts.clock())

    def _refused(self, reading: Reading) -> tuple[str, ...]:
        executor = self._parts.executor
        return () if executor is None else executor.refused(reading.seen, reading.workloads)

    def _execute(self, decision: Decision, reading: Reading) -> tuple[str, ...]:
        executor = self._parts.executor
        if executor is None:
            return ()
        try:
            executor.execute(decision, reading.config_map)
        except ClusterError as error:
            return (str(error),)
        return ()

    def _mark_hung(self, reading: Reading) -> tuple[str, ...]:
        """Mark rollouts that hang, and remove the mark from those that go on."""
        parts, now = self._parts, self._parts.clock()
        if not self._recalled:
            text = "" if parts.memory is None else parts.memory.recall()
            self._progress, self._recalled = Progress.read(text, now), True
        observed = _workloads(reading.seen)
        self._progress = self._progress.after(observed, now)
        if parts.memory is not None:
            parts.memory.remember(self._progress.text)
        if parts.executor is None or reading.seen.not_understood:
            return ()
        hung, failures = self._progress.hung(now), []
        for each in observed:
            if each.hung is not (str(each) in hung):
                try:
                    self._mark(each, reading.workloads, hung=not each.hung)
                except ClusterError as error:
                    failures.append(f"{each}: cannot be marked: {error}")
        return tuple(failures)

    def _marked(self, seen: Observed) -> Observed:
        """What is seen, with the marks that were just written; an audit decides with those of the operator."""
        if self._parts.executor is None:
            return seen
        return with_marks(seen, self._progress.hung(self._parts.clock()))

    def _mark(self, workload: Workload, objects: Mapping[str, JsonObject], *, hung: bool) -> None:
        applier = self._parts.guest if workload.namespace == NAMESPACE else self._parts.control
        obj, text = objects[str(workload)], "" if hung else None
        applier.annotate(WORKLOADS[workload.kind], obj, {HUNG_ANNOTATION: text})
        _log.info("%s %s", workload, "hangs: no progress for ten minutes" if hung else "goes on")

    def _stalls(self, reading: Reading) -> tuple[Stall, ...]:
        found: list[Stall] = []
        rolling = [each for each in _workloads(reading.seen) if unfinished(each)]
        for view, own in ((self._parts.guest_view, True), (self._parts.control_view, False)):
            here = [each for each in rolling if (each.namespace == NAMESPACE) is own]
            nodes = view.objects(NODE) or ()
            found += stalls_of(here, reading.workloads, view.objects(PODS.group_kind) or (), nodes)
        return tuple(found)

    def _publish(self, finding: Finding) -> tuple[str, ...]:
        parts, since = self._parts, self._progress.since()
        status = finding.decision.status
        hung = len(self._progress.hung(parts.clock()))
        parts.metrics.set(RolloutNumbers(status.phase, hung, len(finding.stalls), since or 0.0, status.level_reached))
        parts.announcer.flush()
        if parts.report is None or not parts.leading():
            return ()
        try:
            parts.report.publish(finding)
        except ClusterError as error:
            return (f"cannot write the report: {error}",)
        return ()

    def _announce(self, finding: Finding, reading: Reading) -> None:
        """Report changes as Events about the nodes' DaemonSet, and in the log."""
        decision, seen = finding.decision, reading.seen
        named = shortlist(map(str, finding.stalls))
        override = seen.override
        facts = {
            PHASE: f"phase {decision.status.phase}: {'; '.join(decision.status.waiting_for) or 'nothing is awaited'}",
            HUNG: f"{'; '.join(finding.hung)}: {named or 'no cause is seen'}" if finding.hung else "",
            OVERRIDDEN: f"{override.by} skipped phases at {override.at}" if override else "",
            FAILED: "; ".join(finding.failures),
            REFUSED: shortlist(finding.refused),
        }
        if decision.status.phase is Phase.NOT_UNDERSTOOD:
            facts[NOT_UNDERSTOOD] = "; ".join(decision.status.waiting_for)
            del facts[PHASE]
        about = reading.workloads.get("DaemonSet ovnkube-node")
        for reason, text in facts.items():
            # how far a rollout is changes all the time
            key = decision.status.phase if reason == PHASE else text
            if not text or self._announced.get(reason) == key:
                continue
            _log.info("%s: %s", reason, text)
            if about is not None:
                self._parts.announcer.announce(
                    Event(reference_to(about), reason, UPGRADE, text, warning=reason != PHASE)
                )
        self._announced = {reason: decision.status.phase if reason == PHASE else text for reason, text in facts.items()}


def _workloads(seen: Observed) -> Sequence[Workload]:
    found: Iterable[Workload | None] = (seen.node, seen.master, seen.control_plane, seen.prepuller)
    return [each for each in found if each is not None]
