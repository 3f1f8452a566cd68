"""The namespace of an object that its manifest may omit."""

from validators.base.json_types import JsonObject
from validators.network.cluster_view import NAMESPACED_KINDS
from validators.network.declared.network_of import group_kind_of
from validators.network.parse_values import dig, mapping


def with_namespace(obj: JsonObject, namespace: str) -> JsonObject:
    """Return ``obj`` in ``namespace`` if it is of a namespaced kind that rules read and names no namespace."""
    if group_kind_of(obj) not in NAMESPACED_KINDS or dig(obj, "metadata", "namespace"):
        return obj
    return {**obj, "metadata": {**mapping(obj, "metadata"), "namespace": namespace}}
