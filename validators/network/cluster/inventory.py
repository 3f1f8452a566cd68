"""Everything that a view knows, read once: what rules over many objects ask, and what is derived from it.

A judgement may ask about one network among ten thousand. What has to be looked up fast is therefore derived from the
objects of some kinds once, and again only when these objects have changed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast
from weakref import WeakKeyDictionary, ref

from validators.base.json_types import JsonObject
from validators.network.cluster.incremental import Changes, Follower, ObservedObjects, Seen, Step
from validators.network.cluster_view import CUDN, NAD, UDN, ClusterView, GroupKind, ObjectsView
from validators.network.declared.network_of import network_of
from validators.network.declared.parse_operator import ref_of
from validators.network.model import Network
from validators.network.parse_values import dig

T = TypeVar("T")

NETWORK_KINDS: Final = (CUDN, UDN, NAD)
"""The kinds that declare networks other than the default one."""
MOST_DECLARED: Final = 50_000
"""How many objects are read for the networks that they declare: more than ten times those that there are ids for."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What the first `MOST_DECLARED` objects declare that are not rendered from others.

    ``networks``: the network of each of them by its ``id()``, None where it cannot be read. ``count``: how many there
    are, those beyond as well.
    """

    networks: Mapping[int, Network | None]
    count: int

    @property
    def is_whole(self) -> bool:
        """Whether all of them are read."""
        return self.count <= MOST_DECLARED


class Inventory:
    """A view and what was derived from it. Made by `inventory_of`, so that one view has one."""

    def __init__(self, view: ClusterView) -> None:
        # The inventory is found by its view; a strong reference from here would keep the view forever.
        self._view = ref(view)
        self._closed = isinstance(view, ObjectsView)
        self._derived: dict[Callable[[Inventory], Any], tuple[Seen, Any]] = {}
        self._follower = Follower(closed=self._closed)

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        """Return all objects of ``kind``, or None when they are not known."""
        view = self._view()
        return None if view is None else view.objects(kind)

    def knows(self, *kinds: GroupKind) -> bool:
        """Whether the objects of all ``kinds`` are known."""
        return all(self.objects(kind) is not None for kind in kinds)

    def knows_networks(self) -> bool:
        """Whether the objects of some kind are known that declares networks other than the default one."""
        # every judgement asks, so without a generator
        return self.objects(CUDN) is not None or self.objects(UDN) is not None or self.objects(NAD) is not None

    def derived(self, build: "Callable[[Inventory], T]", *kinds: GroupKind) -> T:
        """Return ``build(self)``, kept until objects of ``kinds`` change; ``build`` must look at no others.

        ``build`` has to be a named function of a module: it is the key.
        """
        kept = self._derived.get(build)
        # a closed world never changes
        if kept is not None and (self._closed or self._same(kept[0])):
            return cast(T, kept[1])
        # what is seen first is never newer than what is built on it, so that a change meanwhile is not missed
        seen = tuple((kind, self.objects(kind)) for kind in kinds)
        made = build(self)
        self._derived[build] = (seen, made)
        return made

    def followed(self, step: Step[T], *kinds: GroupKind) -> T:
        """Return what ``step`` makes of the objects of ``kinds``, of what it made before and of what changed since.

        ``step`` has to be a named function of a module, as for `derived`.
        """
        kept = self._follower.newest(step)
        if kept is not None and (self._closed or self._same(kept[0])):
            return kept[1]
        return self._follower.at(step, tuple((kind, self.objects(kind)) for kind in kinds))

    def _same(self, seen: Seen) -> bool:
        """A live view hands out another tuple when objects have changed, and a list tells nothing."""
        view = self._view()
        if view is None:
            return False
        for kind, before in seen:
            now = view.objects(kind)
            if now is not before or (now is not None and not isinstance(now, tuple)):
                return False
        return True

    def networks(self) -> tuple[Network, ...] | None:
        """Return the networks of all (C)UDNs and of attachments that somebody wrote, or None when none is known.

        What cannot be read is left out, and what comes after the first `MOST_DECLARED` objects. The default network is
        not among them.
        """
        if not self.knows_networks():
            return None
        return self.followed(_networks, *NETWORK_KINDS)

    def declaring(self) -> int:
        """Return how many objects there are that may declare a network, those beyond `MOST_DECLARED` as well."""
        return self.followed(declared, *NETWORK_KINDS).count


# Several requests at once may derive the same: the last one is kept, and all are equal.
_KNOWN: Final[WeakKeyDictionary[ClusterView, Inventory]] = WeakKeyDictionary()


def inventory_of(view: ClusterView) -> Inventory:
    """Return the inventory of ``view``: the same one every time, as long as the view lives."""
    known = _KNOWN.get(view)
    if known is None:
        known = _KNOWN[view] = Inventory(view)
    return known


def is_rendered(obj: JsonObject) -> bool:
    """Whether a controller made the object from another one: attachments of a (C)UDN are."""
    owners = dig(obj, "metadata", "ownerReferences")
    return isinstance(owners, list) and any(dig(owner, "controller") is True for owner in owners)


def same_object(obj: JsonObject, other: JsonObject) -> bool:
    """Whether both are states of one object: equal kind, namespace and name."""
    one, two = ref_of(obj), ref_of(other)
    group = one.api_version.partition("/")[0] == two.api_version.partition("/")[0]
    return group and (one.kind, one.namespace, one.name) == (two.kind, two.namespace, two.name)


def declared(now: ObservedObjects, before: Declared | None, changes: Changes | None) -> Declared:
    """Follow the objects of `NETWORK_KINDS`: return what they declare. What did not change is not read again."""
    if before is not None and changes is not None and before.is_whole:
        networks, number = dict(before.networks), before.count
        for change in changes.values():
            come = [obj for obj in change.come if not is_rendered(obj)]
            number += len(come) - sum(not is_rendered(obj) for obj in change.gone)
            for obj in change.gone:
                networks.pop(id(obj), None)
            networks.update((id(obj), network_of(obj).network) for obj in come)
        if number <= MOST_DECLARED:
            return Declared(networks, number)
    known = {} if before is None else before.networks
    found: dict[int, Network | None] = {}
    number = 0
    for kind in NETWORK_KINDS:
        for obj in now.objects(kind):
            if is_rendered(obj):
                continue
            if number < MOST_DECLARED:
                found[id(obj)] = known[id(obj)] if id(obj) in known else network_of(obj).network
            number += 1
    return Declared(found, number)


def _networks(now: ObservedObjects, _: object, __: object) -> tuple[Network, ...]:
    known = now.followed(declared, *NETWORK_KINDS).networks
    read = (known.get(id(obj)) for kind in NETWORK_KINDS for obj in now.objects(kind))
    return tuple(network for network in read if network is not None)
