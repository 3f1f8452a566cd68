"""Writes to the API server: recorded choices, conditions, and Events about changes.

When several zones write the same concurrently, one wins the write to the network's object, and only the winner reports
an Event. For objects without conditions every zone reports, under one Event name.
"""

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol

from reconciler.apply.deletion_brake import HeldDeletions
from reconciler.apply.kube import Condition, Recorder, find_condition
from reconciler.apply.ovn.repairs import Repair
from reconciler.loop.process.events import Event, EventRecorder, reference_to
from reconciler.loop.status.lasting_failure import LastingFailure
from reconciler.loop.status.network_status import (
    ACCEPTED,
    ACCEPTED_MESSAGE,
    CONDITION,
    EXHAUSTED,
    NOT_PLANNED,
    ZONES,
    StatusReason,
    acceptance_of,
    chosen_of,
    condition_of,
    objection_to,
    trouble_of,
    upgrade_of,
    zones_of,
)
from reconciler.loop.status.pending_repairs import NAMED, PendingRepairs
from reconciler.loop.status.report_folding import Trouble
from reconciler.plan.desired_state import DesiredState
from reconciler.plan.inputs.candidates import Candidate
from validators.base.json_types import JsonObject
from validators.cluster.client_protocol import ClusterError
from validators.network.cluster_view import CUDN, UDN
from validators.network.model import IPNetwork

CHOOSE: Final = "ChooseTransitSubnet"
PLAN: Final = "PlanNetwork"
REPAIR: Final = "RepairRows"
REPAIRED: Final = "RowsRepaired"
DELETE: Final = "DeleteRows"
HELD: Final = "DeletionsHeld"
RESUMED: Final = "DeletionsResumed"
KEEP: Final = "KeepZone"
AUDIT: Final = "AuditZone"
DRIFT: Final = "ZoneDrift"
DRIFT_ENDED: Final = "ZoneDriftEnded"

_log = logging.getLogger(__name__)
Newest = Mapping[str, JsonObject]
"""The newest known objects by UID, for their resourceVersion and status."""


class Found(Protocol):
    """The networks of one tick: `DesiredState` or `JudgedNetworks`."""

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Return all networks."""

    @property
    def records(self) -> Mapping[int, JsonObject]:
        """Return the values to record, by index of the candidate."""


def _version(obj: JsonObject) -> str:
    return str(obj["metadata"].get("resourceVersion", ""))


def uid_of(obj: JsonObject) -> str:
    """Return the identity of the object for its lifetime."""
    return str(obj["metadata"].get("uid", ""))


class StatusWriter:
    """Writes the results of a tick to the API server, through ``recorder``, and Events through ``announcer``.

    Without a ``recorder``, as in an audit, it writes no object: Events report what conditions would.
    """

    def __init__(
        self, recorder: Recorder | None, announcer: EventRecorder, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._recorder = recorder
        self._announcer = announcer
        self._repairs = PendingRepairs(monotonic)
        self._failure = LastingFailure(monotonic)
        self._announced: dict[str, StatusReason] = {}
        self._held_deletions: HeldDeletions | None = None
        self._drift: Mapping[str, frozenset[str]] = {}
        # The versions that own records replaced, by UID, until the watch shows others.
        self._replaced: dict[str, str] = {}

    def record(
        self,
        found: Found,
        newest: Newest,
        transit: Sequence[IPNetwork],
        leading: Callable[[], bool] = lambda: True,
    ) -> list[str]:
        """Record values that objects lack, as long as ``leading``; return the failures.

        Numbers follow from what all objects record, so nothing is recorded while ``newest`` lacks an own write.
        """
        if self._recorder is None:
            return []
        self._replaced = {
            uid: version
            for uid, version in self._replaced.items()
            if uid in newest and _version(newest[uid]) == version
        }
        if self._replaced:
            return []
        failures: list[str] = []
        for index, patch in found.records.items():
            candidate = found.candidates[index]
            obj = newest.get(uid_of(candidate.object))
            if obj is None or obj["metadata"].get("deletionTimestamp"):
                continue
            if not leading():
                failures.append(f"{candidate.title}: no longer the leader, not recorded: {_flat(patch)}")
                break
            try:
                if (now := self._recorder.merge(obj, patch)) is not None:
                    if _version(now) != _version(obj):
                        self._replaced[uid_of(obj)] = _version(obj)
                    _log.info("recorded on %s: %s", candidate.title, _flat(patch))
                    self._announce_choice(candidate, obj, patch, transit)
            except ClusterError as error:
                failures.append(f"{candidate.title}: cannot record {_flat(patch)}: {error}")
        return failures

    def report(
        self,
        desired: DesiredState,
        newest: Newest,
        transit: Sequence[IPNetwork],
        troubles: Mapping[str, Trouble] = MappingProxyType({}),
        legacy: bool | None = None,
    ) -> list[str]:
        """Write conditions, or Events about networks that have none; return the failures.

        ``troubles`` are what zones report, by network; ``legacy``: whether a node has the Layer2 topology before
        transit routers, None where this process does not report it.
        """
        failures: list[str] = []
        errors = _errors(desired)
        objections: dict[str, StatusReason] = {}
        for index, candidate in enumerate(desired.candidates):
            obj = newest.get(uid_of(candidate.object))
            if obj is None:
                continue
            error = errors.get(candidate.name)
            trouble = trouble_of(candidate, troubles)
            if self._recorder is None or candidate.kind not in (CUDN, UDN):
                self._announce_objection(obj, objection_to(candidate, error), trouble, objections)
                continue
            # a choice counts only once it is recorded
            undecided = index in desired.records or (error is not None and candidate.network is not None)
            chosen = None if undecided else condition_of(candidate, transit)
            accepted = acceptance_of(candidate, obj, error)
            # what is held back everywhere has no rows in any zone
            held_back = accepted is not None and not accepted.status
            zones = None if held_back else zones_of(obj, trouble)
            # The first write changes the object's version: the second write waits for the next tick, which sees it.
            upgrade = None if legacy is None else upgrade_of(candidate, obj, legacy=legacy)
            conditions = [each for each in (chosen, accepted, zones, upgrade) if each]
            failures += filter(None, [self._report_one(self._recorder, candidate, obj, each) for each in conditions])
        self._announced = objections
        return failures

    def announce_problem(self, obj: JsonObject, status: StatusReason, action: str) -> None:
        """Report a problem of an object without conditions as an Event."""
        self._announcer.announce(Event(reference_to(obj), status.reason, action, status.message, warning=True))

    def announce_change(self, obj: JsonObject, status: StatusReason, action: str) -> None:
        """Report a change of an object without conditions, other than a problem, as an Event."""
        self._announcer.announce(Event(reference_to(obj), status.reason, action, status.message))

    def repaired(self, repairs: Iterable[Repair], node: JsonObject | None) -> None:
        """Report repaired rows as an Event about the ``node`` of the zone."""
        self._repairs.add(repairs)
        note = self._repairs.due() if node is not None else ""
        if note and node is not None:
            self._announcer.announce(Event(reference_to(node), REPAIRED, REPAIR, note, warning=True, recurs=True))

    def report_held_deletions(self, held_deletions: HeldDeletions | None, node: JsonObject | None) -> None:
        """Report that deletions wait, or no longer do, as an Event about the ``node`` of the zone."""
        if node is None or (held_deletions is None) is (self._held_deletions is None):
            return
        self._held_deletions = held_deletions
        waits = held_deletions is not None
        status = (
            StatusReason(HELD, str(held_deletions)) if waits else StatusReason(RESUMED, "Deletions no longer wait.")
        )
        event = Event(reference_to(node), status.reason, DELETE, status.message, warning=waits, recurs=True)
        self._announcer.announce(event)

    def failed(self, failures: Sequence[str], node: JsonObject | None) -> None:
        """Report failures of the whole zone that last, and their end, as an Event about its ``node``."""
        status = self._failure.news(failures) if node is not None else None
        if status is not None and node is not None:
            event = Event(reference_to(node), status.reason, KEEP, status.message, warning=bool(failures), recurs=True)
            self._announcer.announce(event)

    def drifted(self, drift: Mapping[str, frozenset[str]], node: JsonObject | None) -> None:
        """Report differences that no rule explains, by network, as Events about the ``node`` of the zone."""
        if node is None:
            return
        for network in sorted(drift.keys() | self._drift.keys()):
            texts = sorted(drift.get(network, ()))
            if texts != sorted(self._drift.get(network, ())):
                rest = [f"and {len(texts) - NAMED} more"] if len(texts) > NAMED else []
                note = "; ".join([*texts[:NAMED], *rest]) or "as planned again"
                reason = DRIFT if texts else DRIFT_ENDED
                event = Event(reference_to(node), reason, AUDIT, f"network {network}: {note}", bool(texts), recurs=True)
                self._announcer.announce(event)
        self._drift = dict(drift)

    def flush(self) -> None:
        """Write the Events that the rate limit allows."""
        self._announcer.flush()

    def _report_one(self, recorder: Recorder, candidate: Candidate, obj: JsonObject, condition: Condition) -> str:
        """Write one condition; return the failures."""
        try:
            if recorder.report(obj, condition):
                status = (condition.type, condition.status, condition.reason)
                _log.info("%s: condition %s is %s (%s)", candidate.title, *status)
                self._announce_condition(obj, condition)
        except ClusterError as error:
            return f"{candidate.title}: cannot write condition {condition.type}: {error}"
        return ""

    def _announce_condition(self, obj: JsonObject, condition: Condition) -> None:
        """Report a condition that changed; a new generation is not a change."""
        before = find_condition(obj, condition.type) or {}
        now = ["True" if condition.status else "False", condition.reason]
        if condition.type != ZONES:
            # how many zones it is about changes all the time
            now.append(condition.message)
        if [before.get(key) for key in ("status", "reason", "message")][: len(now)] != now:
            action, warning = CHOOSE if condition.type == CONDITION else PLAN, not condition.status
            event = Event(reference_to(obj), condition.reason, action, condition.message, warning, recurs=True)
            self._announcer.announce(event)

    def _announce_choice(
        self, candidate: Candidate, obj: JsonObject, patch: JsonObject, transit: Sequence[IPNetwork]
    ) -> None:
        """Report transit subnets that were recorded on an object without conditions."""
        network = candidate.network
        chosen = None if network is None or "spec" not in patch else chosen_of(network, transit)
        if chosen is not None and candidate.kind not in (CUDN, UDN):
            self._announcer.announce(Event(reference_to(obj), chosen.reason, CHOOSE, chosen.message))

    def _announce_objection(
        self,
        obj: JsonObject,
        objection: StatusReason | None,
        trouble: StatusReason | None,
        objections: dict[str, StatusReason],
    ) -> None:
        """Report why a network without conditions is not planned or written, and when it is again."""
        # on how many nodes there is trouble changes all the time
        status = objection or (None if trouble is None else StatusReason(trouble.reason, ""))
        uid = uid_of(obj)
        before = self._announced.get(uid)
        if status is not None:
            objections[uid] = status
        if status == before:
            return
        now = objection or trouble or StatusReason(ACCEPTED, ACCEPTED_MESSAGE)
        self._announcer.announce(Event(reference_to(obj), now.reason, PLAN, now.message, warning=status is not None))


def _errors(desired: DesiredState) -> dict[str, StatusReason]:
    """Why networks cannot be planned, by name."""
    return {
        error.network: StatusReason(EXHAUSTED if error.network in desired.exhausted else NOT_PLANNED, error.text)
        for error in desired.errors
        if error.network and not error.node
    }


def _flat(patch: JsonObject) -> str:
    annotations = patch.get("metadata", {}).get("annotations", {})
    return ", ".join(
        [*(f"{key}={value}" for key, value in sorted(annotations.items())), *(["spec"] if "spec" in patch else [])]
    )
