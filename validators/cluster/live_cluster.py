"""What a single command reads from a cluster: its release, surroundings, stored objects, definitions.

It only sends GET requests: the version, lists, single objects, and the discovery of resources.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.bundled.catalog import GroupVersionKind, gvk_of
from ovnguard.validators.cluster.client_protocol import ApiStatusError, Client, ClusterError
from ovnguard.validators.cluster.resources import Part, Resource
from ovnguard.validators.cluster.watched_kinds import CRDS, WATCHED
from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.network.cluster_view import GroupKind
from ovnguard.validators.network.parse_values import dig, text_of

_NOT_FOUND: Final = 404
_FORBIDDEN: Final = 403
_MOST_PAGES: Final = 10_000
_MINOR: Final = lazy_pattern(r"([0-9]{1,4})\+?")
"""A minor number. Some providers add a plus sign."""


class Surroundings(NamedTuple):
    """The objects of a cluster that rules read, the kinds of which there are none, and those that may not be listed."""

    objects: list[JsonObject]
    empty: set[GroupKind]
    forbidden: list[str]


class LiveCluster:
    """A cluster, read through ``client``; ``server`` is its URL. Methods raise ClusterError."""

    def __init__(self, client: Client, server: str) -> None:
        self._client = client
        self.server = server
        self._resources: dict[tuple[str, str], Mapping[str, Resource]] = {}

    def minor(self) -> int:
        """Return the minor number of the release of Kubernetes 1 that the server runs, or emulates."""
        answer = self._client.request("GET", "/version")
        found = _MINOR.fullmatch(text_of(answer.get("emulationMinor")) or text_of(answer.get("minor")))
        if answer.get("major") != "1" or found is None:
            raise ClusterError(f"{self.server}: GET /version names no release of Kubernetes 1")
        return int(found[1])

    def surroundings(self, parts: Iterable[tuple[Resource, Part]] = WATCHED) -> Surroundings:
        """Return the objects of ``parts``, by default every object that rules may ask for."""
        found = Surroundings([], set(), [])
        for resource, part in parts:
            try:
                objects = list(self._list(resource, part))
            except ApiStatusError as error:
                if error.code == _FORBIDDEN:
                    found.forbidden.append(resource.plural)
                    continue
                if error.code != _NOT_FOUND:
                    raise
                objects = []
            found.objects.extend(objects)
            if not objects:
                found.empty.add(resource.group_kind)
        return found

    def stored(self, obj: JsonObject, namespace: str) -> JsonObject | None:
        """Return the stored object with the identity of ``obj``, None if there is none.

        ``namespace`` is that of manifests that name none.
        """
        name = text_of(dig(obj, "metadata", "name"))
        resource = self._resource(gvk_of(obj))
        if resource is None or not name:
            return None
        place = text_of(dig(obj, "metadata", "namespace")) or namespace
        try:
            return self._client.request("GET", resource.object_path(place, name))
        except ApiStatusError as error:
            if error.code == _NOT_FOUND:
                return None
            raise

    def definitions(self, kinds: Iterable[GroupVersionKind]) -> Iterator[JsonObject]:
        """Iterate over the CustomResourceDefinitions of ``kinds``; built-in and unserved kinds have none."""
        for kind in kinds:
            resource = self._resource(kind)
            if resource is None or not resource.group:
                continue
            try:
                yield self._client.request("GET", CRDS.object_path("", f"{resource.plural}.{resource.group}"))
            except ApiStatusError as error:
                if error.code != _NOT_FOUND:
                    raise

    def _resource(self, kind: GroupVersionKind) -> Resource | None:
        key = (kind.group, kind.version)
        if key not in self._resources:
            path = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
            try:
                answer = self._client.request("GET", path)
            except ApiStatusError as error:
                if error.code != _NOT_FOUND:
                    raise
                answer = {}
            self._resources[key] = {each.kind: each for each in _resources(kind, answer)}
        return self._resources[key].get(kind.kind)

    def _list(self, resource: Resource, part: Part) -> Iterator[JsonObject]:
        query = {**part.query, "limit": str(part.page)}
        for _ in range(_MOST_PAGES):
            page = self._client.request("GET", part.path(resource), query)
            for item in page.get("items") or ():
                yield {"apiVersion": resource.api_version, "kind": resource.kind, **part.trim(item)}
            following = text_of(dig(page, "metadata", "continue"))
            if not following:
                return
            query["continue"] = following


def _resources(kind: GroupVersionKind, answer: JsonObject) -> Iterator[Resource]:
    """The resources that discovery lists; subresources have names with a slash."""
    listed = answer.get("resources")
    for each in listed if isinstance(listed, list) else ():
        name, named = text_of(dig(each, "name")), text_of(dig(each, "kind"))
        if name and named and "/" not in name:
            yield Resource(kind.group, kind.version, name, named, dig(each, "namespaced") is True)
