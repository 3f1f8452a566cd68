"""Seniority of objects: a cluster view without later networks, so that no network is refused for a later one.

Webhooks may admit two networks concurrently before either knows the other's. Afterwards every zone sees both, and all
zones must keep the same one: the network with the earlier creationTimestamp, and among equals (timestamps count
seconds) the first by kind, namespace and name.
"""

from collections.abc import Iterable, Sequence
from operator import is_
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import CUDN, NAD, UDN, ClusterView, GroupKind
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.parse_values import dig

_KINDS: Final = (CUDN, UDN, NAD)


class OlderObjectsView:
    """The objects of ``view``, but of (C)UDNs and attachments only ``obj`` and older ones; those of the first read."""

    def __init__(self, view: ClusterView, obj: JsonObject) -> None:
        self._view = view
        self._last = _order(obj)
        self._known: dict[GroupKind, Sequence[JsonObject] | None] = {}

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        """Return the objects of ``kind``, or None when they are unknown."""
        if kind not in self._known:
            found = self._view.objects(kind)
            if found is not None and kind in _KINDS:
                found = tuple(each for each in found if _order(each) <= self._last)
            self._known[kind] = found
        return self._known[kind]

    def equals(self, other: ClusterView) -> bool:
        """Return whether ``other`` has the same objects of every kind that was asked for."""
        return all(_same(objects, other.objects(kind)) for kind, objects in self._known.items())


def _same(one: Sequence[JsonObject] | None, other: Sequence[JsonObject] | None) -> bool:
    if one is None or other is None or one is other:
        return one is other
    return len(one) == len(other) and all(map(is_, one, other))


def by_age(objects: Iterable[JsonObject]) -> list[JsonObject]:
    """Return objects in order of creation, by name within the same second."""
    return sorted(objects, key=_age)


def _age(obj: JsonObject) -> tuple[str, str]:
    metadata = obj["metadata"]
    return (str(metadata.get("creationTimestamp") or ""), str(metadata.get("name", "")))


def _order(obj: JsonObject) -> tuple[str, int, str, str]:
    kind, metadata = group_kind_of(obj), obj.get("metadata")
    return (
        str(dig(metadata, "creationTimestamp") or ""),
        _KINDS.index(kind) if kind in _KINDS else len(_KINDS),
        str(dig(metadata, "namespace") or ""),
        str(dig(metadata, "name") or ""),
    )
