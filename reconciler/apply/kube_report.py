"""Writes the report of a zone: one ConfigMap of its own, by server-side apply, and nothing else.

The ConfigMap belongs to the Node, so it goes with it. It is written when its content changes, and from time to time, so
that a reader recognises a zone that fell silent.
"""

import logging
import time
from collections.abc import Callable
from datetime import datetime
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import APPLY_PATCH, Client, ClusterError
from ovnguard.validators.cluster.resources import CONFIG_MAPS, Part, Resource
from ovnguard.validators.network.cluster_view import CONFIG_MAP

FIELD_MANAGER: Final = "ovnguard-zone"
PREFIX: Final = "ovnguard-zone-"
LABEL: Final = "ovnguard.io/report"
ZONE: Final = "zone"
KEY: Final = "report.json"
MAX_DOCUMENT: Final = 128 << 10
"""No document of ours has more characters; a longer one is not kept."""
# The maximum length of an object's name in Kubernetes.
MAX_NAME: Final = 253
# Seconds: after which a report is renewed, between two of them, and before the next attempt after a failure.
RENEWED: Final = 300.0
PAUSE: Final = 2.0
RETRY: Final = 10.0

_KEPT: Final = ("name", "namespace", "uid", "resourceVersion", "ownerReferences")

_log = logging.getLogger(__name__)


def report_name(node: str) -> str | None:
    """Return the name of the report of ``node``, None for a node whose name is too long; no two nodes share one."""
    name = f"{PREFIX}{node}"
    return name if len(name) <= MAX_NAME else None


def node_of_report(obj: JsonObject) -> str | None:
    """Return the node whose report an object is, by its name; None for any other object."""
    name = str(obj["metadata"]["name"])
    return name.removeprefix(PREFIX) if name.startswith(PREFIX) else None


def is_of_another(obj: JsonObject, node: JsonObject | None) -> bool:
    """Return whether a report is about an earlier Node of the same name: the garbage collector will delete it."""
    owners, uid = obj["metadata"].get("ownerReferences"), (node or {}).get("metadata", {}).get("uid")
    return bool(owners and uid) and all(each.get("uid") != uid for each in owners)


def reports_in(namespace: str) -> tuple[Resource, Part]:
    """Return what to watch for the reports of all zones."""
    return CONFIG_MAPS, Part(namespace, labels=f"{LABEL}={ZONE}", trim=_trimmed)


def _trimmed(obj: JsonObject) -> JsonObject:
    metadata, data = obj["metadata"], obj.get("data")
    kept = {key: metadata[key] for key in _KEPT if key in metadata}
    report = data.get(KEY) if isinstance(data, dict) else None
    short = isinstance(report, str) and len(report) <= MAX_DOCUMENT
    return {"apiVersion": "v1", "kind": CONFIG_MAP.kind, "metadata": kept, "data": {KEY: report if short else None}}


class ReportPublisher:
    """Writes the reports of the zone of ``node`` into ``namespace``. Nothing waits for a report."""

    def __init__(
        self,
        client: Client,
        namespace: str,
        node: str,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._namespace = namespace
        self._name = report_name(node)
        self._clock = clock
        self.monotonic = monotonic
        self._written: object = None
        self._due = self._not_before = monotonic()
        self._pending = False
        self._reported_error = ""
        if self._name is None:
            _log.warning("node %s: has no report: its name is too long for an object of its own", node)

    def publish(self, content: object, document: Callable[[str, float], str], owner: JsonObject) -> None:
        """Write ``document(time, seconds until the next)`` when ``content`` is new or the last one is old.

        ``owner`` is the Node. Never raises for errors of the API server.
        """
        now = self.monotonic()
        self._pending = self._name is not None and (content != self._written or now >= self._due)
        if self._name is None or now < self._not_before or not self._pending:
            return
        self._not_before = now + PAUSE
        text = document(self._clock().strftime("%Y-%m-%dT%H:%M:%SZ"), RENEWED)
        try:
            self._apply(self._name, text, owner)
        except ClusterError as error:
            if str(error) != self._reported_error:
                _log.warning("cannot write the report %s/%s: %s", self._namespace, self._name, error)
            self._reported_error, self._not_before = str(error), now + RETRY
            return
        self._written, self._due, self._reported_error = content, now + RENEWED, ""
        self._pending = False

    def due(self) -> float | None:
        """Return the seconds until what could not be written yet is written, None if there is nothing."""
        left = self._not_before - self.monotonic()
        return left if self._pending and left > 0 else None

    def _apply(self, name: str, text: str, owner: JsonObject) -> None:
        metadata = owner["metadata"]
        labels = {"app.kubernetes.io/name": "ovnguard", "app.kubernetes.io/component": "report", LABEL: ZONE}
        reference = {"apiVersion": "v1", "kind": "Node", "name": metadata["name"], "uid": metadata.get("uid", "")}
        body: JsonObject = {
            "apiVersion": CONFIG_MAPS.api_version,
            "kind": CONFIG_MAP.kind,
            "metadata": {
                "name": name,
                "namespace": self._namespace,
                "labels": labels,
                "ownerReferences": [reference],
            },
            "data": {KEY: text},
        }
        path = CONFIG_MAPS.object_path(self._namespace, name)
        self._client.request("PATCH", path, {"fieldManager": FIELD_MANAGER, "force": "true"}, body, APPLY_PATCH)
