"""Shared rows of another writer that stay while it has networks, and the plan that refers to them instead of its own.

Rows of other networks refer to a shared row by its UUID: to replace it would clear ``copp`` of every other router.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from ovnguard.reconciler.apply.foreign_rows import foreign_rows
from ovnguard.reconciler.plan.rows.row import IDENTITY_COLUMNS, Column, Operation, Ref, Row, row_uuid
from ovnguard.reconciler.plan.rows.row_groups import SHARED, RowGroups, groups_of

# Groups that have rows of several networks: ports, and load balancers of a connection.
_MEMBERS: Final = {"Port_Group": "ports", "Load_Balancer_Group": "load_balancer"}
_MEMBER_TABLES: Final = frozenset({"Logical_Switch_Port", "Load_Balancer"})


def kept_rows(others: Sequence[Row], planned: Sequence[Row], adopt: Collection[str]) -> Mapping[str, Row]:
    """Return the shared rows among ``others`` that stay, by the UUID of the planned row of the same name.

    ``others`` are the rows that are not ovnguard's, ``planned`` those of all networks. Shared rows stay while the other
    writer has a network outside of ``adopt``, or a row that refers to one of them.
    """
    found = foreign_rows(others, planned)
    shared = {each.row.uuid: each.row for each in found if each.network == SHARED}
    gone = {each.row.uuid for each in found if each.clashes and each.is_adopted(adopt)}
    is_last = all(each.is_adopted(adopt) for each in found)
    if is_last and not any(ref in shared for row in others if row.uuid not in gone for ref in _references(row)):
        return {}
    return {row_uuid(row.table, *row.identity): row for row in shared.values() if row.identity is not None}


def without_kept(others: Iterable[Row], kept: Mapping[str, Row]) -> tuple[Row, ...]:
    """Return ``others`` without ``kept`` rows, and without what they contain; the members of groups are networks'."""
    names = {row.uuid for row in kept.values()} | {uuid for row in kept.values() for uuid in _references(row)}
    return tuple(row for row in others if row.uuid not in names or row.table in _MEMBER_TABLES)


def with_kept(planned: Sequence[Row], kept: Mapping[str, Row]) -> Sequence[Row]:
    """Return ``planned`` with ``kept`` rows instead of the planned rows of the same name, and references to them."""
    if not kept:
        return planned
    groups = groups_of(planned)
    shared = [row for row in groups.get(SHARED, ()) if row.uuid not in kept]
    rows = (row for name, rows in groups.items() if name != SHARED for row in rows)
    used = {ref for row in (*shared, *rows) for ref in _references(row)}
    # without the shared row, nothing refers to its bands or ACLs, nor to the ports of a connect router
    roots = IDENTITY_COLUMNS.keys() - {"Logical_Router_Port"}
    left = tuple(row for row in shared if row.table in roots or row.uuid in used)
    others = {name: tuple(_referring(row, kept) for row in rows) for name, rows in groups.items() if name != SHARED}
    return RowGroups({SHARED: left, **others})


def moved_members(planned: Sequence[Row], kept: Mapping[str, Row], gone: Collection[str]) -> tuple[Operation, ...]:
    """Return the operations on the ``kept`` groups: members that are ``planned`` rows join, the ``gone`` ones leave.

    ``gone`` are UUIDs. A deleted port has to leave by itself: if the same transaction changes the group, ovsdb-server
    3.5 leaves the reference to the port in it.
    """
    if not kept:
        return ()
    groups = groups_of(planned)
    members = {row.uuid for rows in groups.values() for row in rows if row.table in _MEMBER_TABLES}
    found = []
    for row in groups.get(SHARED, ()):
        if row.table in _MEMBERS and row.uuid in kept:
            group, column = kept[row.uuid], _MEMBERS[row.table]
            had = set(_set(group.columns[column]))
            joining = {ref for ref in _set(row.columns[column]) if ref.uuid in members}
            now = {ref for ref in had if ref.uuid not in gone} | joining
            if now != had:
                columns = {column: tuple(sorted(now))}
                found.append(Operation("update", group.table, group.uuid, columns, str(row.columns["name"])))
    return tuple(found)


def moved(kept: Mapping[str, Row], operations: Iterable[Operation]) -> Mapping[str, Row]:
    """Return ``kept`` after the operations of `moved_members`."""
    changes = {each.uuid: each.row for each in operations}
    return {uuid: Row(row.table, row.uuid, {**row.columns, **changes.get(row.uuid, {})}) for uuid, row in kept.items()}


def _referring(row: Row, kept: Mapping[str, Row]) -> Row:
    """The row with references to ``kept`` rows."""
    if not any(uuid in kept for uuid in _references(row)):
        return row
    return Row(row.table, row.uuid, {name: _replaced(value, kept) for name, value in row.columns.items()})


def _replaced(value: Column, kept: Mapping[str, Row]) -> Column:
    refs = tuple(_set(value))
    return tuple(sorted(Ref(kept[ref.uuid].uuid) if ref.uuid in kept else ref for ref in refs)) if refs else value


def _references(row: Row) -> Iterator[str]:
    for value in row.columns.values():
        if isinstance(value, tuple):
            yield from (item.uuid for item in value if isinstance(item, Ref))


def _set(value: Column) -> Iterable[Ref]:
    return (item for item in value if isinstance(item, Ref)) if isinstance(value, tuple) else ()
