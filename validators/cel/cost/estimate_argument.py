"""The arguments of call estimates, and the estimates that many functions share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from ovnguard.validators.cel.cost.ranges import ONE, UNKNOWN, Range, fixed
from ovnguard.validators.cel.types.static_types import Type

STRING: Final = 0.1
"""Cost units per byte of text that is read."""
REGEX: Final = 0.25
"""Cost units per byte of a pattern, for each tenth of the text."""


@dataclass(frozen=True, slots=True)
class Argument:
    """What is known about an argument: type, size, place in the data, and its constant (if it is one)."""

    type: Type
    size: Range | None
    place: tuple[str, ...] = ()
    literal: object = None

    @property
    def known(self) -> Range:
        """The size, or the largest range."""
        return self.size or UNKNOWN


ElementSize: TypeAlias = Callable[[Argument], tuple[Type, Range] | None]
Estimate: TypeAlias = tuple[Range, Range | None]
Estimator: TypeAlias = Callable[[str, Argument | None, Sequence[Argument], ElementSize], Estimate | None]


def one(_overload: str, _target: Argument | None, _args: Sequence[Argument], _elements: ElementSize) -> Estimate:
    """Return one unit, for any arguments."""
    return ONE, None


def constant(cost: int) -> Estimator:
    """Return an estimate of the same cost for every call."""
    return lambda _overload, _target, _args, _elements: (fixed(cost), None)


def first(factor: float, *, sized: bool = False) -> Estimator:
    """Return an estimate for reading the first argument of a global function."""

    def run(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
        if not args:
            return None
        return args[0].known.scaled(factor), args[0].known if sized else None

    return run


def receiver(factor: float, *, sized: bool = False) -> Estimator:
    """Return an estimate for reading the receiver."""

    def run(_o: str, target: Argument | None, _a: Sequence[Argument], _e: ElementSize) -> Estimate | None:
        if target is None:
            return None
        return target.known.scaled(factor), target.known if sized else None

    return run


def regex_cost(text: Range, pattern: Range) -> Range:
    """Return the cost of matching a text against a pattern, by their sizes."""
    return (text + ONE).scaled(STRING) * pattern.scaled(REGEX)


def smaller(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    """Return the cost of reading as much of two values as the smaller one has."""
    most = min(args[0].known.max, args[1].known.max)
    return Range(min(most, 1), most).scaled(STRING), None
