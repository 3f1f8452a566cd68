"""The namespaces of networks: those that a namespaceSelector selects, and the primary network of each.

An index by label matches thousands of selectors with thousands of namespaces.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Inventory
from ovnguard.validators.network.cluster.namespace_index import (
    NAME_LABEL,
    PRIMARY_LABEL,
    Namespace,
    Namespaces,
    known_namespaces,
    namespace_of,
)
from ovnguard.validators.network.cluster.ownership import claim_of
from ovnguard.validators.network.cluster.primary_networks import is_primary, owners, selecting, selector_of
from ovnguard.validators.network.cluster_view import CUDN, NAD, NAMESPACE, UDN
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import Network
from ovnguard.validators.network.selectors import Labels, matches

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
    "primaries",
    "primaries_selecting",
    "primary_of",
    "reaches",
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


def primary_of(inventory: Inventory, namespace: str) -> Network | None:
    """Return the primary network of a namespace's pods, None for the default network.

    A namespace that is known must have the label for it.
    """
    found = primaries(inventory).get(namespace, ())
    known = namespaces(inventory).by_name.get(namespace)
    if not found or (inventory.knows(NAMESPACE) and (known is None or not known.has_primary_label)):
        return None
    return found[0]


def primaries_selecting(inventory: Inventory, labels: Labels) -> list[Network]:
    """Return the primary networks of CUDNs that select a namespace with ``labels``, unordered."""
    return list(inventory.followed(selecting, *NETWORK_KINDS).of(labels))


def reaches(inventory: Inventory, attachment: JsonObject) -> bool:
    """Whether the network that a rendered attachment claims is in the attachment's namespace, as far as is known."""
    claim = claim_of(attachment)
    if claim is None or claim.key.kind != CUDN or not inventory.knows(NAMESPACE):
        return True
    space = namespaces(inventory).by_name.get(ref_of(attachment).namespace)
    owner = next((obj for obj in inventory.objects(CUDN) or () if ref_of(obj).name == claim.key.name), None)
    return space is not None and owner is not None and matches(selector_of(owner), space.labels)


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
        found.setdefault(ref.name, {})[ref.namespace] = obj
    return found
