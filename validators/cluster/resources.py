"""The API resource of each kind, and its paths."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import CONFIG_MAP, CUDN, NAD, NODE, OPERATOR_NETWORK, UDN, GroupKind


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource; ``group`` is '' for the core group."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = False

    @property
    def group_kind(self) -> GroupKind:
        """The key of the kind in cluster views."""
        return GroupKind(self.group, self.kind)

    @property
    def api_version(self) -> str:
        """The apiVersion of its objects."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def path(self) -> str:
        """The path of all its objects, in all namespaces."""
        return f"{self._root}/{self.plural}"

    def in_namespace(self, namespace: str) -> str:
        """The path of the objects of one namespace."""
        return f"{self._root}/namespaces/{quote(namespace, safe='')}/{self.plural}"

    def object_path(self, namespace: str, name: str, subresource: str = "") -> str:
        """The path of one object, or of its subresource."""
        place = f"/namespaces/{quote(namespace, safe='')}" if self.namespaced else ""
        tail = f"/{subresource}" if subresource else ""
        return f"{self._root}{place}/{self.plural}/{quote(name, safe='')}{tail}"

    @property
    def _root(self) -> str:
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"


def as_it_is(obj: JsonObject) -> JsonObject:
    """Keep the whole object."""
    return obj


@dataclass(frozen=True, slots=True)
class Part:
    """The watched objects of a resource, such as those of one namespace or name, and the fields kept of each.

    ``trim`` never changes its argument. ``wakes`` returns the fields whose change wakes readers; they find
    other changes at their next look. ``page`` is the maximum number of objects per page of a list. ``fields`` and
    ``labels`` are selectors of the API; an object that stops matching counts as deleted.
    """

    namespace: str = ""
    name: str = ""
    trim: Callable[[JsonObject], JsonObject] = as_it_is
    wakes: Callable[[JsonObject], JsonObject] = as_it_is
    page: int = 500
    fields: str = ""
    labels: str = ""

    def path(self, resource: Resource) -> str:
        """The path of the list."""
        return resource.in_namespace(self.namespace) if self.namespace else resource.path

    @property
    def query(self) -> dict[str, str]:
        """The query that selects the objects of the list. RBAC can grant access to a single name."""
        fields = ",".join(filter(None, (f"metadata.name={self.name}" * bool(self.name), self.fields)))
        selectors = {"fieldSelector": fields, "labelSelector": self.labels}
        return {key: selector for key, selector in selectors.items() if selector}


WHOLE: Final = Part()
NODES: Final = Resource(NODE.group, "v1", "nodes", NODE.kind)
CUDNS: Final = Resource(CUDN.group, "v1", "clusteruserdefinednetworks", CUDN.kind)
UDNS: Final = Resource(UDN.group, "v1", "userdefinednetworks", UDN.kind, namespaced=True)
NADS: Final = Resource(NAD.group, "v1", "network-attachment-definitions", NAD.kind, namespaced=True)
CONFIG_MAPS: Final = Resource(CONFIG_MAP.group, "v1", "configmaps", CONFIG_MAP.kind, namespaced=True)
OPERATOR_NETWORKS: Final = Resource(OPERATOR_NETWORK.group, "v1", "networks", OPERATOR_NETWORK.kind)
