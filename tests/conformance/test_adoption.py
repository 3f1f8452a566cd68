"""A network of a recording is taken over alone: no row that stays refers to a row that goes."""

from collections import defaultdict
from collections.abc import Sequence

import pytest

from reconciler.apply.foreign_rows import adopted, foreign_rows
from reconciler.apply.kept_rows import kept_rows, with_kept, without_kept
from reconciler.apply.ovn.ownership import Networks
from reconciler.plan.rows.row import Ref, Row, network_of
from reconciler.plan.rows.row_groups import SHARED, RowGroups
from tests.support.recorded_rows import RecordedZone, planned_rows, recorded_rows, recorded_zones

pytestmark = pytest.mark.conformance

PORTS = ("Port_Group", "ports")


def references(row: Row) -> set[str]:
    """UUIDs of rows, but not of ports in a port group: these move."""
    values = (value for name, value in row.columns.items() if isinstance(value, tuple) and (row.table, name) != PORTS)
    return {item.uuid for value in values for item in value if isinstance(item, Ref)}


def grouped(rows: Sequence[Row]) -> RowGroups:
    networks = Networks({network_of(row.columns) for row in rows} | {"default"})
    groups = defaultdict[str, list[Row]](list)
    for row in rows:
        groups[networks.of(row.table, row.columns)].append(row)
    return RowGroups({name: tuple(each) for name, each in groups.items()})


@pytest.mark.parametrize("zone", recorded_zones(), ids=str)
def test_no_row_that_stays_refers_to_one_that_goes(zone: RecordedZone, tmp_path) -> None:
    planned = grouped(planned_rows(zone, tmp_path)[0])
    others = recorded_rows(zone)
    names = planned.groups.keys() - {SHARED}
    for name in names:
        kept = kept_rows(others, planned, {name})
        mine = with_kept(RowGroups({each: planned.groups[each] for each in (SHARED, name)}), kept)
        found = foreign_rows(without_kept(others, kept), mine, {name})
        gone = {each.uuid for each in adopted(found, {name})}
        whose = {each.row.uuid: each.network for each in foreign_rows(others, planned)}
        assert {whose[uuid] for uuid in gone} <= ({name} if len(names) > 1 else {name, SHARED})
        stay = [row for row in others if row.uuid not in gone and whose.get(row.uuid, name) != name]
        assert [row for row in stay if references(row) & gone] == []
        # and what is written refers to rows that are there
        present = {row.uuid for row in (*mine, *stay)} | {row.uuid for row in others} - gone
        assert [row for row in mine if not references(row) <= present] == []
