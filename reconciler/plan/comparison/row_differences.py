"""Row for row and column for column: what a zone contains, next to what is planned for it.

Each difference is found once, at the row that causes it: a reference to a row that only one side has is not a second
difference of the row that refers to it. Keys of ``external_ids`` that only ovnguard writes do not count.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.comparison.identities import IdentifiedRow, identified
from ovnguard.reconciler.plan.comparison.left_out import NOTHING_LEFT_OUT, Earlier, LeftOut, Reason
from ovnguard.reconciler.plan.rows.row import Row

_Value = Mapping[str, str] | tuple[str, ...]
_NOTHING: Final[tuple[str, ...]] = ()


class Side(Enum):
    """Who has the row of a difference."""

    OBSERVED = "not planned"
    PLANNED = "not in the zone"
    BOTH = "differs"


@dataclass(frozen=True, slots=True)
class Difference:
    """One row that only one side has, or one column of a row of both.

    ``column`` is empty for a whole row, and ``COLUMN:KEY`` for one key of a map. ``observed`` and ``planned`` are
    texts: the values of the column, '' for none; for a whole row all its columns. Of a set, they are the elements that
    only this side has. ``row`` is a row that only one side has, ``left_out`` why the other side lacks it.
    """

    side: Side
    table: str
    identity: str
    network: str
    column: str = ""
    observed: str = ""
    planned: str = ""
    row: IdentifiedRow | None = field(default=None, compare=False, repr=False)
    left_out: Reason | None = None

    def __str__(self) -> str:
        return self.brief if self.side is Side.BOTH else f"{self.brief}: {printable(self.observed or self.planned)}"

    @property
    def brief(self) -> str:
        """One line without the columns of a row that only one side has."""
        if self.side is Side.BOTH:
            values = f"{self.column} is {self.observed or 'empty'}, planned {self.planned or 'empty'}"
            return printable(f"{self.table} {self.identity}: {values}")
        return printable(f"{self.table} {self.identity}: {self.side.value}")


@dataclass(frozen=True, slots=True)
class Comparison:
    """All differences, in the order of tables and rows; ``equal`` counts equal rows."""

    differences: tuple[Difference, ...]
    equal: int


def printable(text: str) -> str:
    """Return ``text`` on one line for a terminal or a log: a database may contain any character."""
    return text if text.isprintable() else "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def compare(observed: Iterable[Row], planned: Iterable[Row], left_out: LeftOut = NOTHING_LEFT_OUT) -> Comparison:
    """Compare the rows of a zone, in any writer's UUIDs, with planned ones; ``left_out`` is missing on purpose."""
    there, here = identified(observed), identified(planned)
    unpaired = UnpairedRows(_identities(there.keys() - here.keys()), _identities(here.keys() - there.keys()), left_out)
    found: list[Difference] = []
    equal = 0
    for key in sorted(there.keys() | here.keys()):
        theirs, ours = there.get(key), here.get(key)
        if theirs is None or ours is None:
            found.append(_alone(key, theirs, ours, left_out))
            continue
        changed = tuple(changed_columns(key[1], theirs, ours, unpaired))
        found += changed
        equal += not changed
    return Comparison(tuple(_as_before(found, there, left_out.earlier)) if left_out.earlier else tuple(found), equal)


def _as_before(
    found: Sequence[Difference], there: Mapping[tuple[str, str], IdentifiedRow], earlier: Earlier
) -> Iterator[Difference]:
    """The differences; rows that are not as planned earlier have no reason."""
    left: dict[Reason, dict[str, IdentifiedRow]] = {}
    for each in found:
        # no plan shows the subnets of networks that are gone
        if each.left_out is not None and each.left_out is not Reason.DELETED and each.side is not Side.PLANNED:
            left.setdefault(each.left_out, {})[each.identity] = there[each.table, each.identity]
    plans = {reason: _EarlierPlan(there, identified(earlier(reason, rows))) for reason, rows in left.items()}
    for each in found:
        plan = plans.get(each.left_out) if each.left_out is not None and each.side is not Side.PLANNED else None
        yield each if plan is None or plan.has(each) else replace(each, left_out=None)


class _EarlierPlan:
    """The rows of a zone next to a plan from before a change."""

    def __init__(
        self, there: Mapping[tuple[str, str], IdentifiedRow], plan: Mapping[tuple[str, str], IdentifiedRow]
    ) -> None:
        self._there, self._plan = there, plan
        ours, theirs = _identities(plan.keys() - there.keys()), _identities(there.keys() - plan.keys())
        self._unpaired = UnpairedRows(theirs, ours, NOTHING_LEFT_OUT)
        # what rows of the zone refer to, and those of the plan do not
        self._misplaced = frozenset(
            identity
            for key, row in there.items()
            if key in plan and row.table != "Port_Group"
            for column in row.references
            for identity in _minus(tuple(row.columns.get(column, ())), tuple(plan[key].columns.get(column, ())))
        )

    def has(self, difference: Difference) -> bool:
        """Whether the row, or the column of it that differs, is as in the plan, and so is what refers to it."""
        key = difference.table, difference.identity
        if key not in self._plan or key[1] in self._misplaced:
            return False
        changes = changed_columns(key[1], self._there[key], self._plan[key], self._unpaired)
        return all(difference.column and each.column != difference.column for each in changes)


class UnpairedRows(NamedTuple):
    """The identities of rows that only one side has, and what the plan lacks on purpose."""

    only_there: Collection[str]
    only_here: Collection[str]
    left_out: LeftOut = NOTHING_LEFT_OUT


def _identities(keys: Iterable[tuple[str, str]]) -> frozenset[str]:
    return frozenset(identity for _, identity in keys)


def _alone(
    key: tuple[str, str], theirs: IdentifiedRow | None, ours: IdentifiedRow | None, left_out: LeftOut
) -> Difference:
    if theirs is not None:
        reason = left_out.reason(*key, theirs.network)
        text = _row_text(theirs)
        return Difference(Side.OBSERVED, *key, theirs.network, observed=text, row=theirs, left_out=reason)
    assert ours is not None
    reason = left_out.absence(*key, ours.network)
    return Difference(Side.PLANNED, *key, ours.network, planned=_row_text(ours), row=ours, left_out=reason)


def changed_columns(
    identity: str, theirs: IdentifiedRow, ours: IdentifiedRow, unpaired: UnpairedRows
) -> Iterator[Difference]:
    """Iterate over the columns, or keys of maps, in which two rows differ; the differences bear ``identity``."""
    for column in sorted(theirs.columns.keys() | ours.columns.keys()):
        old, new = theirs.columns.get(column, _NOTHING), ours.columns.get(column, _NOTHING)
        if old == new:
            continue
        for name, before, after in _parts(column, old, new):
            if column in theirs.references or column in ours.references:
                here, there = _without(after, unpaired.only_here), _without(before, unpaired.only_there)
            else:
                here, there = tuple(after), tuple(before)
            if there != here:
                texts = _value_text(there), _value_text(here)
                reason = (
                    None if here else unpaired.left_out.of_members(ours.table, identity, there, unpaired.only_there)
                )
                yield Difference(Side.BOTH, ours.table, identity, theirs.network, name, *texts, left_out=reason)


def _parts(column: str, old: _Value, new: _Value) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    """The column, of a set what only one side has; of a map each key that differs."""
    if isinstance(old, Mapping) or isinstance(new, Mapping):
        before, after = (each if isinstance(each, Mapping) else {} for each in (old, new))
        for key in sorted(before.keys() | after.keys()):
            if before.get(key) != after.get(key):
                yield f"{column}:{key}", _of(before, key), _of(after, key)
    else:
        yield column, _minus(old, new), _minus(new, old)


def _of(values: Mapping[str, str], key: str) -> tuple[str, ...]:
    return (values[key],) if key in values else ()


def _minus(left: Sequence[str], right: Sequence[str]) -> tuple[str, ...]:
    return tuple((Counter(left) - Counter(right)).elements())


def _without(values: Sequence[str], left_out: Collection[str]) -> tuple[str, ...]:
    return tuple(each for each in values if each not in left_out)


def _row_text(row: IdentifiedRow) -> str:
    return ", ".join(f"{column}={_whole_text(value)}" for column, value in sorted(row.columns.items()))


def _whole_text(value: _Value) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}={text}" for key, text in sorted(value.items())) + "}"
    return _value_text(value)


def _value_text(value: Sequence[str]) -> str:
    return value[0] if len(value) == 1 else f"[{', '.join(value)}]" if value else ""
