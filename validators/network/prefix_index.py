"""Which of many subnets overlap a given one, without looking at each of them.

Two subnets overlap only where one holds the other. So the ones around a subnet are found by cutting it to each prefix
length that occurs, and the ones inside it by bisecting a sorted list.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final, Generic, TypeVar

from validators.network.model import IPNetwork
from validators.network.spans import Spans

T = TypeVar("T")


class PrefixIndex(Generic[T]):
    """Subnets with what they belong to; made once, then asked. ``spans`` tells whether there is anything to ask for."""

    def __init__(self, entries: Iterable[tuple[IPNetwork, T]]) -> None:
        self._exact: dict[tuple[int, int, int], list[T]] = {}
        self._subnets: dict[tuple[int, int, int], IPNetwork] = {}
        for subnet, owner in entries:
            key = (subnet.version, int(subnet.network_address), subnet.prefixlen)
            self._subnets[key] = subnet
            self._exact.setdefault(key, []).append(owner)
        self._sorted = sorted(self._exact)
        self.spans: Final = Spans(self._subnets.values())
        self._lengths = sorted({(version, length) for version, _, length in self._exact})

    def overlapping(self, subnet: IPNetwork) -> Iterator[tuple[IPNetwork, T]]:
        """Iterate over the entries that overlap ``subnet``: those that hold it, widest first, then those inside."""
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
