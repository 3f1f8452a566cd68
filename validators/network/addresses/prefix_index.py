"""Finds the subnets that overlap a given one, without a comparison with each.

Two subnets overlap only if one contains the other. The index finds the subnets around a given one by truncating it to
each prefix length in use, and those inside it by bisecting a sorted list.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from typing import Generic, TypeAlias, TypeVar

from validators.network.addresses.spans import Spans
from validators.network.model import IPNetwork

T = TypeVar("T")
_Key: TypeAlias = tuple[int, int, int]


class PrefixIndex(Generic[T]):
    """An immutable index of subnets and their owners. Check ``spans`` first to rule out any overlap cheaply."""

    def __init__(self, entries: Iterable[tuple[IPNetwork, T]]) -> None:
        self._exact: dict[_Key, list[T]] = {}
        self._subnets: dict[_Key, IPNetwork] = {}
        for subnet, owner in entries:
            key = _key(subnet)
            self._subnets[key] = subnet
            self._exact.setdefault(key, []).append(owner)
        self._sorted = sorted(self._exact)
        self._lengths = self._known_lengths()
        self._spans: Spans | None = None

    @property
    def spans(self) -> Spans:
        """All subnets."""
        # built on first use, because most indexes are never queried
        if self._spans is None:
            self._spans = Spans(self._subnets.values())
        return self._spans

    def after(
        self: "PrefixIndex[str]", gone: Iterable[tuple[IPNetwork, str]], come: Iterable[tuple[IPNetwork, str]]
    ) -> "PrefixIndex[str]":
        """Return an index without some of the entries, and with others; entries must be in the order of owners."""
        made = PrefixIndex[str](())
        exact, subnets, order = dict(self._exact), dict(self._subnets), self._sorted.copy()
        for subnet, owner in gone:
            key = _key(subnet)
            left = exact[key].copy()
            left.remove(owner)
            exact[key] = left
            if not left:
                del exact[key], subnets[key], order[bisect_left(order, key)]
        for subnet, owner in come:
            key = _key(subnet)
            if key not in exact:
                insort(order, key)
            exact[key] = [*exact.get(key, ())]
            insort(exact[key], owner)
            subnets[key] = subnet
        made._exact, made._subnets, made._sorted = exact, subnets, order
        made._lengths = made._known_lengths()
        return made

    def _known_lengths(self) -> list[tuple[int, int]]:
        return sorted({(version, length) for version, _, length in self._exact})

    def overlapping(self, subnet: IPNetwork) -> Iterator[tuple[IPNetwork, T]]:
        """Iterate over the entries that overlap ``subnet``: those that contain it, widest first, then those inside."""
        start, bits = int(subnet.network_address), subnet.max_prefixlen
        for version, length in self._lengths:
            if version == subnet.version and length < subnet.prefixlen:
                shift = bits - length
                yield from self._entries((version, start >> shift << shift, length))
        end = start + subnet.num_addresses
        for at in range(bisect_left(self._sorted, (subnet.version, start, 0)), len(self._sorted)):
            key = self._sorted[at]
            if key[0] != subnet.version or key[1] >= end:
                return
            if key[2] >= subnet.prefixlen:
                yield from self._entries(key)

    def _entries(self, key: tuple[int, int, int]) -> Iterator[tuple[IPNetwork, T]]:
        for owner in self._exact.get(key, ()):
            yield self._subnets[key], owner


def _key(subnet: IPNetwork) -> _Key:
    return subnet.version, int(subnet.network_address), subnet.prefixlen
