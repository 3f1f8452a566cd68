"""What the estimates of calls are made from, and the ones that many functions share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from validators.cel.cost.ranges import ONE, UNKNOWN, Range, fixed
from validators.cel.types import Type

STRING: Final = 0.1
"""Cost units a byte of text that is read."""
REGEX: Final = 0.25
"""Cost units a byte of a pattern, for each tenth of the text."""


@dataclass(frozen=True, slots=True)
class Argument:
    """What is known of an argument: type, size, place in the data, and the constant it is (if it is one)."""

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
    """One unit, whatever is given."""
    return ONE, None


def constant(cost: int) -> Estimator:
    """The same for every call."""
    return lambda _overload, _target, _args, _elements: (fixed(cost), None)


def first(factor: float, *, sized: bool = False) -> Estimator:
    """Reading the first argument of a global function."""

    def run(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate | None:
        if not args:
            return None
        return args[0].known.scaled(factor), args[0].known if sized else None

    return run


def receiver(factor: float, *, sized: bool = False) -> Estimator:
    """Reading the receiver."""

    def run(_o: str, target: Argument | None, _a: Sequence[Argument], _e: ElementSize) -> Estimate | None:
        if target is None:
            return None
        return target.known.scaled(factor), target.known if sized else None

    return run


def regex_cost(text: Range, pattern: Range) -> Range:
    """Running a pattern over a text, by their sizes."""
    return (text + ONE).scaled(STRING) * pattern.scaled(REGEX)


def smaller(_o: str, _t: Argument | None, args: Sequence[Argument], _e: ElementSize) -> Estimate:
    """Reading as much of two values as the smaller one has."""
    most = min(args[0].known.max, args[1].known.max)
    return Range(min(most, 1), most).scaled(STRING), None
