"""Kubernetes Events: each change of an object is reported once and rate-limited, regardless of the number of ticks.

The name of an Event follows from its content, so another process that reports the same, later or on another node, finds
it. An Event for a fact is then left unchanged; an Event for an occurrence is counted in its series. The API server
forgets Events after an hour. Events are best effort: nothing waits for them, and one that cannot be written for long is
lost.

Source: Kubernetes API, events.k8s.io/v1 Event.
"""

import hashlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import MERGE_PATCH, ApiStatusError, Client, ClusterError
from ovnguard.validators.cluster.resources import Resource

CONTROLLER: Final = "ovnguard-reconciler"
EVENTS: Final = Resource("events.k8s.io", "v1", "events", "Event", namespaced=True)
# Where Events about objects without a namespace are; the API server takes no other one.
CLUSTER_WIDE: Final = "default"
MAX_NOTE: Final = 1024
MAX_INSTANCE: Final = 128
# The size of a burst, and the seconds per Event afterwards.
BURST: Final = 20
REFILL: Final = 10.0
MAX_PENDING: Final = 64
PAUSE: Final = 30.0
_CONFLICT: Final = 409
# Answers of an API server that is failing or limits requests.
_LATER: Final = frozenset((408, 429, 500, 502, 503, 504))
_MAX_NAME: Final = 200

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reference:
    """The object of an Event."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True)
class Event:
    """An occurrence that is counted every time (``recurs``), or a fact that is reported once."""

    about: Reference
    reason: str
    action: str
    note: str
    warning: bool = False
    recurs: bool = False

    @property
    def name(self) -> str:
        """The name of the Event object: equal for equal content, in every process and at any time."""
        text = "\x1f".join((self.about.kind, self.about.uid, self.reason, self.action, self.note))
        return f"{self.about.name[:_MAX_NAME].rstrip('.-')}.{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def reference_to(obj: JsonObject) -> Reference:
    """Return the reference to an object in the form of the API server."""
    metadata = obj["metadata"]
    where = (metadata.get("namespace") or "", metadata["name"], metadata.get("uid") or "")
    return Reference(obj["apiVersion"], obj["kind"], *map(str, where))


class EventRecorder:
    """Writes Events as ``instance``, at most `BURST` at once and then one in `REFILL` seconds."""

    def __init__(
        self,
        client: Client,
        instance: str,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._instance = instance[:MAX_INSTANCE]
        self._clock = clock
        self._monotonic = monotonic
        self._pending: dict[Event, int] = {}
        self._tokens, self._filled = float(BURST), monotonic()
        self._not_before = self._filled
        self._lost = 0
        self._logged = ""

    def announce(self, event: Event) -> None:
        """Queue an Event for `flush`; Events beyond the limit are dropped, counted and logged."""
        if event in self._pending or len(self._pending) < MAX_PENDING:
            self._pending[event] = self._pending.get(event, 0) + 1
        else:
            self._lost += 1

    def flush(self) -> None:
        """Write the Events that the rate limit allows. Never raises for errors of the API server."""
        now = self._monotonic()
        self._tokens = min(float(BURST), self._tokens + (now - self._filled) / REFILL)
        self._filled = now
        if self._lost:
            _log.warning("%d events were dropped: more than %d were pending", self._lost, MAX_PENDING)
            self._lost = 0
        while self._pending and self._tokens >= 1 and now >= self._not_before:
            event, count = next(iter(self._pending.items()))
            try:
                self._write(event, count)
                self._logged = ""
            except ClusterError as error:
                self._log_once(
                    f"cannot write event {event.reason} about {event.about.kind} {event.about.name}: {error}"
                )
                if not isinstance(error, ApiStatusError) or error.code in _LATER:
                    self._not_before = now + PAUSE
                    return
            del self._pending[event]
            self._tokens -= 1

    def _log_once(self, text: str) -> None:
        if text != self._logged:
            _log.warning("%s", text)
        self._logged = text

    def _write(self, event: Event, count: int) -> None:
        """Create the Event, or increment the count of the existing one."""
        namespace = event.about.namespace or CLUSTER_WIDE
        body = self._body(event, namespace)
        if count > 1:
            body["series"] = self._series(count)
        try:
            self._client.request("POST", EVENTS.in_namespace(namespace), None, body)
        except ApiStatusError as error:
            if error.code != _CONFLICT:
                raise
            if event.recurs:
                self._count_on(EVENTS.object_path(namespace, event.name), count)

    def _count_on(self, path: str, count: int) -> None:
        series = self._client.request("GET", path).get("series")
        before = series.get("count") if isinstance(series, dict) else None
        recorded = before if isinstance(before, int) else 1
        self._client.request("PATCH", path, None, {"series": self._series(recorded + count)}, MERGE_PATCH)

    def _body(self, event: Event, namespace: str) -> dict[str, Any]:
        about = event.about
        regarding = {
            "apiVersion": about.api_version,
            "kind": about.kind,
            "namespace": about.namespace,
            "name": about.name,
            "uid": about.uid,
        }
        return {
            "apiVersion": EVENTS.api_version,
            "kind": EVENTS.kind,
            "metadata": {"name": event.name, "namespace": namespace},
            "eventTime": self._now(),
            "reportingController": CONTROLLER,
            "reportingInstance": self._instance,
            "action": event.action,
            "reason": event.reason,
            "regarding": {key: value for key, value in regarding.items() if value},
            "note": _within(event.note),
            "type": "Warning" if event.warning else "Normal",
        }

    def _series(self, count: int) -> dict[str, Any]:
        return {"count": count, "lastObservedTime": self._now()}

    def _now(self) -> str:
        return self._clock().strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _within(text: str) -> str:
    """The text, truncated to the limit of an Event's note, in octets."""
    octets = text.encode()
    if len(octets) <= MAX_NOTE:
        return text
    return octets[: MAX_NOTE - 3].decode(errors="ignore") + "..."
