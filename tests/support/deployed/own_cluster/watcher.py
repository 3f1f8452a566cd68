"""Watches on the API server while steps change the cluster: conditions of networks, and ovnguard's Warning Events."""

import contextlib
import http.client
import json
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from tests.testbed.apiserver import ApiServer

WATCHED: Final = (
    "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks",
    "/apis/k8s.ovn.org/v1/userdefinednetworks",
    "/apis/k8s.ovn.org/v1/routeadvertisements",
)
EVENTS: Final = "/apis/events.k8s.io/v1/events"
PATIENCE: Final = 10.0
"""Seconds after which a state is worth a Warning, and a condition that is not True a failure."""
_PAUSE: Final = 0.2


class State(NamedTuple):
    """A condition as somebody saw it: when, of which generation, and what it said."""

    time: float
    generation: int
    status: str
    text: str


class Warned(NamedTuple):
    """A Warning Event of ovnguard, as often as it was repeated."""

    time: float
    reason: str
    about: str
    note: str
    times: int


@dataclass
class Seen:
    """One object: since when its generation is there, until when it was, and the states of its conditions."""

    since: float
    generation: int
    until: float = 0.0
    conditions: dict[str, list[State]] = field(default_factory=dict)


class Watcher:
    """What anybody who watches sees from `start` to `stop`; a connection that ends is made again."""

    def __init__(self, api: ApiServer) -> None:
        self._api, self._stop, self._lock = api, threading.Event(), threading.Lock()
        self.objects: dict[str, Seen] = {}
        """Objects that exist, by kind, namespace and name."""
        self.gone: dict[str, Seen] = {}
        self.warnings: list[Warned] = []
        self._counts: dict[str, int] = {}
        paths = (*WATCHED, EVENTS)
        self._threads = [threading.Thread(target=self._follow, args=(path,), daemon=True) for path in paths]

    def start(self) -> None:
        """Begin to watch."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop watching; a watch without news ends within its time on the server."""
        self._stop.set()

    def failed_since(self, began: float) -> list[str]:
        """Conditions that were not True for `PATIENCE` since ``began``, with what they said at first."""
        with self._lock:
            return [
                f"{name} {kind}={first.status} for {end - first.time:.0f} s: {first.text}"
                for name, seen in (*self.gone.items(), *self.objects.items())
                for kind, states in seen.conditions.items()
                for first, end in _failures(states, seen.until or time.monotonic())
                if first.time >= began and end - first.time >= PATIENCE
            ]

    def warned_since(self, began: float) -> list[Warned]:
        """The Warnings since ``began``."""
        with self._lock:
            return [each for each in self.warnings if each.time >= began]

    def untrue(self) -> list[str]:
        """Conditions that are not True now, or not of the newest generation; and networks without ZonesReady."""
        found = []
        with self._lock:
            for name, seen in self.objects.items():
                if name.split("/")[0].endswith("networks") and "ZonesReady" not in seen.conditions:
                    found.append(f"{name} has no ZonesReady")
                for kind, states in seen.conditions.items():
                    if states[-1].status != "True" or states[-1].generation < seen.generation:
                        found.append(f"{name} {kind}={states[-1].status} {states[-1].text}")
        return found

    def slowest(self, began: float) -> tuple[float, str]:
        """The longest time since ``began`` from a change to a True condition: of a new generation, or of a failure."""
        found = [(0.0, "")]
        with self._lock:
            for name, seen in self.objects.items():
                for kind, states in seen.conditions.items():
                    found += [(late, f"{name} {kind}") for late in _delays(seen, states, began)]
        return max(found)

    def _follow(self, path: str) -> None:
        take = self._event if path == EVENTS else self._network
        while not self._stop.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                status, listed = self._api.request("GET", path)
                if status == 200:
                    self._listed(path, listed, take)
                    for change in self._changes(path, listed["metadata"]["resourceVersion"]):
                        take(path, change["type"], change["object"])
            self._stop.wait(_PAUSE)

    def _listed(self, path: str, listed: dict[str, Any], take: Any) -> None:
        names = {_name(path, item) for item in listed["items"]}
        with self._lock:
            for name in [each for each in self.objects if each.startswith(f"{_plural(path)}/") and each not in names]:
                self._remove(name)
        for item in listed["items"]:
            take(path, "MODIFIED", item)

    def _remove(self, name: str) -> None:
        if name in self.objects:
            self.gone[name] = self.objects.pop(name)
            self.gone[name].until = time.monotonic()

    def _changes(self, path: str, version: str) -> Iterator[dict[str, Any]]:
        target = urlsplit(self._api.url)
        tls = ssl.create_default_context(cafile=str(self._api.ca_file))
        user = json.loads(self._api.kubeconfig.read_text(encoding="utf-8"))["users"][0]["user"]
        tls.load_cert_chain(user["client-certificate"], user["client-key"])
        connection = http.client.HTTPSConnection(target.hostname or "", target.port, timeout=60, context=tls)
        with contextlib.closing(connection):
            connection.request("GET", f"{path}?watch=1&resourceVersion={version}&timeoutSeconds=50")
            answer = connection.getresponse()
            while line := answer.readline():
                change = json.loads(line)
                if change["type"] == "ERROR":
                    return
                yield change

    def _network(self, path: str, change: str, obj: dict[str, Any]) -> None:
        name, now = _name(path, obj), time.monotonic()
        with self._lock:
            if change == "DELETED":
                self._remove(name)
                return
            generation = obj["metadata"].get("generation", 0)
            seen = self.objects.setdefault(name, Seen(now, generation))
            if seen.generation != generation:
                seen.since, seen.generation = now, generation
            conditions = obj.get("status", {}).get("conditions", ())
            for kind in seen.conditions.keys() - {each["type"] for each in conditions}:
                # what is removed fails no more
                seen.conditions.pop(kind)
            for each in conditions:
                states = seen.conditions.setdefault(each["type"], [])
                of = each.get("observedGeneration", generation)
                state = State(now, of, each["status"], f"{each['reason']}: {each['message']}")
                if not states or states[-1][1:] != state[1:]:
                    states.append(state)

    def _event(self, _path: str, change: str, obj: dict[str, Any]) -> None:
        ours = obj.get("reportingController", "").startswith("ovnguard")
        if change == "DELETED" or obj.get("type") != "Warning" or not ours:
            return
        uid, count = obj["metadata"]["uid"], obj.get("series", {}).get("count", 1)
        about = f"{obj['regarding'].get('kind', '')} {obj['regarding'].get('name', '')}"
        with self._lock:
            if self._counts.get(uid) != count:
                self._counts[uid] = count
                note = obj.get("note", "")
                self.warnings.append(Warned(time.monotonic(), obj.get("reason", ""), about, note, count))


def _plural(path: str) -> str:
    return path.rpartition("/")[2]


def _name(path: str, obj: dict[str, Any]) -> str:
    metadata = obj["metadata"]
    return "/".join(filter(None, (_plural(path), metadata.get("namespace"), metadata["name"])))


def _failures(states: list[State], until: float) -> Iterator[tuple[State, float]]:
    """The first state of each time in which a condition was not True, and when that ended."""
    first: State | None = None
    for state in states:
        if state.status != "True":
            first = first or state
        elif first is not None:
            yield first, state.time
            first = None
    if first is not None:
        yield first, until


def _delays(seen: Seen, states: list[State], began: float) -> Iterator[float]:
    """Seconds from each change to the True that followed."""
    start: float | None = seen.since if seen.since >= began else None
    for state in states:
        if state.time < began:
            continue
        if state.status != "True" or state.generation < seen.generation:
            start = state.time if start is None else start
        elif start is not None:
            yield state.time - start
            start = None
