"""The numbers that OVN-Kubernetes' cluster manager recorded on attachments.

It records the id and the tunnel keys of a network on every attachment of it. Those of a (Cluster)UserDefinedNetwork are
on the attachments that it rendered, with the transit subnets in their configuration; the network's own object has none
of them.

Source: ovn-kubernetes ``pkg/clustermanager/userdefinednetwork`` and ``pkg/networkmanager``, annotations
``k8s.ovn.org/network-id`` and ``k8s.ovn.org/tunnel-keys``.
"""

from collections.abc import Mapping
from typing import NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.addresses.addressing import switch_tunnel_key
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Inventory, declared
from ovnguard.validators.network.cluster.ownership import OwnerClaim, OwnerKey
from ovnguard.validators.network.cluster_view import NAD
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.declared.parse_nad import UPSTREAM_NETWORK_ID, UPSTREAM_TUNNEL_KEYS
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import IPNetwork
from ovnguard.validators.network.parse_values import Reader, annotation


class AttachmentRecord(NamedTuple):
    """The record on one attachment; ``attachment`` is its ``namespace/name``, ``fault`` why it cannot be used."""

    attachment: str
    network_id: int | None = None
    tunnel_keys: tuple[int, ...] = ()
    transit_subnets: tuple[IPNetwork, ...] = ()
    fault: str = ""


class AttachedNumbers(NamedTuple):
    """The records on all attachments, by object.

    ``rendered`` are by the network that an attachment was rendered for, ``named`` by the name of the network that
    attachments themselves declare. ``claims`` are those that were followed.
    """

    by_object: Mapping[int, AttachmentRecord]
    rendered: Mapping[OwnerKey, tuple[AttachmentRecord, ...]]
    named: Mapping[str, tuple[AttachmentRecord, ...]]
    claims: Mapping[int, OwnerClaim | None]


def attached_numbers(inventory: Inventory) -> AttachedNumbers:
    """Return the records on the attachments of a view."""
    return inventory.followed(_read, *NETWORK_KINDS)


def _read(now: ObservedObjects, before: AttachedNumbers | None) -> AttachedNumbers:
    """Follow the attachments; unchanged ones are not read again."""
    known = before.by_object if before is not None else {}
    found = now.followed(declared, *NETWORK_KINDS)
    # only attachments that nobody rendered declare networks, which is another question for other owners
    if before is not None and before.claims is found.claims:
        return before
    by_object: dict[int, AttachmentRecord] = {}
    rendered: dict[OwnerKey, tuple[AttachmentRecord, ...]] = {}
    named: dict[str, tuple[AttachmentRecord, ...]] = {}
    for obj in now.objects(NAD):
        owner, network = found.rendered.get(id(obj)), found.networks.get(id(obj))
        if owner is None and network is None:
            continue
        numbers = by_object[id(obj)] = known.get(id(obj)) or _numbers(obj)
        if owner is not None:
            rendered[owner] = (*rendered.get(owner, ()), numbers)
        elif network is not None:
            named[network.name] = (*named.get(network.name, ()), numbers)
    return AttachedNumbers(by_object, rendered, named, found.claims)


def _numbers(obj: JsonObject) -> AttachmentRecord:
    ref, reader = ref_of(obj), Reader()
    name = f"{ref.namespace}/{ref.name}"
    number = reader.network_id(*annotation(obj, UPSTREAM_NETWORK_ID))
    keys = reader.tunnel_keys(*annotation(obj, UPSTREAM_TUNNEL_KEYS))
    network = network_of(obj).network
    fault = _foreign_key(number, keys)
    if reader.errors:
        fault = f"{reader.errors[0].field}: {reader.errors[0].detail}"
    return AttachmentRecord(name, number, keys, network.transit_subnets if network is not None else (), fault)


def _foreign_key(number: int | None, keys: tuple[int, ...]) -> str:
    """A switch has the key of its network's id."""
    if number is None or not keys or keys[0] == switch_tunnel_key(number):
        return ""
    return f"the first tunnel key of network id {number} is {switch_tunnel_key(number)}, not {keys[0]}"
