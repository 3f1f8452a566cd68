"""What the parser of an older release does differently.

Source: cel-go ``parser`` and ``cel/library.go``: 0.17 (until Kubernetes 1.30), 0.20 (1.31), 0.22 (1.32), 0.23 (1.33).
"""

from typing import Final, NamedTuple

from ovnguard.validators.cel.syntax.ast import ACCUMULATOR

LEGACY_ACCUMULATOR: Final = "__result__"
_HIDDEN_ACCUMULATOR_SINCE: Final = 33
_BACKTICKS_SINCE: Final = 33
_ESCAPES_SINCE: Final = 37
_COPIES_SINCE: Final = 32
_COPIES_ACCUMULATORS_SINCE: Final = 31


class Dialect(NamedTuple):
    """``has_backticks``: the parser knows names in backticks (and reports that they are not supported).

    ``accumulator`` is the variable that comprehensions build their result in. ``copies_targets``: optMap evaluates a
    copy of its target, not the same node twice, which can have but one type. ``copies_accumulators``: so do map and
    filter with their accumulator. ``reads_escapes``: names of fields may be in backticks.
    """

    has_backticks: bool = True
    accumulator: str = ACCUMULATOR
    copies_targets: bool = True
    copies_accumulators: bool = True
    reads_escapes: bool = False


NEWEST: Final = Dialect()


def dialect_of(release: int) -> Dialect:
    """Return what the parser of a minor version does."""
    hidden = release >= _HIDDEN_ACCUMULATOR_SINCE
    accumulator = ACCUMULATOR if hidden else LEGACY_ACCUMULATOR
    copies = release >= _COPIES_SINCE, release >= _COPIES_ACCUMULATORS_SINCE
    return Dialect(release >= _BACKTICKS_SINCE, accumulator, *copies, release >= _ESCAPES_SINCE)
