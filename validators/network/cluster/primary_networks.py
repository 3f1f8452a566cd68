"""The primary network of each namespace of a view."""

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Final, NamedTuple, TypeAlias

from validators.base.json_types import JsonObject
from validators.network.cluster.incremental import NOTHING, Change, Changes, ObservedObjects
from validators.network.cluster.inventory import NETWORK_KINDS, Declared, declared, is_rendered
from validators.network.cluster.multimap import Groups, Token, as_they_are
from validators.network.cluster.namespace_index import Namespaces, known_namespaces, pairs_of, requirements
from validators.network.cluster.network_index import rendered_name
from validators.network.cluster_view import CUDN, NAD, NAMESPACE, UDN, GroupKind
from validators.network.declared.network_of import network_of
from validators.network.declared.parse_operator import ref_of
from validators.network.declared.parse_udn import CUDN_PREFIX
from validators.network.model import DEFAULT_NETWORK, PRIMARY, Network
from validators.network.parse_values import dig
from validators.network.selectors import Labels, matches

# Rules look for a second owner; further owners would only take memory.
_MOST_OWNERS: Final = 2
# Up to this number, networks are looked up namespace by namespace; beyond it, starting from the networks is faster.
_FEW: Final = 64
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

    known: Declared
    by_label: Groups[_Pair, _Selecting, tuple[_Selecting, ...]]

    def of(self, labels: Labels) -> Iterator[tuple[int, Network]]:
        """Iterate over those that select a namespace with ``labels``, with the ``id()`` of their objects; unordered."""
        shown = self.by_label.shown
        found = {each[0]: each for pair in (_ANY, *pairs_of(labels)) for each in shown.get(pair, ())}
        return ((identity, network) for identity, network, selector in found.values() if matches(selector, labels))


def selecting(now: ObservedObjects, before: Selecting | None, changes: Changes | None) -> Selecting:
    """Follow the networks of ClusterUserDefinedNetworks."""
    known = now.followed(declared, *NETWORK_KINDS)
    if before is None or changes is None:
        groups: Groups[_Pair, _Selecting, tuple[_Selecting, ...]] = Groups(as_they_are, (CUDN,))
        return Selecting(known, groups.after(now, (), _entries(known, now.objects(CUDN))))
    change = changes.get(CUDN, NOTHING)
    gone = [(pair, token) for pair, token, _ in _entries(before.known, change.gone)]
    return Selecting(known, before.by_label.after(now, gone, _entries(known, change.come)))


def _entries(known: Declared, objects: Iterable[JsonObject]) -> Iterator[tuple[_Pair, Token, _Selecting]]:
    for obj in objects:
        # rendered objects and those beyond the limit are not included
        network = known.networks[id(obj)] if id(obj) in known.networks else network_of(obj).network
        if network is not None and is_primary(network):
            selector = selector_of(obj)
            sure = next((pairs for pairs, wanted in requirements(selector) if wanted), [_ANY])
            for pair in dict.fromkeys(sure):
                yield pair, (0, id(obj)), (id(obj), network, selector)


_Owner: TypeAlias = tuple[int, Network]
# Networks of one namespace: declared there, or implied by a rendered attachment whose owner is unknown.
_LANES: Final = (UDN, NAD, NAD)
_UNEXPLAINED: Final = 2


class Owners(NamedTuple):
    """``shown``: per namespace, the first two of its primary networks. The other fields are its sources.

    ``own``: networks of one namespace. ``shared``: per namespace, the first two ClusterUserDefinedNetworks that select
    it. ``crowded``: namespaces that more than two may select. ``selectors``: their selectors, by name.
    """

    known: Declared
    spaces: Namespaces
    own: Groups[str, Network, tuple[Network, ...]]
    shared: Mapping[str, tuple[_Owner, ...]]
    crowded: Set[str]
    selectors: Mapping[str, object]
    is_distinct: bool
    shown: Mapping[str, tuple[Network, ...]]


def owners(now: ObservedObjects, before: Owners | None, changes: Changes | None) -> Owners:
    """Follow namespaces and networks: return which primary networks namespaces have, those of CUDNs last."""
    known = now.followed(declared, *NETWORK_KINDS)
    spaces = now.followed(known_namespaces, NAMESPACE)
    if now.tells_changes:
        # derived now, so that the first change need not
        now.followed(selecting, *NETWORK_KINDS)
    if before is not None and changes is not None and before.is_distinct and before.known.is_whole and known.is_whole:
        made = _after(now, known, spaces, before, changes)
        if made is not None:
            return made
    return _anew(now, known, spaces)


def _anew(now: ObservedObjects, known: Declared, spaces: Namespaces) -> Owners:
    objects = now.objects(CUDN)
    selectors = {ref_of(obj).name: selector_of(obj) for obj in objects}
    shared: dict[str, tuple[_Owner, ...]] = {}
    crowded: set[str] = set()
    for obj in objects:
        network = known.networks.get(id(obj))
        if network is None or not is_primary(network):
            continue
        for name in spaces.names(selectors.get(network.source.name), crowded):
            held = shared.get(name, ())
            if len(held) < _MOST_OWNERS:
                shared[name] = (*held, (id(obj), network))
            else:
                crowded.add(name)
    groups: Groups[str, Network, tuple[Network, ...]] = Groups(as_they_are, _LANES)
    own = groups.after(now, (), _own(now, known, {kind: now.objects(kind) for kind in NETWORK_KINDS}))
    shown = {name: _shown(own, shared, name) for name in (*own.shown, *shared)}
    return Owners(known, spaces, own, shared, crowded, selectors, len(selectors) == len(objects), shown)


def _after(
    now: ObservedObjects, known: Declared, spaces: Namespaces, before: Owners, changes: Changes
) -> Owners | None:
    """The owners after some changes; None if they concern too many namespaces, or networks had equal names."""
    change = changes.get(CUDN, NOTHING)
    selectors = dict(before.selectors)
    for obj in change.gone:
        del selectors[ref_of(obj).name]
    for obj in change.come:
        name = ref_of(obj).name
        if name in selectors:
            return None
        selectors[name] = selector_of(obj)
    found = _shared(now, known, spaces, before, changes)
    if found is None:
        return None
    shared, crowded, touched = found
    gone = list(_own(now, before.known, {kind: each.gone for kind, each in changes.items()}))
    come = list(_own(now, known, {kind: each.come for kind, each in changes.items()}))
    own = before.own.after(now, [(name, token) for name, token, _ in gone], come)
    shown = dict(before.shown)
    for name in (*touched, *(each[0] for each in gone), *(each[0] for each in come)):
        held = _shown(own, shared, name)
        if held:
            shown[name] = held
        else:
            shown.pop(name, None)
    return Owners(known, spaces, own, shared, crowded, selectors, True, shown)


_Shared: TypeAlias = tuple[Mapping[str, tuple[_Owner, ...]], Set[str], Set[str]]


def _shared(
    now: ObservedObjects, known: Declared, spaces: Namespaces, before: Owners, changes: Changes
) -> _Shared | None:
    """The CUDNs of each namespace after some changes, the crowded namespaces, and the examined ones."""
    change = changes.get(CUDN, NOTHING)
    gone = {id(obj) for obj in change.gone if is_primary(before.known.networks.get(id(obj)))}
    left = {name for obj in change.gone if id(obj) in gone for name in before.spaces.names(selector_of(obj), set())}
    added: dict[str, list[_Owner]] = {}
    for obj in change.come:
        network = known.networks.get(id(obj))
        if network is not None and is_primary(network):
            for name in spaces.names(selector_of(obj), set()):
                added.setdefault(name, []).append((id(obj), network))
    # relabelled, removed and new namespaces may have other networks, and so may crowded ones
    changed = _relabelled(before.spaces, spaces, changes.get(NAMESPACE, NOTHING))
    anew = changed | (before.crowded & (left | added.keys()))
    if len(anew) > _FEW:
        return None
    shared, crowded = dict(before.shared), set(before.crowded)
    by_label = now.followed(selecting, *NETWORK_KINDS)
    for name in sorted(left | added.keys() | anew):
        if name in anew:
            space = spaces.by_name.get(name)
            held = [] if space is None else [each for each in by_label.of(space.labels) if each[0] in known.networks]
        else:
            held = [each for each in shared.get(name, ()) if each[0] not in gone] + added.get(name, [])
        if len(held) > 1:
            held.sort(key=lambda each: now.place(CUDN, each[0]))
        _put(shared, crowded, name, held)
    return shared, crowded, left | added.keys() | anew


def _put(shared: dict[str, tuple[_Owner, ...]], crowded: set[str], name: str, held: list[_Owner]) -> None:
    crowded.discard(name)
    if len(held) > _MOST_OWNERS:
        crowded.add(name)
    if held:
        shared[name] = tuple(held[:_MOST_OWNERS])
    else:
        shared.pop(name, None)


def _relabelled(before: Namespaces, now: Namespaces, change: Change) -> set[str]:
    names = {ref_of(obj).name for obj in (*change.gone, *change.come)}
    return {name for name in names if before.by_name.get(name) != now.by_name.get(name)}


def _shown(
    own: Groups[str, Network, tuple[Network, ...]], shared: Mapping[str, tuple[_Owner, ...]], name: str
) -> tuple[Network, ...]:
    return (*own.shown.get(name, ()), *(network for _, network in shared.get(name, ())))[:_MOST_OWNERS]


def _own(
    now: ObservedObjects, known: Declared, objects: Mapping[GroupKind, Iterable[JsonObject]]
) -> Iterator[tuple[str, Token, Network]]:
    for lane, kind in enumerate(_LANES[:_UNEXPLAINED]):
        for obj in objects.get(kind, ()):
            network = known.networks.get(id(obj))
            if network is not None and is_primary(network):
                yield network.source.namespace or "default", (lane, id(obj)), network
    for obj in objects.get(NAD, ()):
        # where its owner is known, the owner counts
        if is_rendered(obj) and not now.knows(_owner_kind(obj)):
            network = network_of(obj).network
            if network is not None and is_primary(network):
                yield network.source.namespace or "default", (_UNEXPLAINED, id(obj)), network


def _owner_kind(obj: JsonObject) -> GroupKind:
    return CUDN if rendered_name(obj).startswith(CUDN_PREFIX) else UDN
