"""Writes entries into the records of pods, annotation ``k8s.ovn.org/pod-networks``, through the subresource status.

A zone and the leader write parts of the same annotation, so every write begins with a new read of the pod, keeps what
it records, and names its version. What another program writes into the annotation is not completed: two allocators
would give one address twice.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final

from ovnguard.reconciler.apply.objects.removal import PAGE
from ovnguard.reconciler.plan.pods.pod_entries import with_entries
from ovnguard.reconciler.plan.pods.pod_record import attached
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import MERGE_PATCH, ApiStatusError, Client
from ovnguard.validators.cluster.resources import Resource
from ovnguard.validators.network.cluster.pod_index import POD_NETWORKS
from ovnguard.validators.network.cluster_view import POD
from ovnguard.validators.network.declared.node_values import BadValueError
from ovnguard.validators.network.parse_values import dig, mapping, text_of

POD_MANAGER: Final = "ovnguard-reconciler-pods"
"""The field manager of entries; no other write uses it."""
_PODS: Final = Resource(POD.group, "v1", "pods", POD.kind, namespaced=True)
_ATTEMPTS: Final = 3
_GONE: Final = 404
_CONFLICT: Final = 409


class Outcome(Enum):
    """What became of a write."""

    WRITTEN = "written"
    GONE = "the pod is gone"
    CHANGED = "the pod changed in the meantime"
    FOREIGN = "another program writes its record"


class PodRecords:
    """Reads and writes records of pods through ``client``, while ``leading``. Methods raise like `Client.request`."""

    def __init__(self, client: Client, leading: Callable[[], bool] = lambda: True) -> None:
        self._client = client
        self._leading = leading

    def write(self, namespace: str, name: str, uid: str, entries: Mapping[str, JsonObject]) -> Outcome:
        """Add ``entries``, by attachment, to the record of the pod; what it has already stays as it is.

        A pod that changes meanwhile is read again: zone and leader often write at the same moment.
        """
        for _ in range(_ATTEMPTS):
            outcome = self._write(namespace, name, uid, entries)
            if outcome is not Outcome.CHANGED or not self._leading():
                break
        return outcome

    def _write(self, namespace: str, name: str, uid: str, entries: Mapping[str, JsonObject]) -> Outcome:
        path = _PODS.object_path(namespace, name)
        try:
            pod = self._client.request("GET", path)
        except ApiStatusError as error:
            if error.code != _GONE:
                raise
            return Outcome.GONE
        metadata = pod["metadata"]
        if metadata.get("uid") != uid:
            return Outcome.GONE
        record = dig(metadata, "annotations", POD_NETWORKS)
        if record is not None and not (_is_ours(pod) and _is_readable(record)):
            return Outcome.FOREIGN
        if not self._leading():
            return Outcome.CHANGED
        annotations = {POD_NETWORKS: with_entries(record, entries)}
        patch = {"metadata": {"annotations": annotations, "resourceVersion": metadata["resourceVersion"], "uid": uid}}
        query = {"fieldManager": POD_MANAGER}
        try:
            self._client.request("PATCH", f"{path}/status", query, patch, MERGE_PATCH)
        except ApiStatusError as error:
            if error.code not in (_GONE, _CONFLICT):
                raise
            return Outcome.CHANGED
        return Outcome.WRITTEN

    def read_all(self, selector: str) -> list[JsonObject]:
        """Return all pods that the field ``selector`` selects, as they are stored now."""
        query = {"limit": str(PAGE), "fieldSelector": selector}
        found: list[JsonObject] = []
        while True:
            answer = self._client.request("GET", _PODS.path, query)
            found += ({**obj, "apiVersion": "v1", "kind": POD.kind} for obj in answer.get("items") or ())
            query["continue"] = text_of(dig(answer, "metadata", "continue"))
            if not query["continue"]:
                return found


def _is_ours(pod: JsonObject) -> bool:
    """Whether only ovnguard wrote the record, as the API server recorded it."""
    entries = dig(pod, "metadata", "managedFields")
    writers = {
        text_of(dig(entry, "manager"))
        for entry in (entries if isinstance(entries, list) else ())
        if f"f:{POD_NETWORKS}" in mapping(entry, "fieldsV1", "f:metadata", "f:annotations")
    }
    return writers == {POD_MANAGER}


def _is_readable(record: object) -> bool:
    try:
        return all(True for _ in attached(record))
    except BadValueError:
        return False
