"""From observed to desired rows: the operations of one transaction, always in the same order.

Inserts go from children to parents and deletes from parents to children, with Static_MAC_Binding rows first, because
they refer to a router port by name and OVN never removes them on its own.
"""

from collections.abc import Container, Iterable, Mapping
from typing import Final

from ovnguard.reconciler.plan.rows.northbound import OPTIONAL_REFERENCES, tables
from ovnguard.reconciler.plan.rows.row import Column, Operation, Ref, Row

_RANK: Final = {table: rank for rank, table in enumerate(tables())}


def diff(observed: Iterable[Row], desired: Iterable[Row], known: Container[str] | None = None) -> tuple[Operation, ...]:
    """Return the operations that make ``observed`` rows equal to ``desired`` ones; none when they are equal.

    ``observed`` are ovnguard's rows (`Row.is_ours`) with any columns; only planned columns are compared. One of
    ovnguard's rows may refer to a row of others in a set, such as a pod's port on its switch; such a reference stays.
    ``known`` are the UUIDs of all of ovnguard's rows, where ``observed`` is only a part of them.
    """
    before = {row.uuid: row for row in observed}
    after = {row.uuid: row for row in desired}
    known = before.keys() | after.keys() if known is None else known
    inserts = [_operation("insert", row, row.columns) for uuid, row in after.items() if uuid not in before]
    updates = [
        _operation("update", row, changed)
        for uuid, row in after.items()
        if uuid in before and (changed := _changed(before[uuid], row, known))
    ]
    deletes = [_operation("delete", row, {}) for uuid, row in before.items() if uuid not in after]
    return (*sorted(inserts, key=_order), *sorted(updates, key=_order), *sorted(deletes, key=_reverse_order))


def apply(operations: Iterable[Operation], rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return ``rows`` after ``operations``, in the order of tables and names.

    Raises ValueError when an operation does not fit the rows.
    """
    held = {row.uuid: row for row in rows}
    for operation in operations:
        if (operation.uuid in held) is (operation.op == "insert"):
            raise ValueError(f"{operation.op} of {operation.table} {operation.uuid} does not fit the rows")
        if operation.op == "delete":
            del held[operation.uuid]
        elif operation.op == "insert":
            held[operation.uuid] = Row(operation.table, operation.uuid, operation.row)
        else:
            old = held[operation.uuid]
            held[operation.uuid] = Row(old.table, old.uuid, {**old.columns, **operation.row})
    return tuple(sorted(held.values(), key=row_order))


def row_order(row: Row) -> tuple[int, str, str]:
    """Sort key of rows: table in the order of creation, then the row's name."""
    return _RANK.get(row.table, len(_RANK)), _subject(row), row.uuid


def _changed(old: Row, new: Row, known: Container[str]) -> Mapping[str, Column]:
    # Nearly all rows of a zone take this path in a full comparison.
    if old.columns == new.columns:
        return {}
    wanted = {
        key: value if (new.table, key) in OPTIONAL_REFERENCES else _with_foreign(old.columns.get(key), value, known)
        for key, value in new.columns.items()
    }
    return {key: value for key, value in wanted.items() if key not in old.columns or old.columns[key] != value}


def _with_foreign(old: Column | None, new: Column, known: Container[str]) -> Column:
    """The new set of references, with the old references to rows outside the plan."""
    if not isinstance(old, tuple) or not isinstance(new, tuple):
        return new
    foreign = [item for item in old if isinstance(item, Ref) and item.uuid not in known]
    if not foreign:
        return new
    ours = [item for item in new if isinstance(item, Ref)]
    return tuple(sorted({*ours, *foreign}))


def _operation(op: str, row: Row, columns: Mapping[str, Column]) -> Operation:
    match op:
        case "insert":
            return Operation("insert", row.table, row.uuid, columns, _subject(row))
        case "update":
            return Operation("update", row.table, row.uuid, columns, _subject(row))
        case _:
            return Operation("delete", row.table, row.uuid, {}, _subject(row))


def _subject(row: Row) -> str:
    """The row's name for people: its identity, or its UUID."""
    return " ".join(row.identity or (row.uuid,))


def _order(operation: Operation) -> tuple[int, str, str]:
    return _RANK.get(operation.table, len(_RANK)), operation.subject, operation.uuid


def _reverse_order(operation: Operation) -> tuple[int, str, str]:
    rank, subject, uuid = _order(operation)
    return -rank, subject, uuid
