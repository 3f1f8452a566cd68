"""The content of a view, read once: the objects that rules query, and the values derived from them.

A judgement may concern one network among ten thousand. Indexes for fast look-ups are therefore derived from the objects
once, and again only after these objects change.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary, ref

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.incremental import Follower, ObservedObjects, Seen, Step
from ovnguard.validators.network.cluster.ownership import (
    OWNER_KINDS,
    HeldOwners,
    OwnerClaim,
    OwnerKey,
    Ownership,
    held_owners,
    ownership,
    plausible_claim,
)
from ovnguard.validators.network.cluster_view import CUDN, NAD, UDN, ClusterView, GroupKind, ObjectsView
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.model import Network

T = TypeVar("T")

NETWORK_KINDS: Final = (CUDN, UDN, NAD)
"""The kinds that declare networks other than the default one."""
MOST_DECLARED: Final = 50_000
"""The maximum number of objects that are read for declared networks: more than ten times the number of ids."""


class Declared(NamedTuple):
    """The networks that the first `MOST_DECLARED` objects declare; attachments that were rendered, or
    presumably were, are ignored.

    ``networks``: the network of each of them by its ``id()``, None where it is invalid. ``total``: the number of all
    such objects, including those beyond the limit. ``rendered``: the owners of the rendered attachments by their
    ``id()``. ``claims``: the `plausible_claim` of every attachment. ``owners``: those that decide about claims.
    ``attachments``: the attachments.
    """

    networks: Mapping[int, Network | None]
    total: int
    rendered: Mapping[int, OwnerKey]
    claims: Mapping[int, OwnerClaim | None]
    owners: HeldOwners
    attachments: Sequence[JsonObject]

    @property
    def is_whole(self) -> bool:
        """Whether all objects were read."""
        return self.total <= MOST_DECLARED


class Inventory:
    """A view and the values derived from it. Only `inventory_of` creates it, so that each view has one."""

    def __init__(self, view: ClusterView) -> None:
        # The view is the weak key of its inventory; a strong reference from here would keep the view alive forever.
        self._view = ref(view)
        self._closed = isinstance(view, ObjectsView)
        self.requested: Sequence[JsonObject] = view.requested if isinstance(view, ObjectsView) else ()
        """The objects that the cluster does not have yet, in the order of their requests."""
        self._derived: dict[Callable[[Inventory], Any], tuple[Seen, Any]] = {}
        self._follower = Follower(closed=self._closed)

    @property
    def is_closed(self) -> bool:
        """Whether the view never changes."""
        return self._closed

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        """Return all objects of ``kind``, or None when they are unknown."""
        view = self._view()
        return None if view is None else view.objects(kind)

    def knows(self, *kinds: GroupKind) -> bool:
        """Whether the objects of all ``kinds`` are known."""
        return all(self.objects(kind) is not None for kind in kinds)

    def knows_networks(self) -> bool:
        """Whether the objects are known of any kind that declares networks other than the default one."""
        # every judgement calls this, so without a generator
        return self.objects(CUDN) is not None or self.objects(UDN) is not None or self.objects(NAD) is not None

    def derived(self, build: "Callable[[Inventory], T]", *kinds: GroupKind) -> T:
        """Return ``build(self)``, kept until objects of ``kinds`` change; ``build`` must not read other kinds.

        ``build`` must be a named function of a module, because it is the cache key.
        """
        kept = self._derived.get(build)
        # a closed view never changes
        if kept is not None and (self._closed or self._same(kept[0])):
            return cast(T, kept[1])
        # the recorded objects are never newer than the value built from them, so no concurrent change is missed
        seen = tuple((kind, self.objects(kind)) for kind in kinds)
        made = build(self)
        self._derived[build] = (seen, made)
        return made

    def followed(self, step: Step[T], *kinds: GroupKind) -> T:
        """Return the value that ``step`` derives from the objects of ``kinds``, its previous value and the changes
        since.

        ``step`` must be a named function of a module, as for `derived`.
        """
        kept = self._follower.newest(step)
        if kept is not None and (self._closed or self._same(kept[0])):
            return kept[1]
        return self._follower.at(step, tuple((kind, self.objects(kind)) for kind in kinds))

    def _same(self, seen: Seen) -> bool:
        """A live view returns a new tuple after a change; for a list, identity proves nothing."""
        view = self._view()
        if view is None:
            return False
        for kind, before in seen:
            now = view.objects(kind)
            if now is not before or (now is not None and not isinstance(now, tuple)):
                return False
        return True

    def networks(self) -> tuple[Network, ...] | None:
        """Return the networks of all (C)UDNs and of attachments that no controller rendered, or None when no such kind
        is known.

        Invalid objects, objects after the first `MOST_DECLARED` and the default network are not included.
        """
        if not self.knows_networks():
            return None
        return self.followed(_networks, *NETWORK_KINDS)

    def ownership(self, obj: JsonObject) -> Ownership | None:
        """Return whether the claim of an attachment to be rendered holds, or None without a claim."""
        return ownership(obj, self.owners(), whole=not self._closed)

    def owners(self) -> HeldOwners:
        """Return the known (Cluster)UserDefinedNetworks that attachments may be rendered for."""
        return self.followed(held_owners, *OWNER_KINDS)

    def is_rendered(self, obj: JsonObject) -> bool:
        """Return whether OVN-Kubernetes rendered an attachment from a (Cluster)UserDefinedNetwork of the view.

        It presumably did if that is a manifest, which has no uid.
        """
        claim = plausible_claim(obj)
        return claim is not None and self.owners().presume(claim)

    def declaring(self, least: int = 0) -> int | None:
        """Return the number of objects that may declare a network if it is ``least`` or more, else None.

        Those beyond `MOST_DECLARED` are included.
        """
        total = self.followed(declared, *NETWORK_KINDS).total
        return total if total >= least else None


# Concurrent requests may derive the same value: the last one is kept, and all are equal.
_KNOWN: Final[WeakKeyDictionary[ClusterView, Inventory]] = WeakKeyDictionary()


def inventory_of(view: ClusterView) -> Inventory:
    """Return the inventory of ``view``: the same one as long as the view lives."""
    known = _KNOWN.get(view)
    if known is None:
        known = _KNOWN[view] = Inventory(view)
    return known


def adopt(view: ClusterView, inventory: Inventory) -> None:
    """Let ``inventory`` be that of ``view``, as long as the view lives."""
    _KNOWN[view] = inventory


def rendered_among(inventory: Inventory) -> Callable[[JsonObject], bool]:
    """Return `Inventory.is_rendered` for many objects: the attachments of the inventory are not read again."""
    owners, known = inventory.owners(), inventory.followed(declared, *NETWORK_KINDS)
    claims, rendered = known.claims, known.rendered

    def is_rendered(obj: JsonObject) -> bool:
        if id(obj) in claims:
            return id(obj) in rendered
        claim = plausible_claim(obj)
        return claim is not None and owners.presume(claim)

    return is_rendered


def unrendered(inventory: Inventory, objects: Iterable[JsonObject]) -> list[JsonObject]:
    """Return ``objects`` without those attachments of the inventory that were rendered."""
    rendered = inventory.followed(declared, *NETWORK_KINDS).rendered
    return [obj for obj in objects if id(obj) not in rendered]


def declared(now: ObservedObjects, before: Declared | None) -> Declared:
    """Follow the objects of `NETWORK_KINDS`: return what they declare. Unchanged objects are not parsed again."""
    owners = now.followed(held_owners, *OWNER_KINDS)
    read: Mapping[int, Network | None] = {} if before is None else before.networks
    claims, rendered = _rendered(now.objects(NAD), owners, before)
    objects = [obj for kind in NETWORK_KINDS for obj in now.objects(kind) if id(obj) not in rendered]
    networks = {
        id(obj): read[id(obj)] if id(obj) in read else network_of(obj).network for obj in objects[:MOST_DECLARED]
    }
    return Declared(networks, len(objects), rendered, claims, owners, now.objects(NAD))


def _rendered(
    attachments: Sequence[JsonObject], owners: HeldOwners, before: Declared | None
) -> tuple[Mapping[int, OwnerClaim | None], Mapping[int, OwnerKey]]:
    """The claims of the attachments, and the owners of rendered ones."""
    same = before is not None and before.owners is owners
    if before is not None and same and before.attachments is attachments:
        return before.claims, before.rendered
    known: Mapping[int, OwnerClaim | None] = {} if before is None else before.claims
    # whom the same owners had rendered
    sure: Mapping[int, OwnerKey] = before.rendered if before is not None and same else {}
    claims = {id(obj): known[id(obj)] if id(obj) in known else plausible_claim(obj) for obj in attachments}
    rendered = {
        key: claim.key for key, claim in claims.items() if claim is not None and (key in sure or owners.presume(claim))
    }
    return claims, rendered


def _networks(now: ObservedObjects, _: object) -> tuple[Network, ...]:
    known = now.followed(declared, *NETWORK_KINDS).networks
    read = (known.get(id(obj)) for kind in NETWORK_KINDS for obj in now.objects(kind))
    return tuple(network for network in read if network is not None)
