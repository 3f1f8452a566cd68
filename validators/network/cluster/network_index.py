"""All networks of an inventory, indexed by their unique values: names, ids, tunnel keys.

Each view has one, so a few look-ups compare a network with ten thousand others. The index follows changes.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.addresses.addressing import BASE_TUNNEL_KEY, switch_tunnel_key
from ovnguard.validators.network.addresses.network_keys import DEFAULT_NETWORK_ID, demand, recorded_id, recorded_keys
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Inventory, declared
from ovnguard.validators.network.cluster.multimap import again, distinct, grouped
from ovnguard.validators.network.cluster_view import CLUSTER_NETWORK_CONNECT, NAD
from ovnguard.validators.network.declared.parse_nad import UPSTREAM_NETWORK_ID, UPSTREAM_TUNNEL_KEYS
from ovnguard.validators.network.model import DEFAULT_NETWORK, Network, ObjectRef
from ovnguard.validators.network.parse_values import Reader, annotation


class Census(NamedTuple):
    """The known values of all networks other than the default one.

    ``declared``: per network name, the networks that objects declare, without rendered attachments. ``dynamic_keys``:
    per network name, the number of dynamic keys that it takes. ``prefixes``: per prefix of OVN names, the network names
    that have it. ``ids`` and ``keys``: per number, the names of the networks that have it.
    """

    declared: Mapping[str, tuple[Network, ...]]
    dynamic_keys: Mapping[str, int]
    prefixes: Mapping[str, tuple[str, ...]]
    ids: Mapping[int, tuple[str, ...]]
    keys: Mapping[int, tuple[str, ...]]
    all_dynamic_keys: int

    def names_from(self, least: int) -> int | None:
        """Return the number of network names if it is ``least`` or more, else None.

        How few networks there are decides no verdict, so their exact number is no part of the answer.
        """
        return _from(least, len(self.dynamic_keys))

    def dynamic_keys_from(self, least: int) -> int | None:
        """Return the number of dynamic keys of all networks if it is ``least`` or more, else None."""
        return _from(least, self.all_dynamic_keys)


def others(known: Census, name: str, least: int = 0) -> int:
    """Return the number of networks with other names, 0 if it is below ``least``."""
    every = known.names_from(least)
    found = 0 if every is None else every - (name in known.dynamic_keys)
    return found if found >= least else 0


def requested_later(inventory: Inventory, name: str) -> int:
    """Return the number of networks without an id that are requested after network ``name``."""
    waiting = inventory.derived(_waiting, *NETWORK_KINDS)
    return len(waiting) - waiting[name] - 1 if name in waiting else 0


def _waiting(inventory: Inventory) -> Mapping[str, int]:
    """The names of requested networks without an id, each with its number in the order of requests."""
    known = inventory.followed(declared, *NETWORK_KINDS).networks
    networks = (known.get(id(obj)) for obj in inventory.requested)
    names = dict.fromkeys(each.name for each in networks if each is not None and recorded_id(each) is None)
    return {name: number for number, name in enumerate(names)}


def dynamic_keys_of_others(known: Census, name: str, least: int = 0) -> int:
    """Return the number of dynamic keys of networks with other names, 0 if it is below ``least``."""
    every = known.dynamic_keys_from(least)
    found = 0 if every is None else every - known.dynamic_keys.get(name, 0)
    return found if found >= least else 0


def _from(least: int, number: int) -> int | None:
    return number if number >= least else None


def census(inventory: Inventory) -> Census:
    """Return the census of an inventory; unknown kinds contribute nothing."""
    return inventory.followed(_census, *NETWORK_KINDS)


def interconnects(inventory: Inventory) -> int:
    """Return the number of known interconnects of user-defined networks; each takes one dynamic key."""
    return len(inventory.objects(CLUSTER_NETWORK_CONNECT) or ())


def mangled(name: str) -> str:
    """Return the prefix of the names of network ``name``'s OVN objects (ovn-kubernetes, ``GetNetworkScopedName``)."""
    return name.replace("-", ".").replace("/", ".") + "_"


def same_source(one: ObjectRef, other: ObjectRef) -> bool:
    """Whether one object declares both networks."""
    return (one.kind, one.namespace, one.name) == (other.kind, other.namespace, other.name)


class _Holding(NamedTuple):
    """The facts of one object about a network: its name, prefix of OVN names, id, keys and number of dynamic keys."""

    name: str
    prefix: str
    network: Network | None
    number: int | None
    keys: tuple[int, ...]
    takes: int


class _Tally(NamedTuple):
    """The census of what objects hold, by their ``id()``."""

    held: Mapping[int, _Holding]
    census: Census


def _census(now: ObservedObjects, _: object) -> Census:
    return now.followed(_tally, *NETWORK_KINDS).census


_NOBODY: Final = _Tally(
    {},
    Census({}, {}, {}, {DEFAULT_NETWORK_ID: (DEFAULT_NETWORK,)}, {BASE_TUNNEL_KEY: (DEFAULT_NETWORK,)}, 0),
)


def _tally(now: ObservedObjects, before: _Tally | None) -> _Tally:
    """Follow the holdings: only what concerns changed ones is counted again."""
    held, (former, known) = now.followed(_holdings, *NETWORK_KINDS), before or _NOBODY
    if [key for key in former if key in held] != [key for key in held if key in former]:
        # the order of values follows that of objects
        former, known = _NOBODY
    changed = [each for key, each in held.items() if former.get(key) is not each]
    changed += [each for key, each in former.items() if held.get(key) is not each]
    names = {each.name for each in changed}
    prefixes = {each.prefix for each in changed}
    numbers = {each.number for each in changed if each.number is not None}
    keys = {key for each in changed for key in each.keys}
    every = [
        each
        for each in held.values()
        if each.name in names or each.prefix in prefixes or each.number in numbers or not keys.isdisjoint(each.keys)
    ]
    ids = ((each.number, each.name) for each in every if each.number is not None)
    tunnels = ((key, each.name) for each in every for key in each.keys)
    takes = again(grouped, {}, ((each.name, each.takes) for each in every), names)
    dynamic = {**known.dynamic_keys, **{name: max(values) for name, values in takes.items()}}
    for name in names - takes.keys():
        dynamic.pop(name, None)
    census = Census(
        again(grouped, known.declared, ((each.name, each.network) for each in every if each.network), names),
        dynamic,
        again(distinct, known.prefixes, ((each.prefix, each.name) for each in every), prefixes),
        again(distinct, known.ids, chain(_DEFAULT_ID, ids), numbers),
        again(distinct, known.keys, chain(_DEFAULT_KEY, tunnels), keys),
        sum(dynamic.values()),
    )
    return _Tally(held, census)


_DEFAULT_ID: Final = ((DEFAULT_NETWORK_ID, DEFAULT_NETWORK),)
_DEFAULT_KEY: Final = ((BASE_TUNNEL_KEY, DEFAULT_NETWORK),)


def _holdings(now: ObservedObjects, before: Mapping[int, _Holding] | None) -> dict[int, _Holding]:
    """What objects say about networks by their ``id()``: declarations first, then attachments that were rendered from
    them. Unchanged objects are not read again.
    """
    earlier = before or {}
    known = now.followed(declared, *NETWORK_KINDS)
    found = {
        key: held if (held := earlier.get(key)) is not None and held.network is network else _declared(network)
        for key, network in known.networks.items()
        if network is not None
    }
    for obj in now.objects(NAD) if known.rendered else ():
        owner = known.rendered.get(id(obj))
        if owner is not None:
            held = earlier.get(id(obj))
            same = held is not None and held.network is None
            found[id(obj)] = held if held is not None and same else _rendered(obj, owner.network_name)
    return found


def _declared(network: Network) -> _Holding:
    takes = demand(transit_router=network.needs_transit_subnet).dynamic
    return _Holding(network.name, mangled(network.name), network, recorded_id(network), recorded_keys(network), takes)


def _rendered(obj: JsonObject, name: str) -> _Holding:
    """Name, id and keys on an attachment that OVN-Kubernetes rendered."""
    reader = Reader()
    number = reader.network_id(*annotation(obj, UPSTREAM_NETWORK_ID))
    keys = reader.tunnel_keys(*annotation(obj, UPSTREAM_TUNNEL_KEYS))
    switch = () if keys or number is None else (switch_tunnel_key(number),)
    return _Holding(name, mangled(name), None, number, keys or switch, len(keys[1:]))


def layer2_primaries(inventory: Inventory) -> tuple[str, ...]:
    """Return the names of all primary Layer2 networks, sorted."""
    return inventory.followed(_layer2_primaries, *NETWORK_KINDS)


def _layer2_primaries(now: ObservedObjects, _: object) -> tuple[str, ...]:
    read = now.followed(declared, *NETWORK_KINDS).networks.values()
    return tuple(sorted({each.name for each in read if each is not None and each.needs_transit_subnet}))
