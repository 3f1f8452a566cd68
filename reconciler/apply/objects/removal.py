"""Removes what ovnguard published: whole objects, and its labels, annotations and conditions on objects of others.

What is ovnguard's follows from the field managers that the API server recorded, so nothing of others goes.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from ovnguard.reconciler.apply.objects.object_owners import Maker, maker_of, managers_of, title_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import APPLY_PATCH, MERGE_PATCH, ApiStatusError, Client, ClusterError
from ovnguard.validators.cluster.resources import Resource
from ovnguard.validators.network.parse_values import dig, mapping, text_of

PAGE: Final = 500
_GONE: Final = 404

_log = logging.getLogger(__name__)


class Removal:
    """Removes what is ovnguard's on objects of some resources; ``failures`` are the texts of what stays."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.failures: list[str] = []

    def objects(self, resource: Resource) -> None:
        """Delete the objects that ovnguard made."""
        for obj in self._list(resource):
            if maker_of(obj) is Maker.OURS:
                self._try(obj, "deleted", partial(self._client.request, "DELETE", _path(resource, obj)))

    def entry(self, resource: Resource, part: str, key: str, manager: str) -> None:
        """Remove the entry ``key`` of ``part``, labels or annotations, where ``manager`` wrote it."""
        patch: JsonObject = {"metadata": {part: {key: None}}}
        for obj in self._list(resource):
            if _wrote(obj, part, key, manager):
                send = partial(self._client.request, "PATCH", _path(resource, obj), None, patch, MERGE_PATCH)
                self._try(obj, f"without {key}", send)

    def status(self, resource: Resource, managers: Sequence[str]) -> None:
        """Remove the parts of the status that ``managers`` own: to apply nothing is to give them up."""
        for obj in self._list(resource):
            metadata, path = obj["metadata"], _path(resource, obj, "status")
            named = {key: metadata[key] for key in ("name", "namespace") if key in metadata}
            nothing: JsonObject = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": named}
            for manager in managers_of(obj, "status").intersection(managers):
                query = {"fieldManager": manager, "force": "true"}
                send = partial(self._client.request, "PATCH", path, query, nothing, APPLY_PATCH)
                self._try(obj, f"without the conditions of {manager}", send)

    def _list(self, resource: Resource) -> Iterator[JsonObject]:
        """All objects; none of a kind that is not served."""
        query = {"limit": str(PAGE)}
        while True:
            try:
                answer = self._client.request("GET", resource.path, query)
            except ClusterError as error:
                if not (isinstance(error, ApiStatusError) and error.code == _GONE):
                    self.failures.append(f"{resource.plural}: {error}")
                return
            yield from ({**obj, "kind": resource.kind} for obj in answer.get("items") or ())
            query["continue"] = text_of(dig(answer, "metadata", "continue"))
            if not query["continue"]:
                return

    def _try(self, obj: JsonObject, done: str, send: Callable[[], JsonObject]) -> None:
        try:
            send()
        except ClusterError as error:
            if not (isinstance(error, ApiStatusError) and error.code == _GONE):
                self.failures.append(f"{title_of(obj)}: {error}")
        else:
            _log.info("%s: %s", title_of(obj), done)


def _path(resource: Resource, obj: JsonObject, subresource: str = "") -> str:
    return resource.object_path(obj["metadata"].get("namespace") or "", obj["metadata"]["name"], subresource)


def _wrote(obj: JsonObject, part: str, key: str, manager: str) -> bool:
    """Whether ``manager`` owns the entry."""
    entries = dig(obj, "metadata", "managedFields")
    return any(
        dig(entry, "manager") == manager and f"f:{key}" in mapping(entry, "fieldsV1", "f:metadata", f"f:{part}")
        for entry in (entries if isinstance(entries, list) else ())
    )
