"""Keeps a cache at the API server's state: it lists, watches from that version, and starts over after every failure.

The server ends watches after some minutes and forgets old versions (410 Gone), after which the cache lists again.
Bookmarks advance the version while nothing changes, so that most reconnections need no list. After a fault the cache
pauses, longer each time and with jitter, so that many clients do not reconnect at the same moment. Source: Kubernetes
API concepts, "Efficient detection of changes".
"""

import logging
import random
import threading
import time
from collections.abc import Callable
from typing import Final, Protocol

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.cache import Cache, Served
from ovnguard.validators.cluster.client_protocol import ApiStatusError, Client, ClusterError, Watch
from ovnguard.validators.cluster.watch_failures import ESTABLISHED, WatchFailures

# The server ends each watch after this many seconds; a connection silent for longer is dead.
WATCH_SECONDS: Final = 300
IDLE_SECONDS: Final = WATCH_SECONDS + 15.0
FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 30.0
NOT_SERVED_PAUSE: Final = 15.0
# A starting API server may refuse a request that it grants a moment later, so a single refusal does not count.
REFUSALS: Final = 4
_GONE: Final = 410
_FORBIDDEN: Final = 403

_log = logging.getLogger(__name__)
new_nudge = threading.Event


class Stop(Protocol):
    """The stop signal: a threading.Event, or a test's clock."""

    def is_set(self) -> bool:
        """Whether stop was requested."""

    def wait(self, timeout: float) -> bool:
        """Sleep for ``timeout`` seconds or until stop is requested; return whether it was."""


class ListWatch:
    """One resource's list-watch; `run` is the body of a thread."""

    def __init__(
        self,
        client: Client,
        cache: Cache,
        on_change: Callable[[], None],
        stop: Stop,
        jitter: Callable[[], float] = random.random,
        *,
        tolerant: bool = False,
        failures: WatchFailures | None = None,
    ) -> None:
        """``tolerant``: treat a forbidden resource as unknown instead of waiting for access.

        ``failures`` learns of every failure and of its end.
        """
        self._tolerant = tolerant
        self._reported = WatchFailures() if failures is None else failures
        self._nudged = new_nudge() if tolerant else None
        self.refusals = 0
        self._client = client
        self._cache = cache
        self._on_change = on_change
        self._stop = stop
        self._jitter = jitter
        self._failures = 0
        self._version = ""
        self._lock = threading.Lock()
        self._watch: Watch | None = None

    def run(self) -> None:
        """Keep the cache fresh until stop is requested."""
        while not self._stop.is_set():
            pause = self._round()
            if pause and self._sleep(pause):
                return

    def nudge(self) -> None:
        """End a pause, as a missing or forbidden resource may be readable now. Only for tolerant list-watches."""
        if self._nudged is not None:
            self._nudged.set()

    def _sleep(self, seconds: float) -> bool:
        """Pause, and return whether it is time to end."""
        if self._nudged is None:
            return self._stop.wait(seconds)
        self._nudged.wait(seconds)
        self._nudged.clear()
        return self._stop.is_set()

    def interrupt(self) -> None:
        """Wake `run` while it waits for events; call it after setting the stop event."""
        self.nudge()
        with self._lock:
            if self._watch is not None:
                self._watch.close()

    def _round(self) -> float:
        """List if needed and watch once; return how many seconds to pause."""
        try:
            if not self._version:
                self._list()
            self._watch_once()
        except ApiStatusError as error:
            return self._refused(error)
        except ClusterError as error:
            return self._failed(error)
        return 0.0

    def _refused(self, error: ApiStatusError) -> float:
        if error.code == _GONE:
            self._version = ""
            return 0.0
        if error.code == _FORBIDDEN and self._tolerant:
            return self._forbidden(error)
        if error.code != 404:
            return self._failed(error)
        self._version = ""
        self._works()
        if self._cache.served is not Served.NO:
            _log.info("%s is not served by this cluster; asking again from time to time", self._name)
            self._cache.not_served()
            self._on_change()
        return NOT_SERVED_PAUSE * (1 + self._jitter())

    def _forbidden(self, error: ApiStatusError) -> float:
        self.refusals += 1
        if self._cache.served is Served.REFUSED:
            return NOT_SERVED_PAUSE * (1 + self._jitter())
        if self._failures < REFUSALS - 1:
            return self._failed(error)
        self._works()
        self._reported.refused(self._name, error)
        self._version = ""
        self._cache.refused()
        self._on_change()
        return NOT_SERVED_PAUSE * (1 + self._jitter())

    def _failed(self, error: ClusterError) -> float:
        if self._stop.is_set():
            return 0.0
        ceiling = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(self._failures, 16))
        pause = ceiling * (0.5 + self._jitter() / 2)
        self._failures += 1
        self._reported.failed(self._name, error, pause)
        return pause

    def _works(self) -> None:
        if self._failures:
            self._failures = 0
            self._reported.recovered(self._name)

    def _list(self) -> None:
        items: list[JsonObject] = []
        part = self._cache.part
        query = {**part.query, "limit": str(part.page)}
        while True:
            page = self._client.request("GET", part.path(self._cache.resource), query)
            found = page.get("items") or []
            for item in found:
                _metadata(item, "name")
            # page by page, so that discarded fields do not fill the memory
            items.extend(map(part.trim, found))
            metadata = _metadata(page)
            if not metadata.get("continue"):
                break
            query = {**part.query, "limit": str(part.page), "continue": metadata["continue"]}
        self._cache.replace(items)
        self._version = metadata.get("resourceVersion", "")
        self._works()
        self._on_change()

    def _watch_once(self) -> None:
        part = self._cache.part
        query = {
            **part.query,
            "resourceVersion": self._version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(WATCH_SECONDS),
        }
        watch = self._client.watch(part.path(self._cache.resource), query, IDLE_SECONDS)
        with self._lock:
            self._watch = watch
        if self._failures:
            self._reported.opened(self._name)
        try:
            if self._stop.is_set():
                watch.close()
            began, taken = time.monotonic(), 0
            for event in watch.events():
                self._take(event)
                taken += 1
            # Otherwise a broken proxy would cause a busy loop.
            if not taken and time.monotonic() - began < ESTABLISHED and not self._stop.is_set():
                raise ClusterError("the server ended the watch at once")
        finally:
            with self._lock:
                self._watch = None

    def _take(self, event: JsonObject) -> None:
        kind, obj = event.get("type"), event.get("object")
        if kind == "ERROR" or not isinstance(obj, dict):
            status = obj if isinstance(obj, dict) else {}
            code = status.get("code")
            raise ApiStatusError(
                code if isinstance(code, int) else 500, str(status.get("reason", "")), str(status.get("message", ""))
            )
        self._version = _metadata(obj, "resourceVersion")["resourceVersion"]
        self._works()
        if kind == "BOOKMARK":
            return
        _metadata(obj, "name")
        if kind == "DELETED":
            self._cache.drop(obj)
        elif not self._cache.put(obj):
            return
        self._on_change()

    @property
    def _name(self) -> str:
        resource = self._cache.resource
        name = f"{resource.plural}.{resource.group}" if resource.group else resource.plural
        where = "/".join(filter(None, (self._cache.part.namespace, self._cache.part.name)))
        return f"{name} {where}" if where else name


def _metadata(obj: JsonObject, *needed: str) -> JsonObject:
    """Return an object's metadata; raise ClusterError when fields are missing that every object of a server has."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or not all(metadata.get(key) for key in needed):
        raise ClusterError(f"an object without metadata.{'/'.join(needed)}; is this an API server?")
    return metadata
