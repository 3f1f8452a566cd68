"""The leader's writes on Nodes: each failure delays only its own node.

The leader remembers its last writes until the watch shows them, so that it gives nothing twice. What the API server
refuses is an Event about the Node, and a text for the condition ZonesReady of the networks that the node does not get.
"""

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from ovnguard.reconciler.apply.kube import Recorder
from ovnguard.reconciler.loop.process.backoff import Backoff, is_about_one_object, is_refusal
from ovnguard.reconciler.loop.status.network_status import StatusReason
from ovnguard.reconciler.loop.status.status_writer import StatusWriter, uid_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ClusterError

REFUSED: Final = "RecordRefused"
RECORD: Final = "RecordOnNode"

_log = logging.getLogger(__name__)
_Key = tuple[str, str]


class NodeWriter:
    """Writes through ``recorder`` while ``leading``; refusals are Events of ``reporter``."""

    def __init__(
        self,
        recorder: Recorder,
        reporter: StatusWriter,
        leading: Callable[[], bool],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._recorder = recorder
        self._reporter = reporter
        self._leading = leading
        self._backoff = Backoff(monotonic)
        # The last own writes, by UID: the replaced versions, and the server's answers.
        self._written: dict[str, tuple[frozenset[str], JsonObject]] = {}
        # By name of the node: what was refused, its annotations, and the text.
        self._refused: dict[str, tuple[_Key, tuple[str, ...], str]] = {}

    def newest(self, objects: Iterable[JsonObject]) -> Sequence[JsonObject]:
        """Return the Nodes, where an own write that the watch has not delivered yet replaces the object."""
        nodes = list(objects)
        shown = {uid_of(obj): str(obj["metadata"]["resourceVersion"]) for obj in nodes}
        self._written = {uid: each for uid, each in self._written.items() if shown.get(uid) in each[0]}
        return [self._written[uid_of(obj)][1] if uid_of(obj) in self._written else obj for obj in nodes]

    def refusals(self, objects: Iterable[JsonObject]) -> Mapping[str, str]:
        """Return by node why the API server refused what a Node among ``objects`` still lacks."""
        recorded = {str(obj["metadata"]["name"]): obj["metadata"].get("annotations") or {} for obj in objects}
        self._refused = {
            name: each
            for name, each in self._refused.items()
            if name in recorded and not all(key in recorded[name] for key in each[1])
        }
        return {name: text for name, (_, _, text) in self._refused.items()}

    def due(self) -> float | None:
        """Return the seconds until the next attempt after a failure, None if there is none."""
        return self._backoff.due()

    def write(self, objects: Sequence[JsonObject], patches: Mapping[int, Sequence[JsonObject]]) -> list[str]:
        """Merge the patches of each Node, by its index, one after the other; return the failures of the whole process.

        A refused patch does not prevent the next one of its Node; one that failed for another reason does.
        """
        for index, writes in patches.items():
            obj = objects[index]
            for patch in writes:
                if not self._leading():
                    name, changes = obj["metadata"]["name"], _changes(patch)
                    return [f"node {name}: no longer the leader, not recorded: {changes}"]
                try:
                    now = self._write(obj, patch)
                except ClusterError as error:
                    name, changes = obj["metadata"]["name"], _changes(patch)
                    return [f"node {name}: cannot record {changes}: {error}"]
                if now is None:
                    break
                obj = now
        return []

    def _write(self, obj: JsonObject, patch: JsonObject) -> JsonObject | None:
        """Return the Node as it is now, None if no more can be written on it; raise errors of the whole process."""
        name, changes = str(obj["metadata"]["name"]), _changes(patch)
        key = uid_of(obj), changes
        if self._backoff.waits(key):
            return obj if name in self._refused and self._refused[name][0] == key else None
        try:
            now = self._recorder.merge(obj, patch)
        except ClusterError as error:
            if not is_about_one_object(error):
                raise
            self._backoff.failed(key, f"node {name}: cannot record {changes}: {error}")
            if not is_refusal(error):
                return None
            self._refuse(obj, key, patch, f"cannot record {changes}: {error}")
            return obj
        if now is None:
            self._backoff.failed(key, f"node {name}: changed in the meantime, not recorded: {changes}", logging.INFO)
            return None
        self._backoff.succeeded(key)
        if name in self._refused and self._refused[name][0] == key:
            del self._refused[name]
        _log.info("recorded on Node %s: %s", name, changes)
        replaced, _ = self._written.get(uid_of(obj), (frozenset(), obj))
        self._written[uid_of(obj)] = (replaced | {str(obj["metadata"]["resourceVersion"])}, now)
        return now

    def _refuse(self, obj: JsonObject, key: _Key, patch: JsonObject, text: str) -> None:
        name = str(obj["metadata"]["name"])
        if name not in self._refused or self._refused[name][2] != text:
            self._reporter.announce_problem(obj, StatusReason(REFUSED, text), RECORD)
        self._refused[name] = key, tuple(patch["metadata"]["annotations"]), text


def _changes(patch: JsonObject) -> str:
    texts = patch["metadata"]["annotations"].items()
    return ", ".join(f"{key} removed" if text is None else f"{key}={text}" for key, text in texts)
