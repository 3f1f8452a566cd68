"""What the reconciler writes on the API server: recorded choices as annotations, and conditions.

Every write names the resourceVersion it was decided on, so that of several zones that decide at once one wins and the
others look again. Conditions go by server-side apply, which owns our own entry of the list and no other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from validators.cluster.api import APPLY_PATCH, MERGE_PATCH, ApiStatusError, Client
from validators.cluster.resources import Resource
from validators.json_types import JsonObject

FIELD_MANAGER: Final = "ovnguard-reconciler"
_LOST: Final = frozenset((404, 409))


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition as it should be, without the time of its last transition."""

    type: str
    status: bool
    reason: str
    message: str


def record(client: Client, resource: Resource, obj: JsonObject, annotations: Mapping[str, str]) -> bool:
    """Add ``annotations`` to the object; return False when it changed or went away meanwhile.

    Raises ApiStatusError and ClusterError for everything else that can go wrong.
    """
    body: JsonObject = {
        "metadata": {"resourceVersion": obj["metadata"]["resourceVersion"], "annotations": dict(annotations)}
    }
    return _send(client, resource, obj, "", {"fieldManager": FIELD_MANAGER}, body, MERGE_PATCH)


def report(client: Client, resource: Resource, obj: JsonObject, condition: Condition, now: datetime) -> bool:
    """Write ``condition`` into the object's status unless it stands there; return whether it was written.

    ``now`` becomes lastTransitionTime when the status differs from the one before.
    """
    generation = obj["metadata"].get("generation", 0)
    wanted: JsonObject = {
        "type": condition.type,
        "status": "True" if condition.status else "False",
        "reason": condition.reason,
        "message": condition.message,
        "observedGeneration": generation,
    }
    before = find_condition(obj, condition.type)
    if before is not None and all(before.get(key) == value for key, value in wanted.items()):
        return False
    transition = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    if before is not None and before.get("status") == wanted["status"]:
        transition = before.get("lastTransitionTime") or transition
    metadata = {key: obj["metadata"][key] for key in ("name", "namespace", "resourceVersion") if key in obj["metadata"]}
    body: JsonObject = {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "metadata": metadata,
        "status": {"conditions": [{**wanted, "lastTransitionTime": transition}]},
    }
    return _send(client, resource, obj, "status", {"fieldManager": FIELD_MANAGER, "force": "true"}, body, APPLY_PATCH)


def find_condition(obj: JsonObject, kind: str) -> Mapping[str, Any] | None:
    """Return the condition of this type, or None."""
    status = obj.get("status")
    conditions = status.get("conditions") if isinstance(status, dict) else None
    for condition in conditions if isinstance(conditions, list) else ():
        if isinstance(condition, dict) and condition.get("type") == kind:
            return condition
    return None


def _send(
    client: Client,
    resource: Resource,
    obj: JsonObject,
    subresource: str,
    query: Mapping[str, str],
    body: JsonObject,
    content_type: str,
) -> bool:
    metadata = obj["metadata"]
    path = resource.object_path(metadata.get("namespace", ""), metadata["name"], subresource)
    try:
        client.request("PATCH", path, query, body, content_type)
    except ApiStatusError as error:
        if error.code in _LOST:
            return False
        raise
    return True
