"""One row that reads as two: a column that identifies it changed, so each side has a row that the other lacks."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.comparison.identities import ID, IdentifiedRow, common_identity, owner_of
from ovnguard.reconciler.plan.comparison.row_differences import Difference, Side, UnpairedRows, changed_columns
from ovnguard.reconciler.plan.rows.row import Row

# What a row is about, in the order of trial: rows of one owner with equal columns here are one, whatever else changed.
# The id that OVN-Kubernetes gave it counts, too, and without columns nothing else does.
_ABOUT: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = MappingProxyType(
    {
        "ACL": (("direction", "match"), ()),
        "Logical_Router_Policy": (("match",), ("priority", "action", "nexthops")),
        "Logical_Router_Static_Route": (("ip_prefix", "policy"),),
        "Meter_Band": (("action",),),
        "NAT": (("type", "logical_ip"),),
        "QoS": (("direction", "match"), ()),
    }
)


class OwnedRow(NamedTuple):
    """A row, and the name of the row that it belongs to."""

    owner: str
    row: Row | IdentifiedRow


def with_changed_rows(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    """Return the ``differences`` of one network, with changed columns in place of two rows that are one."""
    there, here = (_rows(differences, side) for side in (Side.OBSERVED, Side.PLANNED))
    only_there, only_here = (frozenset(row.identity for row in side.values()) for side in (there, here))
    unpaired = UnpairedRows(only_there, only_here)
    before, after = ([OwnedRow(owner_of(row), row) for row in side.values()] for side in (there, here))
    places, others = list(there), list(here)
    changed: list[Difference] = []
    replaced: set[int] = set()
    for one, other in pairs(before, after):
        theirs, ours = there[places[one]], here[others[other]]
        columns = tuple(changed_columns(common_identity(theirs, ours), theirs, ours, unpaired))
        # rows that differ only in what they refer to stay two
        if columns:
            changed += columns
            replaced |= {places[one], others[other]}
    kept = (each for place, each in enumerate(differences) if place not in replaced)
    return tuple(sorted((*kept, *changed), key=lambda each: (each.table, each.identity, each.column)))


def pairs(before: Sequence[OwnedRow], after: Sequence[OwnedRow]) -> Iterator[tuple[int, int]]:
    """Iterate over the places, in ``before`` and in ``after``, of rows that are one; those most alike come first."""
    old, new = dict(enumerate(before)), dict(enumerate(after))
    for table in sorted({each.row.table for each in before} & {each.row.table for each in after} & _ABOUT.keys()):
        for columns in _ABOUT[table]:
            known: dict[tuple[str, ...], list[int]] = {}
            for place, each in new.items():
                if each.row.table == table:
                    known.setdefault(_about(each, columns), []).append(place)
            alike = [
                (_distance(each.row, new[other].row), place, other)
                for place, each in old.items()
                if each.row.table == table and any(about := _about(each, columns))
                for other in known.get(about, ())
            ]
            for _, place, other in sorted(alike):
                if place in old and other in new:
                    del old[place], new[other]
                    yield place, other


def _rows(differences: Sequence[Difference], side: Side) -> Mapping[int, IdentifiedRow]:
    """The rows that only ``side`` has, by the places of their differences."""
    found = enumerate(differences)
    return {place: each.row for place, each in found if each.row is not None and each.side is side}


def _about(owned: OwnedRow, columns: Sequence[str]) -> tuple[str, ...]:
    """What the row is about, no texts if nothing says so."""
    made_for = owned.row.entry("external_ids", ID)
    if not columns and not made_for:
        return ()
    return owned.owner, made_for, *(str(owned.row.columns.get(name) or "") for name in columns)


def _distance(one: Row | IdentifiedRow, other: Row | IdentifiedRow) -> int:
    """The number of columns that differ."""
    names = one.columns.keys() | other.columns.keys()
    return sum(one.columns.get(name) != other.columns.get(name) for name in names)
