"""Leader election: the process that holds a Lease and renewed it recently leads.

A leader that cannot renew stops leading before anybody else may begin, by clocks that only measure durations: clocks of
different machines are never compared. They count the time that a machine is suspended, in which another may begin.
Source: Kubernetes, "Leases"; client-go ``tools/leaderelection``; clock_gettime(2).
"""

import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, Protocol

from ovnguard.reconciler.loop.process.debounce import Debouncer
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ApiStatusError, Client, ClusterError
from ovnguard.validators.cluster.resources import Resource
from ovnguard.validators.network.parse_values import dig, mapping, text_of

LEASES: Final = Resource("coordination.k8s.io", "v1", "leases", "Lease", namespaced=True)
# Seconds: how long others wait for a silent leader, after how long a silent leader gives up, and between two tries.
DURATION: Final = 15
DEADLINE: Final = 10.0
RETRY: Final = 2.0
_LOST: Final = 409
# The annotation for what the next leader must know.
REMEMBERED: Final = "ovnguard.io/remembered"

_log = logging.getLogger(__name__)


def since_start() -> float:
    """Return the seconds since the machine started; ``time.monotonic`` omits those that it was suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Memory(Protocol):
    """A text that the next leader finds."""

    def recall(self) -> str:
        """Return the text that this or an earlier leader left."""

    def remember(self, text: str) -> None:
        """Leave ``text``."""


class Elector:
    """Tries to hold the Lease ``namespace/name`` as ``identity``. `leading` may be called from any thread."""

    def __init__(
        self,
        client: Client,
        identity: str,
        place: tuple[str, str],
        clock: Callable[[], datetime],
        monotonic: Callable[[], float] = since_start,
    ) -> None:
        self._client = client
        self._identity = identity
        self._namespace, self._name = place
        self._path = LEASES.object_path(*place)
        self._clock = clock
        self._monotonic = monotonic
        # The time before the latest request that acquired or renewed the Lease.
        self._renewed: float | None = None
        self._seen: tuple[str, float] = ("", 0.0)
        self._logged = ""
        self._led = False
        self._held = False
        # The Lease as this process last wrote it, while no other process has changed it.
        self._lease: JsonObject | None = None
        self._text = ""
        self.lost = False
        """Whether another process holds the Lease that this one held."""

    def leading(self) -> bool:
        """Whether this process may write now."""
        renewed = self._renewed
        return renewed is not None and self._monotonic() - renewed < DEADLINE

    def recall(self) -> str:
        """Return the text that the Lease contained when this process last read it, or that it leaves now."""
        return self._text

    def remember(self, text: str) -> None:
        """Leave ``text`` in the Lease with the next renewal, for whoever leads then."""
        self._text = text

    def step(self) -> None:
        """Acquire or renew the Lease if possible; call this every `RETRY` seconds."""
        try:
            self._step()
            self._logged = ""
        except ClusterError as error:
            text = f"lease {self._namespace}/{self._name}: {error}"
            if text != self._logged:
                _log.warning("%s", text)
            self._logged = text
        if self.leading() is not self._led:
            self._led = not self._led
            _log.info("%s %s", self._identity, "leads" if self._led else "no longer leads")

    def release(self) -> None:
        """Release the Lease for another process. Never raises for errors of the API server."""
        if not self.leading():
            return
        self._renewed = None
        try:
            lease = self._client.request("GET", self._path)
            if _spec(lease).get("holderIdentity") == self._identity:
                self._put(lease, {**_spec(lease), "holderIdentity": "", "leaseDurationSeconds": 1})
        except ClusterError as error:
            _log.warning("lease %s/%s was not released: %s", self._namespace, self._name, error)

    def _step(self) -> None:
        asked = self._monotonic()
        mine, self._lease = self._lease, None
        if mine is not None and self.leading() and self._put(mine, {**_spec(mine), **self._renewal()}):
            self._renewed = asked
            return
        try:
            lease = self._client.request("GET", self._path)
        except ApiStatusError as error:
            if error.code != 404:
                raise
            self._create(asked)
            return
        spec = _spec(lease)
        holder = spec.get("holderIdentity") or ""
        if holder != self._identity:
            self._text = text_of(dig(lease, "metadata", "annotations", REMEMBERED))
            self._renewed = None
            self.lost |= bool(holder) and self._held
            if holder and not self._expired(lease):
                return
        changed = {} if holder == self._identity else self._taken(spec)
        if self._put(lease, {**spec, **changed, **self._renewal()}):
            self._renewed, self._held = asked, True

    def _expired(self, lease: JsonObject) -> bool:
        """Whether the Lease has been unchanged for its full duration."""
        version = str(lease["metadata"].get("resourceVersion", ""))
        if version != self._seen[0]:
            self._seen = (version, self._monotonic())
        seconds = _spec(lease).get("leaseDurationSeconds")
        whole = seconds if isinstance(seconds, int) and 0 < seconds <= 3600 else DURATION
        return self._monotonic() - self._seen[1] >= whole

    def _create(self, asked: float) -> None:
        spec = {**self._taken({}), **self._renewal(), "leaseTransitions": 0}
        body = {
            "apiVersion": LEASES.api_version,
            "kind": LEASES.kind,
            "metadata": {"name": self._name, "namespace": self._namespace},
            "spec": spec,
        }
        try:
            self._client.request("POST", LEASES.in_namespace(self._namespace), None, body)
        except ApiStatusError as error:
            if error.code != _LOST:
                raise
        else:
            self._renewed, self._held = asked, True

    def _put(self, lease: JsonObject, spec: JsonObject) -> bool:
        """Write the Lease as read, with a new ``spec``; return False when another process was faster."""
        metadata = {**lease["metadata"]}
        annotations = {**mapping(metadata, "annotations"), REMEMBERED: self._text}
        metadata["annotations"] = {key: text for key, text in annotations.items() if text or key != REMEMBERED}
        try:
            self._lease = self._client.request("PUT", self._path, None, {**lease, "metadata": metadata, "spec": spec})
        except ApiStatusError as error:
            if error.code != _LOST:
                raise
            return False
        return True

    def _taken(self, spec: JsonObject) -> dict[str, Any]:
        transitions = spec.get("leaseTransitions")
        count = transitions + 1 if isinstance(transitions, int) else 1
        return {"holderIdentity": self._identity, "acquireTime": self._now(), "leaseTransitions": count}

    def _renewal(self) -> dict[str, Any]:
        return {"leaseDurationSeconds": DURATION, "renewTime": self._now()}

    def _now(self) -> str:
        return self._clock().strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def process_identity() -> str:
    """Return a name that no other process has: host, process id, and a random part."""
    return f"{socket.gethostname()}_{os.getpid()}_{uuid.uuid4().hex[:8]}"


def leading_of(elector: Elector | None) -> Callable[[], bool]:
    """Return whether the process may write now; one without an elector needs no Lease for what it does."""
    return (lambda: True) if elector is None else elector.leading


def keep_elected(
    tick: Callable[[], tuple[str, ...]],
    elector: Elector | None,
    wake: Debouncer,
    keep_ticking: Callable[[Callable[[], tuple[str, ...]]], bool],
) -> None:
    """Tick until stopped while a thread tries to lead, and release the Lease at the end; without ``elector``, tick."""
    if elector is None:
        keep_ticking(tick)
        return
    stop = threading.Event()
    # A slow tick must not delay the renewal, and a hanging request must not keep the process alive: hence a daemon
    # thread.
    thread = threading.Thread(target=_elect, args=(elector, wake, stop), name="election", daemon=True)

    def checked() -> tuple[str, ...]:
        if not thread.is_alive():
            raise RuntimeError(f"{thread.name} died")
        return tick()

    thread.start()
    try:
        between = keep_ticking(checked)
    finally:
        stop.set()
    thread.join(0.4)
    if between and not thread.is_alive():
        elector.release()


def _elect(elector: Elector, wake: Debouncer, stop: threading.Event) -> None:
    """Keep trying to lead; wake the loop when leadership changes."""
    while not stop.is_set():
        before = elector.leading()
        elector.step()
        if elector.leading() is not before:
            wake.notify()
        stop.wait(RETRY)


def _spec(lease: JsonObject) -> JsonObject:
    spec = lease.get("spec")
    return spec if isinstance(spec, dict) else {}
