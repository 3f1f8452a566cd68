"""The numbers that OVN-Kubernetes' cluster manager recorded on the attachments that it rendered.

It records the id and the tunnel keys of a (Cluster)UserDefinedNetwork on every attachment of that network, and its
transit subnets in their configuration; the network's own object has none of them.

Source: ovn-kubernetes ``pkg/clustermanager/userdefinednetwork`` and ``pkg/networkmanager``, annotations
``k8s.ovn.org/network-id`` and ``k8s.ovn.org/tunnel-keys``.
"""

from collections.abc import Mapping
from typing import NamedTuple

from validators.base.json_types import JsonObject
from validators.network.addresses.addressing import switch_tunnel_key
from validators.network.cluster.incremental import ObservedObjects
from validators.network.cluster.inventory import NETWORK_KINDS, Inventory, declared
from validators.network.cluster.ownership import OwnerKey
from validators.network.cluster_view import NAD
from validators.network.declared.network_of import network_of
from validators.network.declared.parse_nad import UPSTREAM_NETWORK_ID, UPSTREAM_TUNNEL_KEYS
from validators.network.declared.parse_operator import ref_of
from validators.network.model import IPNetwork
from validators.network.parse_values import Reader, annotation


class RenderedNumbers(NamedTuple):
    """The record on one attachment; ``attachment`` is its ``namespace/name``, ``fault`` why it cannot be used."""

    attachment: str
    network_id: int | None = None
    tunnel_keys: tuple[int, ...] = ()
    transit_subnets: tuple[IPNetwork, ...] = ()
    fault: str = ""


class _Read(NamedTuple):
    by_object: Mapping[int, RenderedNumbers]
    by_owner: Mapping[OwnerKey, tuple[RenderedNumbers, ...]]


def rendered_numbers(inventory: Inventory) -> Mapping[OwnerKey, tuple[RenderedNumbers, ...]]:
    """Return the records on the rendered attachments of a view, by the network that they were rendered for."""
    return inventory.followed(_read, *NETWORK_KINDS).by_owner


def _read(now: ObservedObjects, before: _Read | None) -> _Read:
    """Follow the rendered attachments; unchanged ones are not read again."""
    known = before.by_object if before is not None else {}
    rendered = now.followed(declared, *NETWORK_KINDS).rendered
    by_object: dict[int, RenderedNumbers] = {}
    by_owner: dict[OwnerKey, tuple[RenderedNumbers, ...]] = {}
    for obj in now.objects(NAD):
        owner = rendered.get(id(obj))
        if owner is not None:
            numbers = by_object[id(obj)] = known.get(id(obj)) or _numbers(obj)
            by_owner[owner] = (*by_owner.get(owner, ()), numbers)
    return _Read(by_object, by_owner)


def _numbers(obj: JsonObject) -> RenderedNumbers:
    ref, reader = ref_of(obj), Reader()
    name = f"{ref.namespace}/{ref.name}"
    number = reader.network_id(*annotation(obj, UPSTREAM_NETWORK_ID))
    keys = reader.tunnel_keys(*annotation(obj, UPSTREAM_TUNNEL_KEYS))
    network = network_of(obj).network
    fault = _foreign_key(number, keys)
    if reader.errors:
        fault = f"{reader.errors[0].field}: {reader.errors[0].detail}"
    return RenderedNumbers(name, number, keys, network.transit_subnets if network is not None else (), fault)


def _foreign_key(number: int | None, keys: tuple[int, ...]) -> str:
    """A switch has the key of its network's id."""
    if number is None or not keys or keys[0] == switch_tunnel_key(number):
        return ""
    return f"the first tunnel key of network id {number} is {switch_tunnel_key(number)}, not {keys[0]}"
