"""Finds the subnets that overlap a given one, without a comparison with each.

Two subnets overlap only if one contains the other. The index finds the subnets around a given one by truncating it to
each prefix length in use, and those inside it by bisecting a sorted list.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Generic, TypeAlias, TypeVar

from ovnguard.validators.network.addresses.spans import Spans
from ovnguard.validators.network.model import IPNetwork

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
        self._lengths = sorted({(version, length) for version, _, length in self._exact})
        self._spans: Spans | None = None

    @property
    def spans(self) -> Spans:
        """All subnets."""
        # built on first use, because most indexes are never queried
        if self._spans is None:
            self._spans = Spans(self._subnets.values())
        return self._spans

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
