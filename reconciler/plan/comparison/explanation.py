"""Why a difference from what OVN-Kubernetes writes is not a fault: one rule per reason, with exact rows and columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from ovnguard.reconciler.plan.comparison.left_out import Reason
from ovnguard.reconciler.plan.comparison.row_differences import Difference, Side


class Kind(Enum):
    """What a difference is."""

    INTENDED = "intended"
    EQUIVALENT = "equivalent"
    OTHER_CONTROLLER = "another controller's"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Some differences: of rows of ``tables`` whose whole identity matches ``rows``, in exactly ``columns``.

    No columns means the whole row. ``observed`` and ``planned`` are searched for in the texts of the difference. With
    ``left_out``, only rows that the other side lacks for this reason.
    """

    side: Side
    tables: tuple[str, ...]
    rows: str
    columns: tuple[str, ...] = ()
    observed: str = ""
    planned: str = ""
    left_out: Reason | None = None

    def fits(self, difference: Difference) -> bool:
        """Whether this is one of those differences."""
        return (
            difference.side is self.side
            and difference.table in self.tables
            and (self.left_out is None or difference.left_out is self.left_out)
            and (difference.column in self.columns if self.columns else not difference.column)
            and _compiled(self.rows).fullmatch(difference.identity) is not None
            and _compiled(self.observed).search(difference.observed) is not None
            and _compiled(self.planned).search(difference.planned) is not None
        )


@dataclass(frozen=True, slots=True)
class Explanation:
    """One explained difference.

    ``what`` says what differs, ``why`` the reason, ``source`` the place in OVN-Kubernetes below ``go-controller/pkg``,
    with the line in one commit where it was looked up.
    """

    id: str
    kind: Kind
    what: str
    why: str
    source: str
    patterns: tuple[Pattern, ...]

    def fits(self, difference: Difference) -> bool:
        """Whether this explains ``difference``."""
        return any(pattern.fits(difference) for pattern in self.patterns)


def explained(difference: Difference, explanations: Sequence[Explanation]) -> Explanation | None:
    """Return the first of ``explanations`` that fits, None for drift."""
    return next((each for each in explanations if each.fits(difference)), None)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)
