"""The condition ZonesReady of networks over time.

What zones report counts at once; they report what merely waits only after `zone_reporter.SETTLING` seconds. What they
have not reported yet has a few seconds, and a zone without any report a minute. Only a state that lasts is a Warning.
"""

import time
from collections.abc import Callable, Mapping
from typing import Final

from ovnguard.reconciler.apply.kube import Condition, find_condition
from ovnguard.reconciler.loop.process.backoff import earliest
from ovnguard.reconciler.loop.status.network_status import MAX_MESSAGE, ZONES, ZONES_MANAGER, StatusReason
from ovnguard.reconciler.loop.status.report_folding import NO_REPORT, NOT_REPORTED, Standing
from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import CUDN, OPERATOR_NETWORK

READY: Final = "Ready"
NOT_ACCEPTED: Final = "NotAccepted"
NOT_ACCEPTED_MESSAGE: Final = "The network is not accepted: the condition Accepted says why."
WARNING: Final = 10.0
"""Seconds that a state lasts before it is a Warning."""
_PATIENCE: Final[Mapping[str, float]] = {NOT_REPORTED: 4.0, NO_REPORT: 60.0}


class ZonesReady:
    """Remembers since when networks have which trouble, and the Warnings about it. ``monotonic`` returns seconds."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        # By UID of the object and by state of the trouble.
        self._since: dict[str, dict[str, float]] = {}
        self._warned: dict[str, str] = {}
        self._known: set[str] = set()

    def condition(self, candidate: Candidate, obj: JsonObject, standing: Standing) -> Condition | None:
        """Return the condition of ``obj``, None while it stays as it is."""
        self._follow(_uid(obj), standing)
        before = find_condition(obj, ZONES)
        if _uid(obj) not in self._known:
            self._known.add(_uid(obj))
            if before is not None and before.get("status") == "False" and before.get("reason") != NOT_ACCEPTED:
                # the leader that wrote it has reported it
                self._warned[_uid(obj)] = str(before.get("reason"))
        if standing.trouble is None:
            return Condition(ZONES, True, READY, f"{counted_zones(standing)} are ready.", ZONES_MANAGER)
        is_false = before is not None and before.get("status") == "False"
        if not is_false and self._age(_uid(obj), _PATIENCE) is None:
            return None
        text = standing.trouble.text(public=candidate.kind != CUDN)
        message = f"{counted_zones(standing)} are ready; {text}"[:MAX_MESSAGE]
        return Condition(ZONES, False, standing.trouble.reason, message, ZONES_MANAGER)

    def lasting(self, candidate: Candidate, obj: JsonObject, standing: Standing) -> StatusReason | None:
        """Return the trouble of a network without conditions when it is worth a Warning."""
        self._follow(_uid(obj), standing)
        if standing.trouble is None or self._age(_uid(obj), {**_PATIENCE, "": WARNING}) is None:
            return None
        text = standing.trouble.text(public=candidate.kind not in (CUDN, OPERATOR_NETWORK))
        return StatusReason(standing.trouble.reason, text[:MAX_MESSAGE])

    def news(self, obj: JsonObject, condition: Condition) -> bool:
        """Return whether the ``condition`` of ``obj`` is worth an Event now: a state that lasts, or its end."""
        uid = _uid(obj)
        if condition.status:
            return self._warned.pop(uid, None) is not None
        since = self._since.get(uid, {}).get(condition.reason)
        lasts = since is not None and self._monotonic() - since >= WARNING
        if not lasts or self._warned.get(uid) == condition.reason:
            return False
        self._warned[uid] = condition.reason
        return True

    def due(self) -> float | None:
        """Return the seconds until a state has lasted long enough for a condition or a Warning, None for never."""
        now = self._monotonic()
        began = {(state, at) for states in self._since.values() for state, at in states.items()}
        waits = ((at, wait) for state, at in began for wait in (_PATIENCE.get(state, 0), WARNING))
        return earliest(*(at + wait - now for at, wait in waits if at + wait > now))

    def keep(self, objects: Mapping[str, JsonObject]) -> None:
        """Forget networks that are not among ``objects``, by UID."""
        self._since = {uid: states for uid, states in self._since.items() if uid in objects}
        self._warned = {uid: reason for uid, reason in self._warned.items() if uid in objects}
        self._known &= objects.keys()

    def _follow(self, uid: str, standing: Standing) -> None:
        if standing.trouble is None:
            self._since.pop(uid, None)
            return
        now, before = self._monotonic(), self._since.get(uid, {})
        states = {each.state for _, each in standing.trouble.by_node}
        self._since[uid] = {state: before.get(state, now) for state in states}

    def _age(self, uid: str, patience: Mapping[str, float]) -> float | None:
        """The age of the oldest state that has lasted longer than its patience."""
        now, least = self._monotonic(), patience.get("", 0.0)
        ages = ((state, now - since) for state, since in self._since.get(uid, {}).items())
        return max((age for state, age in ages if age >= max(least, patience.get(state, 0.0))), default=None)


def not_accepted() -> Condition:
    """Return the condition of a network that is held back everywhere, so that no zone has it."""
    return Condition(ZONES, False, NOT_ACCEPTED, NOT_ACCEPTED_MESSAGE, ZONES_MANAGER)


def counted_zones(standing: Standing) -> str:
    """Return how many zones are ready: ``2 of 3 zones``."""
    return f"{standing.ready} of {standing.expected} zones"


def _uid(obj: JsonObject) -> str:
    return str(obj["metadata"].get("uid", ""))
