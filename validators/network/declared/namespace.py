"""The namespace of an object: its manifest may omit it, or have one although the kind is cluster-scoped."""

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import CLUSTER_KINDS, NAMESPACED_KINDS
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.parse_values import dig, mapping


def with_namespace(obj: JsonObject, namespace: str) -> JsonObject:
    """Return ``obj`` in ``namespace`` if it is of a namespaced kind that rules read and names no namespace."""
    if group_kind_of(obj) not in NAMESPACED_KINDS or dig(obj, "metadata", "namespace"):
        return obj
    return {**obj, "metadata": {**mapping(obj, "metadata"), "namespace": namespace}}


def in_its_scope(obj: JsonObject) -> JsonObject:
    """Return ``obj`` without its namespace if it is of a cluster-scoped kind that rules read, as it would be stored."""
    if group_kind_of(obj) not in CLUSTER_KINDS or not isinstance(dig(obj, "metadata", "namespace"), str):
        return obj
    return {**obj, "metadata": {key: value for key, value in obj["metadata"].items() if key != "namespace"}}
