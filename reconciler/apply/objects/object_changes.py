"""The changes that lead from the observed objects to the desired ones.

Nothing that somebody else made is changed or deleted. Objects that OVN-Kubernetes' cluster manager made are replaced
only where their networks are adopted; until then they count as they are, so that nothing exists twice.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from ovnguard.reconciler.apply.objects.object_owners import Maker, identity_of, maker_of
from ovnguard.reconciler.apply.objects.same_specs import SameSpecs
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.parse_values import dig, mapping


@dataclass(frozen=True, slots=True)
class DesiredObject:
    """A desired object, and the networks that need it."""

    document: JsonObject
    networks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Replacement:
    """An observed object and what is written in its place."""

    observed: JsonObject
    desired: DesiredObject
    body: JsonObject


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A desired object that is not written, because ``observed``, which ``maker`` made, is in its place."""

    desired: DesiredObject
    observed: JsonObject
    maker: Maker


@dataclass(frozen=True, slots=True)
class ObjectChanges:
    """What to write, what to delete, and what is in the way."""

    create: tuple[DesiredObject, ...] = ()
    replace: tuple[Replacement, ...] = ()
    delete: tuple[JsonObject, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()


def object_changes(
    desired: Iterable[DesiredObject],
    observed: Sequence[JsonObject],
    adopted: Collection[str] = (),
    owner: JsonObject | None = None,
    specs: SameSpecs | None = None,
) -> ObjectChanges:
    """Return the changes from ``observed``, all objects of the kinds, to ``desired``.

    ``adopted`` are the networks whose objects are replaced though the cluster manager made them. ``owner`` is the
    reference to the object with which ours go, ``specs`` what earlier calls compared.
    """
    specs = specs or SameSpecs()
    places = _by_place(observed)
    create, replace, obstacles = [], [], []
    used: set[int] = set()
    for wanted in desired:
        document = wanted.document
        in_place = [obj for key in _places(document) for obj in places.get(key, ()) if id(obj) not in used]
        if read := document["metadata"].get("uid"):
            # the plan found it and keeps it
            used.update(id(obj) for obj in in_place if obj["metadata"].get("uid") == read)
            continue
        usable = [obj for obj in in_place if _usable(maker_of(obj), wanted, adopted)]
        if usable:
            kept = min(usable, key=_age)
            used.add(id(kept))
            body = _body(document, kept, owner)
            if not _same(body, kept, specs):
                replace.append(Replacement(kept, wanted, body))
        elif blocking := _blocking(in_place, document):
            obstacles.append(Obstacle(wanted, blocking, maker_of(blocking)))
        else:
            create.append(DesiredObject(_body(document, None, owner), wanted.networks))
    specs.forget_others({str(obj["metadata"].get("uid")) for obj in observed})
    left = (obj for obj in observed if id(obj) not in used and _is_ours(obj))
    return ObjectChanges(tuple(create), tuple(replace), tuple(left), tuple(obstacles))


def _by_place(objects: Iterable[JsonObject]) -> Mapping[tuple[str, ...], Sequence[JsonObject]]:
    places: dict[tuple[str, ...], list[JsonObject]] = {}
    for obj in objects:
        for key in _places(obj):
            places.setdefault(key, []).append(obj)
    return places


def _places(obj: JsonObject) -> list[tuple[str, ...]]:
    """The name of an object and, if it differs, its identity."""
    kind, namespace, identity = identity_of(obj)
    return list(dict.fromkeys([(kind, namespace, str(obj["metadata"]["name"])), (kind, namespace, identity)]))


def _usable(maker: Maker, wanted: DesiredObject, adopted: Collection[str]) -> bool:
    return maker is Maker.OURS or (
        maker is Maker.CLUSTER_MANAGER and any(network in adopted for network in wanted.networks)
    )


def _blocking(in_place: Sequence[JsonObject], document: JsonObject) -> JsonObject | None:
    """What has the name, or does the same for the cluster manager. A stranger's claim to an identity proves nothing."""
    name = document["metadata"]["name"]
    named = (obj for obj in in_place if obj["metadata"]["name"] == name)
    manager = (obj for obj in in_place if maker_of(obj) is Maker.CLUSTER_MANAGER)
    return next(chain(named, manager), None)


def _is_ours(obj: JsonObject) -> bool:
    return maker_of(obj) is Maker.OURS and not obj["metadata"].get("deletionTimestamp")


def _age(obj: JsonObject) -> tuple[bool, str, str]:
    """Of several objects with one identity, the oldest stays; one that is being deleted comes last."""
    metadata = obj["metadata"]
    return bool(metadata.get("deletionTimestamp")), str(metadata.get("creationTimestamp")), str(metadata["name"])


def _body(document: JsonObject, observed: JsonObject | None, owner: JsonObject | None) -> JsonObject:
    """What is written: the document in full, in an object that keeps its name, labels and annotations of others."""
    before: JsonObject = {} if observed is None else observed["metadata"]
    metadata = {key: value for key, value in before.items() if key != "managedFields"}
    metadata = {**document["metadata"], **metadata}
    for key in ("labels", "annotations"):
        merged = {**mapping(before, key), **mapping(document["metadata"], key)}
        metadata |= {key: merged} if merged else {}
    owners = before.get("ownerReferences") or []
    if owner is not None and owner not in owners:
        metadata["ownerReferences"] = [*owners, owner]
    return {**(observed or {}), **document, "metadata": metadata}


def _same(body: JsonObject, observed: JsonObject, specs: SameSpecs) -> bool:
    one, other = body["metadata"], observed["metadata"]
    if any(dig(one, key) != dig(other, key) for key in ("labels", "annotations", "ownerReferences")):
        return False
    return specs.same(body.get("spec"), observed)
