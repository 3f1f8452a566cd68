"""The namespaces of networks: those that a namespaceSelector selects, and the primary network of each.

An index by label matches thousands of selectors with thousands of namespaces.
"""

from collections.abc import Mapping
from typing import TypeAlias

from validators.base.json_types import JsonObject
from validators.network.cluster.incremental import Change, Changes, ObservedObjects
from validators.network.cluster.inventory import NETWORK_KINDS, Inventory
from validators.network.cluster.multimap import Groups
from validators.network.cluster.namespace_index import (
    NAME_LABEL,
    PRIMARY_LABEL,
    Namespace,
    Namespaces,
    known_namespaces,
    namespace_of,
)
from validators.network.cluster.primary_networks import is_primary, owners, selecting, selector_of
from validators.network.cluster_view import NAD, NAMESPACE, UDN, GroupKind
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
    return inventory.followed(owners, NAMESPACE, *NETWORK_KINDS).shown


def primaries_selecting(inventory: Inventory, labels: Labels) -> list[Network]:
    """Return the primary networks of CUDNs that select a namespace with ``labels``, unordered."""
    return [network for _, network in inventory.followed(selecting, *NETWORK_KINDS).of(labels)]


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
    return inventory.followed(_attachments, NAD).shown


def namespaced_networks(inventory: Inventory) -> Mapping[str, Mapping[str, JsonObject]]:
    """Return all UserDefinedNetworks, by name and then by namespace."""
    return inventory.followed(_udns, UDN).shown


_ByName: TypeAlias = Groups[str, tuple[str, JsonObject], Mapping[str, JsonObject]]


def _attachments(now: ObservedObjects, before: _ByName | None, changes: Changes | None) -> _ByName:
    return _by_name(NAD, now, before, changes)


def _udns(now: ObservedObjects, before: _ByName | None, changes: Changes | None) -> _ByName:
    return _by_name(UDN, now, before, changes)


def _by_name(kind: GroupKind, now: ObservedObjects, before: _ByName | None, changes: Changes | None) -> _ByName:
    if before is None or changes is None:
        before, change = Groups(dict, (kind,)), Change((), tuple(now.objects(kind)))
    else:
        change = changes[kind]
    gone = [(ref_of(obj).name, (0, id(obj))) for obj in change.gone]
    refs = [(ref_of(obj), obj) for obj in change.come]
    come = [(ref.name, (0, id(obj)), (ref.namespace or "default", obj)) for ref, obj in refs]
    return before.after(now, gone, come)
