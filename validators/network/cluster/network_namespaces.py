"""The namespaces of networks: those that a namespaceSelector selects, and the primary network of each.

An index by label matches thousands of selectors with thousands of namespaces.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from validators.base.json_types import JsonObject
from validators.network.cluster.incremental import ObservedObjects
from validators.network.cluster.inventory import NETWORK_KINDS, Inventory
from validators.network.cluster.namespace_index import (
    NAME_LABEL,
    PRIMARY_LABEL,
    Namespace,
    Namespaces,
    known_namespaces,
    namespace_of,
)
from validators.network.cluster.primary_networks import is_primary, owners, selecting, selector_of
from validators.network.cluster_view import NAD, NAMESPACE, UDN
from validators.network.declared.parse_operator import ref_of
from validators.network.model import Network, ObjectRef
from validators.network.parse_values import dig, text_of
from validators.network.selectors import Labels

__all__ = [
    "NAME_LABEL",
    "PRIMARY_LABEL",
    "Namespace",
    "Namespaces",
    "attachments",
    "is_primary",
    "namespace_of",
    "namespaced_networks",
    "namespaces",
    "owned_by",
    "primaries",
    "primaries_selecting",
    "selector_of",
]


def namespaces(inventory: Inventory) -> Namespaces:
    """Return the known namespaces, or none when they are unknown."""
    return inventory.followed(known_namespaces, NAMESPACE)


def primaries(inventory: Inventory) -> Mapping[str, tuple[Network, ...]]:
    """Return, per namespace, at most two of its primary networks, those of CUDNs last.

    Networks of CUDNs are included as far as namespaces are known. The attachment in the namespace has the name of the
    network's source.
    """
    return inventory.followed(owners, NAMESPACE, *NETWORK_KINDS)


def primaries_selecting(inventory: Inventory, labels: Labels) -> list[Network]:
    """Return the primary networks of CUDNs that select a namespace with ``labels``, unordered."""
    return list(inventory.followed(selecting, *NETWORK_KINDS).of(labels))


def owned_by(obj: JsonObject, ref: ObjectRef) -> bool:
    """Whether a rendered attachment belongs to the (C)UDN ``ref``."""
    owners = dig(obj, "metadata", "ownerReferences")
    return isinstance(owners, list) and any(
        dig(owner, "controller") is True
        and text_of(dig(owner, "kind")) == ref.kind
        and text_of(dig(owner, "name")) == ref.name
        for owner in owners
    )


def attachments(inventory: Inventory) -> Mapping[str, Mapping[str, JsonObject]]:
    """Return all attachments, by name and then by namespace."""
    return inventory.followed(_attachments, NAD)


def namespaced_networks(inventory: Inventory) -> Mapping[str, Mapping[str, JsonObject]]:
    """Return all UserDefinedNetworks, by name and then by namespace."""
    return inventory.followed(_udns, UDN)


_ByName: TypeAlias = dict[str, dict[str, JsonObject]]


def _attachments(now: ObservedObjects, _: object) -> _ByName:
    return _by_name(now.objects(NAD))


def _udns(now: ObservedObjects, _: object) -> _ByName:
    return _by_name(now.objects(UDN))


def _by_name(objects: Iterable[JsonObject]) -> _ByName:
    found: _ByName = {}
    for obj in objects:
        ref = ref_of(obj)
        found.setdefault(ref.name, {})[ref.namespace or "default"] = obj
    return found
