"""Repairs: manual changes of ovnguard's rows that a tick reverts."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ovnguard.reconciler.apply.ovn.row_notes import HASH, IDS, is_spoiled
from ovnguard.reconciler.plan.rows.row import Column, Operation, Row, network_of


@dataclass(frozen=True, slots=True)
class Repair:
    """One manually changed row: ``columns`` are the changed ones, or none when the whole row was deleted."""

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

    The row's own note reveals a change; a deletion counts only for ``settled`` UUIDs: rows that matched the plan when
    last read and that the plan has not changed since.
    """
    before = {row.uuid: row for row in observed}
    return tuple(_repairs(operations, before, settled))


def _repairs(operations: Iterable[Operation], before: Mapping[str, Row], settled: Collection[str]) -> Iterator[Repair]:
    for operation in operations:
        row = before.get(operation.uuid)
        if operation.op == "insert" and operation.uuid in settled:
            yield Repair(operation.table, operation.subject, network_of(operation.row))
        elif operation.op == "update" and row is not None and _by_hand(row):
            columns = tuple(sorted(name for name, value in operation.row.items() if _differs(row, name, value)))
            network = network_of({**row.columns, **operation.row})
            yield Repair(operation.table, operation.subject, network, columns or (IDS,))


def _by_hand(row: Row) -> bool:
    """Whether the row's note is wrong; a row without one may predate notes."""
    ids = row.columns.get(IDS)
    return is_spoiled(row) and isinstance(ids, Mapping) and bool(ids[HASH])


def _differs(row: Row, name: str, value: Column) -> bool:
    before = row.columns.get(name)
    if name == IDS and isinstance(before, Mapping):
        return {key: text for key, text in before.items() if key != HASH} != value
    return before != value
