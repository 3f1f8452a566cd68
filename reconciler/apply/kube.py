"""The reconciler's writes to the API server: recorded choices as annotations, and conditions.

Every write names the resourceVersion that it is based on, so when several zones write concurrently, one wins and the
others read again. Conditions use server-side apply, which owns only ovnguard's entry of the list.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import APPLY_PATCH, MERGE_PATCH, ApiStatusError, Client
from ovnguard.validators.cluster.resources import Resource
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.parse_values import dig

FIELD_MANAGER: Final = "ovnguard-reconciler"
_LOST: Final = frozenset((404, 409))


@dataclass(frozen=True, slots=True)
class Condition:
    """One desired condition, without the time of its last transition."""

    type: str
    status: bool
    reason: str
    message: str
    manager: str = FIELD_MANAGER
    """The field manager of each entry: applying one entry drops all others of the same manager."""
    summary: str = ""
    """The text of ``status.status``, of kinds that have it."""


class Recorder:
    """Writes on objects of the given resources through ``client``."""

    def __init__(self, client: Client, resources: Iterable[Resource], clock: Callable[[], datetime]) -> None:
        self._client = client
        self._resources = {resource.group_kind: resource for resource in resources}
        self._clock = clock

    def merge(self, obj: JsonObject, patch: JsonObject, subresource: str = "") -> JsonObject | None:
        """Merge ``patch`` into the object and return the result, or None when the object changed or disappeared.

        Raises ApiStatusError and ClusterError for all other failures.
        """
        metadata = {**patch.get("metadata", {}), "resourceVersion": obj["metadata"]["resourceVersion"]}
        return self._send(
            obj, subresource, {"fieldManager": FIELD_MANAGER}, {**patch, "metadata": metadata}, MERGE_PATCH
        )

    def report(self, obj: JsonObject, condition: Condition) -> bool:
        """Write ``condition`` into the object's status unless it is already present; return whether it was written.

        Raises like `merge`. lastTransitionTime becomes now when the condition's status changes.
        """
        wanted = _entry(condition, obj["metadata"].get("generation", 0))
        before = find_condition(obj, condition.type)
        summary = {"status": condition.summary} if condition.summary else {}
        if (
            before is not None
            and all(before.get(key) == value for key, value in wanted.items())
            and all(dig(obj, "status", key) == text for key, text in summary.items())
        ):
            return False
        transition = self._clock().strftime("%Y-%m-%dT%H:%M:%SZ")
        if before is not None and before.get("status") == wanted["status"]:
            transition = before.get("lastTransitionTime") or transition
        body = {**_named(obj), "status": {**summary, "conditions": [{**wanted, "lastTransitionTime": transition}]}}
        query = {"fieldManager": condition.manager, "force": "true"}
        return self._send(obj, "status", query, body, APPLY_PATCH) is not None

    def withdraw(self, obj: JsonObject, manager: str) -> bool:
        """Give up what ``manager`` owns of the object's status, such as its condition; return whether that was written.

        To apply nothing is to give up everything; what another manager owns, too, stays. Raises like `merge`.
        """
        return (
            self._send(obj, "status", {"fieldManager": manager, "force": "true"}, _named(obj), APPLY_PATCH) is not None
        )

    def _send(
        self, obj: JsonObject, subresource: str, query: Mapping[str, str], body: JsonObject, content_type: str
    ) -> JsonObject | None:
        metadata = obj["metadata"]
        resource = self._resources[group_kind_of(obj)]
        path = resource.object_path(metadata.get("namespace", ""), metadata["name"], subresource)
        try:
            return self._client.request("PATCH", path, query, body, content_type)
        except ApiStatusError as error:
            if error.code in _LOST:
                return None
            raise


def _named(obj: JsonObject) -> JsonObject:
    """The identity of an object and the version that a write is based on."""
    metadata = {key: obj["metadata"][key] for key in ("name", "namespace", "resourceVersion") if key in obj["metadata"]}
    return {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": metadata}


def _entry(condition: Condition, generation: int) -> JsonObject:
    return {
        "type": condition.type,
        "status": "True" if condition.status else "False",
        "reason": condition.reason,
        "message": condition.message,
        "observedGeneration": generation,
    }


def find_condition(obj: JsonObject, kind: str) -> Mapping[str, Any] | None:
    """Return the condition of this type, or None."""
    status = obj.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict) and condition.get("type") == kind:
            return condition
    return None
