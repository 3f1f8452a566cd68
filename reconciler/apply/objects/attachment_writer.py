"""Writes NetworkAttachmentDefinitions of ours to the API server, by server-side apply, and protects networks.

What the document no longer has of our labels and annotations goes; those of others stay. The field manager is not the
one of objects for routes: these go when ovnguard's namespace goes, attachments go with their network.

Source: Kubernetes, "Server-Side Apply"; ovn-kubernetes ``pkg/clustermanager/userdefinednetwork``, for the order of a
deletion.
"""

from typing import Final

from ovnguard.reconciler.apply.kube import Recorder
from ovnguard.reconciler.apply.objects.object_owners import managers_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import APPLY_PATCH, MERGE_PATCH, ApiStatusError, Client
from ovnguard.validators.cluster.resources import NADS
from ovnguard.validators.network.parse_values import dig, mapping

ATTACHMENT_MANAGER: Final = "ovnguard-reconciler-attachments"
"""The field manager of the attachments that ovnguard renders; no other write uses it."""
_GONE: Final = 404


class AttachmentWriter:
    """Writes attachments through ``client`` and finalizers of networks through ``recorder``.

    Every method raises like `Client.request`.
    """

    def __init__(self, client: Client, recorder: Recorder) -> None:
        self._client = client
        self._recorder = recorder

    def apply(self, document: JsonObject) -> None:
        """Create the attachment, or bring it to ``document``."""
        query = {"fieldManager": ATTACHMENT_MANAGER, "force": "true"}
        self._client.request("PATCH", _path(document), query, document, APPLY_PATCH)

    def remove(self, obj: JsonObject, finalizer: str) -> None:
        """Remove ``finalizer`` from an attachment, as it was read, and delete it."""
        metadata = obj["metadata"]
        if finalizer in (metadata.get("finalizers") or ()):
            patch = {
                "metadata": {"finalizers": _without(obj, finalizer), "resourceVersion": metadata["resourceVersion"]}
            }
            self._client.request("PATCH", _path(obj), {"fieldManager": ATTACHMENT_MANAGER}, patch, MERGE_PATCH)
        if metadata.get("deletionTimestamp"):
            return
        options = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": metadata["uid"]}}
        try:
            self._client.request("DELETE", _path(obj), None, options)
        except ApiStatusError as error:
            if error.code != _GONE:
                raise

    def protect(self, network: JsonObject, finalizer: str) -> JsonObject | None:
        """Add ``finalizer`` to a network's object; return the object, None where it changed in the meantime."""
        kept = network["metadata"].get("finalizers") or []
        patch: JsonObject = {"metadata": {"finalizers": [*kept, finalizer]}}
        return network if finalizer in kept else self._recorder.merge(network, patch)

    def release(self, network: JsonObject, finalizer: str) -> bool:
        """Remove ``finalizer`` from a network's object; return whether it is gone now."""
        patch: JsonObject = {"metadata": {"finalizers": _without(network, finalizer)}}
        kept = network["metadata"].get("finalizers") or []
        return finalizer not in kept or self._recorder.merge(network, patch) is not None


def is_ours(obj: JsonObject) -> bool:
    """Return whether ovnguard rendered the attachment, as the API server recorded it."""
    return ATTACHMENT_MANAGER in managers_of(obj)


def is_as_rendered(obj: JsonObject, document: JsonObject) -> bool:
    """Return whether an attachment of ours has all that ``document`` has, and of ours no more."""
    one, other = obj["metadata"], document["metadata"]
    parts = ("labels", "annotations")
    applied = [
        mapping(entry, "fieldsV1", "f:metadata")
        for entry in one.get("managedFields") or ()
        if dig(entry, "manager") == ATTACHMENT_MANAGER and dig(entry, "operation") == "Apply"
    ]
    ours = [{key[2:] for fields in applied for key in mapping(fields, f"f:{part}") if key != "."} for part in parts]
    return (
        obj.get("spec") == document["spec"]
        and all(
            all(mapping(one, part).get(key) == text for key, text in other[part].items()) and keys <= other[part].keys()
            for part, keys in zip(parts, ours, strict=True)
        )
        and all(each in (one.get(key) or ()) for key in ("finalizers", "ownerReferences") for each in other[key])
    )


def _without(obj: JsonObject, finalizer: str) -> list[str]:
    return [each for each in obj["metadata"].get("finalizers") or () if each != finalizer]


def _path(obj: JsonObject) -> str:
    return NADS.object_path(obj["metadata"]["namespace"], obj["metadata"]["name"])
