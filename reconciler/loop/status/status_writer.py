"""Writes to the API server: recorded choices, conditions, and Events about changes.

When several zones write the same concurrently, one wins the write to the network's object, and only the winner reports
an Event. For objects without conditions every zone reports, under one Event name.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from ovnguard.reconciler.apply.kube import Condition, Recorder, find_condition
from ovnguard.reconciler.loop.process.backoff import Backoff, earliest, is_about_one_object, is_refusal
from ovnguard.reconciler.loop.process.events import Event, EventRecorder, reference_to
from ovnguard.reconciler.loop.status.network_states import state_of
from ovnguard.reconciler.loop.status.network_status import (
    ACCEPTED,
    ACCEPTED_MESSAGE,
    CONDITION,
    EXHAUSTED,
    NOT_PLANNED,
    NOT_RECORDED,
    ZONES,
    StatusReason,
    acceptance_of,
    chosen_of,
    condition_of,
    objection_to,
    upgrade_of,
)
from ovnguard.reconciler.loop.status.node_events import NodeEvents
from ovnguard.reconciler.loop.status.report_folding import Standing
from ovnguard.reconciler.loop.status.unenforced_status import PolicyEvents, enforcement_of, refusal_of
from ovnguard.reconciler.loop.status.zones_ready import ZonesReady, not_accepted
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ClusterError
from ovnguard.validators.network.cluster_view import CUDN, UDN
from ovnguard.validators.network.model import IPNetwork

CHOOSE: Final = "ChooseTransitSubnet"
PLAN: Final = "PlanNetwork"

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


class StatusWriter(NodeEvents):
    """Writes the results of a tick to the API server, through ``recorder``, and Events through ``announcer``.

    Without a ``recorder``, as in an audit, it writes no object: Events report what conditions would.
    """

    def __init__(
        self, recorder: Recorder | None, announcer: EventRecorder, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(announcer, monotonic)
        self._recorder = recorder
        self._announced: dict[str, StatusReason] = {}
        # The versions that own records replaced, by UID, until the watch shows others.
        self._replaced: dict[str, str] = {}
        self._backoff = Backoff(monotonic)
        self._zones = ZonesReady(monotonic)
        self._policies = PolicyEvents(announcer)
        # Why the API server refuses records, by UID.
        self._refused: dict[str, StatusReason] = {}
        self.states: Mapping[str, int] = {}
        """How many networks were in which state when the last report was complete; see `network_states`."""

    def due(self) -> float | None:
        """Return the seconds until the next attempt after a failure, or until a state has lasted; None for never."""
        return earliest(self._backoff.due(), self._zones.due())

    def record(
        self,
        found: Found,
        newest: Newest,
        transit: Sequence[IPNetwork],
        leading: Callable[[], bool] = lambda: True,
    ) -> list[str]:
        """Record values that objects lack, as long as ``leading``; return the failures of the whole process.

        What fails for one object is tried again later; what the API server refuses becomes its condition or Event.
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
        self._refused = {uid: each for uid, each in self._refused.items() if uid in newest}
        for index, patch in found.records.items():
            candidate = found.candidates[index]
            obj = newest.get(uid_of(candidate.object))
            if obj is None or obj["metadata"].get("deletionTimestamp"):
                continue
            if not leading():
                return [f"{candidate.title}: no longer the leader, not recorded: {_flat(patch)}"]
            try:
                self._record_one(self._recorder, candidate, obj, patch, transit)
            except ClusterError as error:
                return [f"{candidate.title}: cannot record {_flat(patch)}: {error}"]
        return []

    def _record_one(
        self, recorder: Recorder, candidate: Candidate, obj: JsonObject, patch: JsonObject, transit: Sequence[IPNetwork]
    ) -> None:
        """Record values on one object unless an attempt has just failed; raise errors of the whole process."""
        uid, text = uid_of(obj), f"cannot record {_flat(patch)}"
        key = uid, text
        if self._backoff.waits(key):
            return
        try:
            now = recorder.merge(obj, patch)
        except ClusterError as error:
            if not is_about_one_object(error):
                raise
            self._backoff.failed(key, f"{candidate.title}: {text}: {error}")
            if is_refusal(error):
                self._refused[uid] = StatusReason(NOT_RECORDED, f"{text}: {error}")
            return
        self._backoff.succeeded(key)
        self._refused.pop(uid, None)
        if now is not None:
            if _version(now) != _version(obj):
                self._replaced[uid] = _version(obj)
            _log.info("recorded on %s: %s", candidate.title, _flat(patch))
            self._announce_choice(candidate, obj, patch, transit)

    def report(
        self,
        desired: DesiredState,
        newest: Newest,
        transit: Sequence[IPNetwork],
        zones: Callable[[str, JsonObject], Standing | None] = lambda *_: None,
        legacy: bool | None = None,
    ) -> list[str]:
        """Write conditions, or Events about networks that have none; return the failures of the whole process.

        ``zones`` returns where a network, by name and object, stands in its zones, None where that is not known;
        ``legacy``: whether a node has the Layer2 topology before transit routers, None where it is not reported.
        """
        errors = _errors(desired)
        objections: dict[str, StatusReason] = {}
        states: Counter[str] = Counter()
        silent: dict[str, tuple[JsonObject, Candidate]] = {}
        self._zones.keep(newest)
        for index, candidate in enumerate(desired.candidates):
            obj = newest.get(uid_of(candidate.object))
            if obj is None:
                continue
            error = errors.get(candidate.name) or (self._refused.get(uid_of(obj)) if index in desired.records else None)
            error = refusal_of(desired.unenforced, candidate) or error
            standing = None if obj["metadata"].get("deletionTimestamp") else zones(candidate.name, obj)
            states[state_of(candidate, error, standing)] += 1
            if self._recorder is None or candidate.kind not in (CUDN, UDN):
                trouble = None if standing is None else self._zones.lasting(candidate, obj, standing)
                self._announce_objection(obj, objection_to(candidate, error), trouble, objections)
                silent[uid_of(obj)] = obj, candidate
                continue
            # a choice counts only once it is recorded
            undecided = index in desired.records or (error is not None and candidate.network is not None)
            chosen = None if undecided else condition_of(candidate, transit)
            accepted = acceptance_of(candidate, obj, error)
            upgrade = None if legacy is None else upgrade_of(candidate, obj, legacy=legacy)
            ready = None if standing is None else self._readiness(candidate, obj, standing, accepted)
            policies = enforcement_of(desired.unenforced, candidate, obj)
            # The first write changes the object's version: the second write waits for the next tick, which sees it.
            for condition in filter(None, (chosen, accepted, ready, upgrade, policies)):
                if failure := self._report_one(self._recorder, candidate, obj, condition):
                    return [failure]
        self._policies.follow(silent, desired.unenforced)
        self._announced, self.states = objections, states
        return []

    def _readiness(
        self, candidate: Candidate, obj: JsonObject, standing: Standing, accepted: Condition | None
    ) -> Condition | None:
        """The condition ZonesReady, whose Event may come later than the condition itself."""
        # what is held back everywhere has no rows in any zone
        held_back = accepted is not None and not accepted.status
        ready = not_accepted() if held_back else self._zones.condition(candidate, obj, standing)
        if ready is not None and self._zones.news(obj, ready):
            event = Event(reference_to(obj), ready.reason, PLAN, ready.message, not ready.status, recurs=True)
            self._announcer.announce(event)
        return ready

    def _report_one(self, recorder: Recorder, candidate: Candidate, obj: JsonObject, condition: Condition) -> str:
        """Write one condition unless an attempt has just failed; return the failure of the whole process."""
        key = uid_of(obj), condition
        if self._backoff.waits(key):
            return ""
        try:
            written = recorder.report(obj, condition)
        except ClusterError as error:
            text = f"{candidate.title}: cannot write condition {condition.type}: {error}"
            if not is_about_one_object(error):
                return text
            self._backoff.failed(key, text)
            return ""
        self._backoff.succeeded(key)
        if written:
            status = (condition.type, condition.status, condition.reason)
            _log.info("%s: condition %s is %s (%s)", candidate.title, *status)
            self._announce_condition(obj, condition)
        return ""

    def _announce_condition(self, obj: JsonObject, condition: Condition) -> None:
        """Report a condition that changed; a new generation is not a change. That of zones has Events of its own."""
        if condition.type == ZONES:
            return
        before = find_condition(obj, condition.type) or {}
        now = ["True" if condition.status else "False", condition.reason, condition.message]
        if [before.get(key) for key in ("status", "reason", "message")] != now:
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
