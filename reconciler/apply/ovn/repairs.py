"""Repairs: manual changes in our rows that a tick reverted."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from reconciler.apply.ovn.ownership import network_key
from reconciler.apply.ovn.row_notes import HASH, IDS, is_spoiled
from reconciler.plan.rows import Column, Operation, Row


@dataclass(frozen=True, slots=True)
class Repair:
    """One row that was not as we left it: ``columns`` that were different, none when the whole row was gone."""

    table: str
    subject: str
    network: str
    columns: tuple[str, ...] = ()

    def __str__(self) -> str:
        whose = f"network {self.network}: " if self.network else ""
        what = f"{', '.join(self.columns)} changed by hand" if self.columns else "deleted by hand"
        return f"{whose}{self.table} {self.subject}: {what}, put back"


def repairs_among(
    operations: Iterable[Operation], observed: Iterable[Row], settled: Collection[str] = ()
) -> tuple[Repair, ...]:
    """Return which of ``operations`` revert manual changes that the ``observed`` rows show.

    A changed row is known by its own note; a deleted one only when it is among ``settled``, the UUIDs of rows that
    were as planned when last read and that the plan has not changed since.
    """
    before = {row.uuid: row for row in observed}
    return tuple(_repairs(operations, before, settled))


def _repairs(operations: Iterable[Operation], before: Mapping[str, Row], settled: Collection[str]) -> Iterator[Repair]:
    for operation in operations:
        row = before.get(operation.uuid)
        if operation.op == "insert" and operation.uuid in settled:
            yield Repair(operation.table, operation.subject, network_key(operation.row))
        elif operation.op == "update" and row is not None and _by_hand(row):
            columns = tuple(sorted(name for name, value in operation.row.items() if _differs(row, name, value)))
            network = network_key({**row.columns, **operation.row})
            yield Repair(operation.table, operation.subject, network, columns or (IDS,))


def _by_hand(row: Row) -> bool:
    """Whether the row has a note that is not true; one without any may have been written before there were notes."""
    ids = row.columns.get(IDS)
    return is_spoiled(row) and isinstance(ids, Mapping) and bool(ids[HASH])


def _differs(row: Row, name: str, value: Column) -> bool:
    before = row.columns.get(name)
    if name == IDS and isinstance(before, Mapping):
        return {key: text for key, text in before.items() if key != HASH} != value
    return before != value
