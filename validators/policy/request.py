"""An admission request as policies see it: the attributes that they match, and the variable ``request``.

Source: Kubernetes, "Validating Admission Policy", variables; apiserver ``pkg/admission/plugin/cel`` (condition.go).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

OPERATIONS: Final = ("CREATE", "UPDATE", "DELETE", "CONNECT")


@dataclass(frozen=True, slots=True)
class UserInfo:
    """The user who sends the request."""

    username: str = ""
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PolicyRequest:
    """One request.

    ``object`` is None for DELETE, ``old_object`` for CREATE; neither is changed. ``namespace`` is "" for cluster-scoped
    objects; as in the API server, it is its own name for a Namespace. ``options`` are the CreateOptions (UpdateOptions,
    DeleteOptions) of the request. Without a ``user`` (None) it is unknown who sends the request.
    """

    operation: str
    group: str
    version: str
    resource: str
    kind: str
    object: Mapping[str, Any] | None = None
    old_object: Mapping[str, Any] | None = None
    name: str = ""
    namespace: str = ""
    subresource: str = ""
    user: UserInfo | None = field(default_factory=UserInfo)
    dry_run: bool = False
    options: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for an operation that admission does not know."""
        if self.operation not in OPERATIONS:
            raise ValueError(f"operation {self.operation!r} must be one of {', '.join(OPERATIONS)}")

    @property
    def is_namespace(self) -> bool:
        """Whether the request is about a Namespace object."""
        return (self.group, self.version, self.resource) == ("", "v1", "namespaces")

    @property
    def qualified_resource(self) -> str:
        """The resource as errors name it: ``configmaps`` or ``widgets.example.com``."""
        return f"{self.resource}.{self.group}" if self.group else self.resource

    @property
    def shown_name(self) -> str:
        """The name in errors: that of the object, else its generateName, else Unknown."""
        if self.name:
            return self.name
        metadata = (self.object or {}).get("metadata")
        meta = metadata if isinstance(metadata, Mapping) else {}
        return str(meta.get("name") or meta.get("generateName") or "Unknown")

    def variable(self) -> dict[str, Any]:
        """Return the variable ``request``: an AdmissionRequest without its objects. Empty fields are absent."""
        kind = {"group": self.group, "version": self.version, "kind": self.kind}
        resource = {"group": self.group, "version": self.version, "resource": self.resource}
        sender = self.user or UserInfo()
        user = {
            "username": sender.username,
            "uid": sender.uid,
            "groups": list(sender.groups),
            "extra": {key: list(values) for key, values in sender.extra.items()},
        }
        optional = {
            "subResource": self.subresource,
            "requestSubResource": self.subresource,
            "name": self.name,
            "namespace": self.namespace,
        }
        return {
            "kind": kind,
            "resource": resource,
            "requestKind": kind,
            "requestResource": resource,
            **{key: value for key, value in optional.items() if value},
            "operation": self.operation,
            "userInfo": {key: value for key, value in user.items() if value},
            "dryRun": self.dry_run,
            "options": self.options,
        }


def _mapping(source: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = source.get(key)
    return found if isinstance(found, Mapping) else {}


_NAMESPACE_META: Final = (
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "finalizers",
)


def namespace_variable(namespace: Mapping[str, Any]) -> dict[str, Any]:
    """Return the variable ``namespaceObject``: a Namespace with the metadata that policies may see, its spec and
    status.
    """
    metadata = _mapping(namespace, "metadata")
    return {
        "metadata": {key: metadata[key] for key in _NAMESPACE_META if metadata.get(key)},
        "spec": dict(_mapping(namespace, "spec")),
        "status": dict(_mapping(namespace, "status")),
    }
