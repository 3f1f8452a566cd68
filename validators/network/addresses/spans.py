"""Subnets as ranges of integers, for fast overlap checks.

Comparing `ipaddress` objects is slow. Overlaps are rare, and two look-ups rule them out here.
"""

from bisect import bisect_left
from collections.abc import Iterable
from typing import TypeAlias

from ovnguard.validators.network.model import IPNetwork

Span: TypeAlias = tuple[int, int, int]
"""IP version, first and last address of a subnet."""


def span_of(net: IPNetwork) -> Span:
    """Return the IP version, first and last address of a subnet."""
    first = int(net.network_address)
    return net.version, first, first | (1 << net.max_prefixlen - net.prefixlen) - 1


def apart(spans: Iterable[Span]) -> bool:
    """Whether no two of the subnets overlap."""
    version, end = 0, -1
    for family, first, last in sorted(spans):
        if family == version and first <= end:
            return False
        version, end = family, last
    return True


class Spans:
    """An immutable set of subnets, for overlap checks against others."""

    def __init__(self, nets: Iterable[IPNetwork]) -> None:
        self._firsts: dict[int, list[int]] = {4: [], 6: []}
        self._lasts: dict[int, list[int]] = {4: [], 6: []}
        for version, first, last in sorted(map(span_of, nets)):
            lasts = self._lasts[version]
            # subnets are nested or disjoint, and the outer one has the first address
            if lasts and first <= lasts[-1]:
                lasts[-1] = max(lasts[-1], last)
                continue
            self._firsts[version].append(first)
            lasts.append(last)

    def meet(self, spans: Iterable[Span]) -> bool:
        """Whether one of ``spans`` overlaps one of these subnets."""
        for version, first, last in spans:
            lasts = self._lasts[version]
            index = bisect_left(lasts, first)
            if index < len(lasts) and self._firsts[version][index] <= last:
                return True
        return False
