"""Reads a snapshot of a cluster."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Final

from ovnguard.reconciler.status.snapshot import PODS, WEBHOOK_PODS, Listed, Snapshot, latest, sources
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError, PodClient
from ovnguard.validators.cluster.resources import Part, Resource
from ovnguard.validators.network.parse_values import dig, text_of

_FORBIDDEN, _NOT_FOUND = 403, 404
_REVIEWS: Final = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
_REVIEW: Final[JsonObject] = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
LINES: Final = 1000
"""The maximum number of lines that are read of each log."""


def look(client: PodClient, namespace: str) -> Snapshot:
    """Return what the cluster shows now; raise ClusterError when it cannot be reached."""
    now = _now(client)
    lists = {name: _listed(client, *source) for name, source in sources(namespace).items()}
    kubernetes = text_of(client.request("GET", "/version").get("gitVersion"))
    logs = dict(_logs(client, namespace, lists[WEBHOOK_PODS].items))
    return Snapshot(namespace, now, lists, logs, version("ovnguard"), kubernetes)


def _now(client: PodClient) -> datetime:
    """The time of the API server, which every user may ask for; that of this machine where it does not tell."""
    try:
        answer = client.request("POST", _REVIEWS, None, _REVIEW)
    except ApiStatusError as error:
        if error.code not in (_FORBIDDEN, _NOT_FOUND):
            raise
        answer = {}
    return latest([dig(answer, "metadata", "creationTimestamp")]) or datetime.now(UTC)


def _listed(client: PodClient, resource: Resource, part: Part) -> Listed:
    query, found = {**part.query, "limit": str(part.page)}, list[JsonObject]()
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    try:
        while True:
            answer = client.request("GET", part.path(resource), query)
            found += ({**obj, **kind} for obj in answer.get("items") or ())
            query["continue"] = text_of(dig(answer, "metadata", "continue"))
            if not query["continue"]:
                return Listed(tuple(found))
    except ApiStatusError as error:
        if error.code == _NOT_FOUND:
            return Listed()
        if error.code == _FORBIDDEN:
            return Listed(fault=str(error))
        raise


def _logs(client: PodClient, namespace: str, pods: tuple[JsonObject, ...]) -> Iterator[tuple[str, str | None]]:
    """The last lines of each Pod's log by its name: a kubelet keeps it, so it may be away while all else is there."""
    query: Mapping[str, str] = {"container": "webhook", "tailLines": str(LINES), "sinceSeconds": "3600"}
    for name in (str(each["metadata"]["name"]) for each in pods):
        try:
            yield (
                name,
                b"".join(client.stream(PODS.object_path(namespace, name, "log"), query)).decode(errors="replace"),
            )
        except ClusterError:
            yield name, None
