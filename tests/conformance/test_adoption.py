"""A network of a recording is taken over alone: every row of all others stays as it is, references resolved."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import pytest

from ovnguard.reconciler.apply.foreign_rows import adopted, foreign_rows
from ovnguard.reconciler.apply.kept_rows import kept_rows, moved_members, with_kept, without_kept
from ovnguard.reconciler.apply.ovn.ownership import Networks
from ovnguard.reconciler.plan.rows.row import Column, Operation, Ref, Row, network_of
from ovnguard.reconciler.plan.rows.row_groups import SHARED, RowGroups
from tests.support.recorded_rows import RecordedZone, planned_rows, recorded_rows, recorded_zones

pytestmark = pytest.mark.conformance

# What shared groups contain of several networks.
MEMBERS = {"Port_Group": "ports", "Load_Balancer_Group": "load_balancer"}


def references(row: Row) -> set[str]:
    """UUIDs of rows, but not of members of a group: these move."""
    values = (value for name, value in row.columns.items() if MEMBERS.get(row.table) != name)
    return {item.uuid for value in values if isinstance(value, tuple) for item in value if isinstance(item, Ref)}


def whole(row: Row) -> Row:
    """The row of a group with its members also where a recording has none."""
    column = MEMBERS.get(row.table)
    return row if column is None else Row(row.table, row.uuid, {column: (), **row.columns})


def grouped(rows: Sequence[Row]) -> RowGroups:
    networks = Networks({network_of(row.columns) for row in rows} | {"default"})
    groups = defaultdict[str, list[Row]](list)
    for row in rows:
        groups[networks.of(row.table, row.columns)].append(row)
    return RowGroups({name: tuple(each) for name, each in groups.items()})


def resolved(rows: Iterable[Row], named: Iterable[Row]) -> dict[str, dict[str, object]]:
    """The columns of ``rows``, with the names of the rows that they refer to in place of UUIDs."""
    names = {row.uuid: " ".join((row.table, *(row.identity or (row.uuid,)))) for row in named}

    def plain(value: Column) -> object:
        if isinstance(value, tuple):
            return sorted(names[item.uuid] if isinstance(item, Ref) else str(item) for item in value)
        return value

    return {row.uuid: {name: plain(value) for name, value in row.columns.items()} for row in rows}


def after(rows: Iterable[Row], operations: Iterable[Operation]) -> list[Row]:
    changes = {each.uuid: each.row for each in operations}
    return [Row(row.table, row.uuid, {**row.columns, **changes.get(row.uuid, {})}) for row in rows]


@pytest.mark.parametrize("zone", recorded_zones(), ids=str)
def test_every_row_of_all_other_networks_stays_as_it_is(zone: RecordedZone, tmp_path) -> None:
    planned = grouped(planned_rows(zone, tmp_path)[0])
    others = [whole(row) for row in recorded_rows(zone)]
    names = planned.groups.keys() - {SHARED}
    for name in names:
        kept = kept_rows(others, planned, {name})
        permitted = RowGroups({each: planned.groups[each] for each in (SHARED, name)})
        mine = with_kept(permitted, kept)
        found = foreign_rows(without_kept(others, kept), mine, {name})
        gone = {each.uuid for each in adopted(found, {name})}
        whose = {each.row.uuid: each.network for each in foreign_rows(others, planned)}
        assert {whose[uuid] for uuid in gone} <= ({name} if len(names) > 1 else {name, SHARED})
        stay = [row for row in others if row.uuid not in gone and whose.get(row.uuid, name) != name]
        assert [row for row in stay if references(row) & gone] == []
        moves = moved_members(permitted, kept, gone)
        assert resolved(stay, others) == resolved(after(stay, moves), (*mine, *others))
        # and what is written refers to rows that are there
        present = {row.uuid for row in (*mine, *stay)} | {row.uuid for row in others} - gone
        assert [row for row in mine if not references(row) <= present] == []
