"""Who made an object, as the API server recorded it.

Labels, annotations and owners of an object are what its writer wants; the field managers in ``metadata.managedFields``
are recorded by the API server with every write. An object that was restored from a backup has lost them, and counts as
somebody else's.

Source: Kubernetes, "Server-Side Apply", "Field management"; ovn-kubernetes, ``pkg/clustermanager/managedbgp`` and
``routeadvertisements``.
"""

from enum import Enum
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.route_advertisements import GENERATED_LABEL, GENERATED_PREFIX
from ovnguard.validators.network.parse_values import dig, text_of

MANAGER: Final = "ovnguard-reconciler-objects"
"""The field manager of whole objects of ours; no other write uses it."""
CLUSTER_MANAGER: Final = frozenset(
    ("clustermanager-managed-bgp-controller", "clustermanager-routeadvertisements-controller")
)
"""The field managers of OVN-Kubernetes' cluster manager for the same objects."""


class Maker(Enum):
    """Who made an object."""

    OURS = "ovnguard"
    CLUSTER_MANAGER = "OVN-Kubernetes' cluster manager"
    OTHER = "somebody else"


def maker_of(obj: JsonObject) -> Maker:
    """Return who made ``obj``. Writes of its status do not count."""
    managers = managers_of(obj)
    if MANAGER in managers:
        return Maker.OURS
    return Maker.OTHER if managers.isdisjoint(CLUSTER_MANAGER) else Maker.CLUSTER_MANAGER


def managers_of(obj: JsonObject, subresource: str = "") -> frozenset[str]:
    """Return the field managers of an object, or of its ``subresource``."""
    entries = dig(obj, "metadata", "managedFields")
    return frozenset(
        text_of(dig(entry, "manager"))
        for entry in (entries if isinstance(entries, list) else ())
        if text_of(dig(entry, "subresource")) == subresource
    )


def with_managers(obj: JsonObject) -> JsonObject:
    """Return ``obj`` with only the names of its field managers, for a cache: the fields are much longer."""
    entries = dig(obj, "metadata", "managedFields")
    short = [
        {key: entry[key] for key in ("manager", "subresource") if key in entry}
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict)
    ]
    return {**obj, "metadata": {**obj["metadata"], "managedFields": short}}


def identity_of(obj: JsonObject) -> tuple[str, str, str]:
    """Return kind, namespace and identity of an object.

    A generated FRRConfiguration has any name: the RouteAdvertisements, the source and the node in its annotation
    identify it. No name contains a slash, so none equals such an identity.
    """
    metadata = obj["metadata"]
    name = str(metadata["name"])
    identity = text_of(dig(metadata, "annotations", GENERATED_LABEL)) if name.startswith(GENERATED_PREFIX) else ""
    return str(obj["kind"]), str(metadata.get("namespace") or ""), identity if "/" in identity else name


def title_of(obj: JsonObject) -> str:
    """Return the object's name for people: kind, namespace and name."""
    metadata = obj["metadata"]
    place = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return f"{obj['kind']} {place}{metadata['name']}"
