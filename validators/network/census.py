"""All networks of an inventory, looked up by what must be theirs alone: names, ids, tunnel keys.

Built once for a view, so that one network is held against ten thousand others with a few look-ups.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from validators.json_types import JsonObject
from validators.network.addressing import BASE_TUNNEL_KEY, switch_tunnel_key
from validators.network.inventory import NETWORK_KINDS, Inventory, is_rendered
from validators.network.keys import DEFAULT_NETWORK_ID, demand, recorded_id, recorded_keys
from validators.network.model import DEFAULT_NETWORK, Network, ObjectRef
from validators.network.parse_nad import UPSTREAM_NETWORK_ID, UPSTREAM_TUNNEL_KEYS
from validators.network.parse_operator import ref_of
from validators.network.parse_udn import CUDN_PREFIX
from validators.network.parse_values import Reader, annotation, dig, text_of
from validators.network.view import NAD, GroupKind
from validators.records import dataclass

CLUSTER_NETWORK_CONNECT: Final = GroupKind("k8s.ovn.org", "ClusterNetworkConnect")


@dataclass(frozen=True, slots=True)
class Census:
    """What is known of all networks beside the default one.

    ``declared``: per network name, the networks that objects declare, attachments that a controller rendered left out.
    ``dynamic_keys``: per network name, how many keys of the dynamic range it takes. ``prefixes``: per prefix of OVN
    names, the network names that have it. ``ids`` and ``keys``: the names of the networks that hold a number.
    """

    declared: Mapping[str, tuple[Network, ...]]
    dynamic_keys: Mapping[str, int]
    prefixes: Mapping[str, tuple[str, ...]]
    ids: Mapping[int, tuple[str, ...]]
    keys: Mapping[int, tuple[str, ...]]
    all_dynamic_keys: int

    def others(self, name: str) -> int:
        """Return how many networks have another name."""
        return len(self.dynamic_keys) - (name in self.dynamic_keys)

    def dynamic_keys_of_others(self, name: str) -> int:
        """Return how many dynamic keys networks of other names take."""
        return self.all_dynamic_keys - self.dynamic_keys.get(name, 0)


def census(inventory: Inventory) -> Census:
    """Return the census of an inventory; of what is not known there is nothing in it."""
    return inventory.derived(_census, *NETWORK_KINDS)


def interconnects(inventory: Inventory) -> int:
    """Return how many interconnects of user-defined networks are known; each takes one dynamic key."""
    return len(inventory.objects(CLUSTER_NETWORK_CONNECT) or ())


def mangled(name: str) -> str:
    """Return what names of OVN objects of network ``name`` begin with (ovn-kubernetes, ``GetNetworkScopedName``)."""
    return name.replace("-", ".").replace("/", ".") + "_"


def same_source(one: ObjectRef, other: ObjectRef) -> bool:
    """Whether two networks are declared by one object."""
    return (one.kind, one.namespace, one.name) == (other.kind, other.namespace, other.name)


def _census(inventory: Inventory) -> Census:
    declared: dict[str, list[Network]] = {}
    dynamic: dict[str, int] = {}
    ids: dict[int, dict[str, None]] = {DEFAULT_NETWORK_ID: {DEFAULT_NETWORK: None}}
    keys: dict[int, dict[str, None]] = {BASE_TUNNEL_KEY: {DEFAULT_NETWORK: None}}

    def hold(name: str, number: int | None, held: tuple[int, ...], takes: int) -> None:
        dynamic[name] = max(dynamic.get(name, 0), takes)
        if number is not None:
            ids.setdefault(number, {})[name] = None
        for key in held:
            keys.setdefault(key, {})[name] = None

    for network in inventory.networks() or ():
        declared.setdefault(network.name, []).append(network)
        takes = demand(transit_router=network.needs_transit_subnet).dynamic
        hold(network.name, recorded_id(network), recorded_keys(network), takes)
    for name, number, held in _rendered(inventory):
        switch = () if held or number is None else (switch_tunnel_key(number),)
        hold(name, number, held or switch, len(held[1:]))
    prefixes: dict[str, list[str]] = {}
    for name in dynamic:
        prefixes.setdefault(mangled(name), []).append(name)
    return Census(
        {name: tuple(found) for name, found in declared.items()},
        dynamic,
        {prefix: tuple(names) for prefix, names in prefixes.items()},
        {number: tuple(names) for number, names in ids.items()},
        {key: tuple(names) for key, names in keys.items()},
        sum(dynamic.values()),
    )


def _rendered(inventory: Inventory) -> Iterator[tuple[str, int | None, tuple[int, ...]]]:
    """Names, ids and keys on attachments that a controller rendered; their owner tells the network's name."""
    for obj in inventory.objects(NAD) or ():
        name = rendered_name(obj) if is_rendered(obj) else ""
        if name:
            reader = Reader()
            number = reader.network_id(*annotation(obj, UPSTREAM_NETWORK_ID))
            yield name, number, reader.tunnel_keys(*annotation(obj, UPSTREAM_TUNNEL_KEYS))


def rendered_name(obj: JsonObject) -> str:
    """Return the name of the network that a rendered attachment belongs to, empty when another controller made it."""
    owners = dig(obj, "metadata", "ownerReferences")
    for owner in owners if isinstance(owners, list) else ():
        if dig(owner, "controller") is True:
            kind, name = text_of(dig(owner, "kind")), text_of(dig(owner, "name"))
            if kind == "ClusterUserDefinedNetwork":
                return f"{CUDN_PREFIX}{name}"
            return f"{ref_of(obj).namespace or 'default'}_{name}" if kind == "UserDefinedNetwork" else ""
    return ""


def layer2_primaries(inventory: Inventory) -> tuple[str, ...]:
    """Return the names of all primary Layer2 networks, sorted."""
    return inventory.derived(_layer2_primaries, *NETWORK_KINDS)


def _layer2_primaries(inventory: Inventory) -> tuple[str, ...]:
    return tuple(sorted({each.name for each in inventory.networks() or () if each.needs_transit_subnet}))
