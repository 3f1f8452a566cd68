"""The rows of a zone, grouped by network, so that one network's rows can be compared and written separately."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, overload

from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.row_diff import row_order

# The group of rows that routers of all networks share.
SHARED: Final = ""


class RowGroups(Sequence[Row]):
    """All rows of ``groups`` as one sequence in creation order, which is sorted on first use.

    ``groups`` are by network name, `SHARED` for rows of no network; of those, only port groups refer to rows of other
    groups.
    """

    __slots__ = ("_sorted", "groups")

    def __init__(self, groups: Mapping[str, tuple[Row, ...]]) -> None:
        self.groups = groups
        self._sorted: tuple[Row, ...] | None = None

    def _rows(self) -> tuple[Row, ...]:
        if self._sorted is None:
            self._sorted = tuple(sorted((row for rows in self.groups.values() for row in rows), key=row_order))
        return self._sorted

    def __len__(self) -> int:
        return sum(map(len, self.groups.values()))

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows())

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        return self._rows()[index]

    def __eq__(self, other: object) -> bool:
        return self._rows() == tuple(other) if isinstance(other, (tuple, RowGroups)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._rows())

    def __repr__(self) -> str:
        return f"RowGroups({len(self)} rows of {len(self.groups)} groups)"


def groups_of(rows: Sequence[Row]) -> Mapping[str, tuple[Row, ...]]:
    """Return the groups of ``rows``; a plain sequence of rows is one group."""
    return rows.groups if isinstance(rows, RowGroups) else {SHARED: tuple(rows)}
