"""The primary network of each namespace of a view."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.incremental import ObservedObjects
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Declared, declared
from ovnguard.validators.network.cluster.multimap import grouped
from ovnguard.validators.network.cluster.namespace_index import (
    Namespace,
    Namespaces,
    known_namespaces,
    pairs_of,
    requirements,
)
from ovnguard.validators.network.cluster_view import CUDN, NAD, NAMESPACE, UDN
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import DEFAULT_NETWORK, PRIMARY, Network
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.selectors import Labels, matches

# Rules look for a second owner; further owners would only take memory.
_MOST_OWNERS: Final = 2
# A selector of more namespaces is matched again: thousands of those that select all would take too much memory.
_FEW: Final = 16
_ANY: Final = ("", None)


def selector_of(obj: JsonObject) -> object:
    """Return the namespaceSelector of a ClusterUserDefinedNetwork."""
    return dig(obj, "spec", "namespaceSelector")


def is_primary(network: Network | None) -> bool:
    """Whether this is a primary network other than the default one."""
    return network is not None and network.role is PRIMARY and network.name != DEFAULT_NETWORK


_Pair: TypeAlias = tuple[str, str | None]
_Selecting: TypeAlias = tuple[int, Network, object]


class Selecting(NamedTuple):
    """Primary networks of ClusterUserDefinedNetworks, by a label that every selected namespace has."""

    by_label: Mapping[_Pair, tuple[_Selecting, ...]]

    def of(self, labels: Labels) -> Iterator[Network]:
        """Iterate over those that select a namespace with ``labels``; unordered."""
        found = {each[0]: each for pair in (_ANY, *pairs_of(labels)) for each in self.by_label.get(pair, ())}
        return (network for _, network, selector in found.values() if matches(selector, labels))


def selecting(now: ObservedObjects, _: object) -> Selecting:
    """Index the networks of ClusterUserDefinedNetworks."""
    return Selecting(grouped(_entries(now.followed(declared, *NETWORK_KINDS), now.objects(CUDN))))


def _entries(known: Declared, objects: Iterable[JsonObject]) -> Iterator[tuple[_Pair, _Selecting]]:
    for obj in objects:
        # rendered objects and those beyond the limit are not included
        network = known.networks[id(obj)] if id(obj) in known.networks else network_of(obj).network
        if network is not None and is_primary(network):
            selector = selector_of(obj)
            for pair in _sure(obj):
                yield pair, (id(obj), network, selector)


class Selected(NamedTuple):
    """The names of the namespaces that each ClusterUserDefinedNetwork selects, by its ``id()``, where they are few.

    ``spaces`` are the namespaces that they are chosen from, ``sure`` the labels of which each of them has one.
    """

    spaces: Namespaces
    names: Mapping[int, frozenset[str]]
    sure: Mapping[int, frozenset[_Pair]]


def selected(now: ObservedObjects, before: Selected | None) -> Selected:
    """Follow selectors and namespaces: an unchanged selector is matched with changed namespaces alone."""
    spaces = now.followed(known_namespaces, NAMESPACE)
    known = {} if before is None else before.names
    changed = frozenset[str]() if before is None else _changed(before.spaces.by_name, spaces.by_name)
    came = [spaces.by_name[name] for name in changed if name in spaces.by_name]
    pairs = {pair for each in came for pair in (_ANY, *pairs_of(each.labels))}
    found: dict[int, frozenset[str]] = {}
    sure: dict[int, frozenset[_Pair]] = {}
    for obj in now.objects(CUDN):
        key = id(obj)
        names = known.get(key)
        wanted = sure[key] = before.sure[key] if before is not None and key in before.sure else _sure(obj)
        if names is None:
            names = frozenset(spaces.names(selector_of(obj), frozenset()))
        elif changed and not (wanted.isdisjoint(pairs) and names.isdisjoint(changed)):
            names = names - changed | {each.name for each in came if matches(selector_of(obj), each.labels)}
        if len(names) <= _FEW:
            found[key] = names
    return Selected(spaces, found, sure)


def _sure(obj: JsonObject) -> frozenset[_Pair]:
    """Labels of which every selected namespace has one."""
    return frozenset(next((pairs for pairs, wanted in requirements(selector_of(obj)) if wanted), [_ANY]))


def _changed(before: Mapping[str, Namespace], now: Mapping[str, Namespace]) -> frozenset[str]:
    if before is now:
        return frozenset()
    return frozenset((*(before.keys() - now.keys()), *(name for name in now if before.get(name) is not now[name])))


def owners(now: ObservedObjects, _: object) -> Mapping[str, tuple[Network, ...]]:
    """Return the first two primary networks of each namespace, those of CUDNs last."""
    known = now.followed(declared, *NETWORK_KINDS)
    own = grouped(_own(now, known))
    shared = _shared(known, now.followed(selected, NAMESPACE, CUDN), now.objects(CUDN))
    return {name: (*own.get(name, ()), *shared.get(name, ()))[:_MOST_OWNERS] for name in (*own, *shared)}


def _shared(known: Declared, chosen: Selected, objects: Sequence[JsonObject]) -> dict[str, tuple[Network, ...]]:
    """Per namespace, the first two ClusterUserDefinedNetworks that select it."""
    networks = [known.networks.get(id(obj)) for obj in objects]
    # of several manifests of one network, the last selector counts
    last = {
        ref_of(obj).name if network is None else network.source.name: obj
        for obj, network in zip(objects, networks, strict=True)
    }
    shared: dict[str, tuple[Network, ...]] = {}
    full: set[str] = set()
    for network in networks:
        if network is None or not is_primary(network):
            continue
        obj = last[network.source.name]
        few = chosen.names.get(id(obj))
        for name in chosen.spaces.names(selector_of(obj), full) if few is None else few - full:
            shared[name] = (*shared.get(name, ()), network)
            if len(shared[name]) == _MOST_OWNERS:
                full.add(name)
    return shared


def _own(now: ObservedObjects, known: Declared) -> Iterator[tuple[str, Network]]:
    """Networks that are declared in one namespace."""
    for obj in (*now.objects(UDN), *now.objects(NAD)):
        network = known.networks.get(id(obj))
        if network is not None and is_primary(network):
            yield network.source.namespace, network
