"""Ranges of sizes and costs, with arithmetic that saturates at 64 bits.

Source: cel-go ``checker/cost.go``.
"""

from dataclasses import dataclass
from math import ceil
from typing import Final

MAX: Final = 2**64 - 1


def _capped(amount: int) -> int:
    return min(amount, MAX)


def _scaled(amount: int, factor: float) -> int:
    """Round as Go does in doubles: what does not fit is the largest number."""
    if amount > 0 and factor > 0 and float(amount) > float(MAX) / factor:
        return MAX
    return _capped(ceil(float(amount) * factor))


@dataclass(frozen=True, slots=True)
class Range:
    """A range of a size or a cost, from ``min`` to ``max``."""

    min: int
    max: int

    def __add__(self, other: "Range") -> "Range":
        return Range(_capped(self.min + other.min), _capped(self.max + other.max))

    def __mul__(self, other: "Range") -> "Range":
        return Range(_capped(self.min * other.min), _capped(self.max * other.max))

    def scaled(self, factor: float) -> "Range":
        """Return the range with each end multiplied by a factor and rounded up."""
        return Range(_scaled(self.min, factor), _scaled(self.max, factor))

    def union(self, other: "Range") -> "Range":
        """Return the range that includes both."""
        return Range(min(self.min, other.min), max(self.max, other.max))


def fixed(amount: int) -> Range:
    """Return a range of one number."""
    return Range(amount, amount)


ZERO: Final = fixed(0)
ONE: Final = fixed(1)
UNKNOWN: Final = Range(0, MAX)
NEVER: Final = Range(MAX, 0)
