"""Writes objects of ours to the API server: whole objects, each based on the version that was observed.

Until the watch shows an own write, `shown` adds it, so no pass repeats it.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from ovnguard.reconciler.apply.objects.object_changes import ObjectChanges, Replacement
from ovnguard.reconciler.apply.objects.object_owners import MANAGER, title_of, with_managers
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ApiStatusError, Client, ClusterError
from ovnguard.validators.cluster.resources import Resource
from ovnguard.validators.network.declared.network_of import group_kind_of

PATIENCE: Final = 10.0
"""Seconds after which the watch is believed even without an own write: somebody else undid it at once."""
_GONE: Final = 404
_CONFLICT: Final = 409
_QUERY: Final = {"fieldManager": MANAGER}

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A write that failed, and the networks that need it."""

    networks: tuple[str, ...]
    text: str
    code: int = 0


@dataclass(frozen=True, slots=True)
class _Write:
    """The versions that were replaced, "" for none, and what is there now, None for nothing."""

    replaced: frozenset[str]
    now: JsonObject | None
    until: float


class _Step(NamedTuple):
    """One write, of ``obj``, which ``networks`` need."""

    verb: str
    obj: JsonObject
    networks: tuple[str, ...]
    run: Callable[[], None]


class ObjectWriter:
    """Creates, replaces and deletes objects of ``resources`` while ``leading``."""

    def __init__(
        self,
        client: Client,
        resources: Iterable[Resource],
        leading: Callable[[], bool],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._resources = {resource.group_kind: resource for resource in resources}
        self._leading = leading
        self._monotonic = monotonic
        self._writes: dict[tuple[str, str, str], _Write] = {}

    def shown(self, observed: Iterable[JsonObject]) -> list[JsonObject]:
        """Return ``observed`` with own writes that the watch has not delivered yet."""
        objects = {_key(obj): obj for obj in observed}
        now = self._monotonic()
        self._writes = {
            key: write
            for key, write in self._writes.items()
            if now < write.until and _version(objects.get(key)) in write.replaced
        }
        for key, write in self._writes.items():
            if write.now is None:
                objects.pop(key, None)
            else:
                objects[key] = write.now
        return [objects[key] for key in sorted(objects)]

    @property
    def pending(self) -> bool:
        """Whether the watch has not shown an own write yet."""
        return bool(self._writes)

    def write(self, changes: ObjectChanges) -> list[Refusal]:
        """Make the changes, deletions last; return the failures, which the next pass retries."""
        return [failure for failure in self._all(changes) if failure is not None]

    def _all(self, changes: ObjectChanges) -> Iterator[Refusal | None]:
        for step in self._steps(changes):
            if not self._leading():
                yield Refusal((), "no longer the leader: objects are not written")
                return
            yield _tried(step)

    def _steps(self, changes: ObjectChanges) -> Iterator[_Step]:
        for new in changes.create:
            yield _Step("create", new.document, new.networks, partial(self._create, new.document))
        for change in changes.replace:
            yield _Step("replace", change.observed, change.desired.networks, partial(self._replace, change))
        for old in changes.delete:
            yield _Step("delete", old, (), partial(self._delete, old))

    def _create(self, document: JsonObject) -> None:
        namespace, resource = document["metadata"].get("namespace"), self._resource(document)
        path = resource.in_namespace(namespace) if namespace else resource.path
        self._remember(None, self._client.request("POST", path, _QUERY, document))

    def _replace(self, change: Replacement) -> None:
        answer = self._client.request("PUT", self._path(change.observed), _QUERY, change.body)
        self._remember(change.observed, answer)

    def _delete(self, obj: JsonObject) -> None:
        metadata = obj["metadata"]
        only = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}
        options = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": only}
        try:
            self._client.request("DELETE", self._path(obj), None, options)
        except ApiStatusError as error:
            if error.code != _GONE:
                raise
        self._remember(obj, None)

    def _remember(self, before: JsonObject | None, now: JsonObject | None) -> None:
        """``now`` is the API server's answer, None after a deletion."""
        obj = now or before
        assert obj is not None
        key = _key(obj)
        known = self._writes.get(key)
        replaced = (known.replaced if known else frozenset()) | {_version(before)}
        self._writes[key] = _Write(replaced, now and with_managers(now), self._monotonic() + PATIENCE)

    def _path(self, obj: JsonObject) -> str:
        metadata = obj["metadata"]
        return self._resource(obj).object_path(metadata.get("namespace") or "", metadata["name"])

    def _resource(self, obj: JsonObject) -> Resource:
        return self._resources[group_kind_of(obj)]


def _tried(step: _Step) -> Refusal | None:
    title = title_of(step.obj)
    try:
        step.run()
    except ApiStatusError as error:
        if error.code == _CONFLICT or (error.code == _GONE and step.verb == "replace"):
            # somebody else was faster; the watch brings what is there now
            return Refusal((), f"{title}: changed in the meantime, not written", error.code)
        return Refusal(step.networks, f"{title}: cannot {step.verb}: {error}", error.code)
    except ClusterError as error:
        return Refusal(step.networks, f"{title}: cannot {step.verb}: {error}")
    _log.info("%sd %s", step.verb, title)
    return None


def _key(obj: JsonObject) -> tuple[str, str, str]:
    metadata = obj["metadata"]
    return str(obj["kind"]), str(metadata.get("namespace") or ""), str(metadata["name"])


def _version(obj: JsonObject | None) -> str:
    return "" if obj is None else str(obj["metadata"].get("resourceVersion", ""))
