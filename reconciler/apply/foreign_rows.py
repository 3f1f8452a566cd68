"""Rows of other writers that the first write of a zone's only writer would duplicate, and their adoption.

A row is of another writer when its UUID is not ovnguard's and it has the name of a planned row, or an owner in
OVN-Kubernetes' sense: a key ``k8s.ovn.org/...``. Source: ovn-kubernetes ``pkg/libovsdb/ops/db_object_ids.go``.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from reconciler.plan.row_groups import groups_of
from reconciler.plan.rows import IDENTITY_COLUMNS, Operation, Row
from validators.network.model import DEFAULT_NETWORK

OWNERS: Final = "k8s.ovn.org/"
# The maximum number of networks, and of rows of each, that an error names.
_NETWORKS: Final = 5
_ROWS: Final = 3


class ForeignRowsError(Exception):
    """A zone's only writer found rows of another one. Nothing was written."""


@dataclass(frozen=True, slots=True)
class ForeignRow:
    """A row of another writer and the network that it is about; ``clashes``: a planned row has its name."""

    network: str
    row: Row
    clashes: bool


def foreign_rows(
    others: Iterable[Row], desired: Sequence[Row], only: Collection[str] | None = None
) -> tuple[ForeignRow, ...]:
    """Return the rows among ``others`` that stand in the way of the ``desired`` rows, by network and table.

    ``others`` are the rows that are not ovnguard's, with all planned columns. Rows of networks outside of ``only``
    stand in nobody's way.
    """
    planned = {
        (row.table, row.identity): network
        for network, rows in groups_of(desired).items()
        for row in rows
        if row.table in IDENTITY_COLUMNS
    }
    found = []
    for row in others:
        clashes = (row.table, row.identity) in planned
        network = planned.get((row.table, row.identity)) or _owned(row) or (DEFAULT_NETWORK if clashes else "")
        if network and (only is None or network in only):
            found.append(ForeignRow(network, row, clashes))
    return tuple(sorted(found, key=lambda each: (each.network, each.row.table, each.row.identity or (each.row.uuid,))))


def _owned(row: Row) -> str:
    """The network of a row that says that it is of OVN-Kubernetes, else ''."""
    ids = row.columns.get("external_ids")
    if not isinstance(ids, Mapping) or not any(key.startswith(OWNERS) for key in ids):
        return ""
    return row.network or DEFAULT_NETWORK


def adopted(found: Iterable[ForeignRow], adopt: Collection[str]) -> tuple[Operation, ...]:
    """Return the deletions of rows that planned rows of ``adopt`` replace; raise ForeignRowsError for other networks.

    Rows without a name go with the switch or router that they belong to, when it goes.
    """
    rows = tuple(found)
    strange = [each for each in rows if each.network not in adopt]
    if strange:
        raise ForeignRowsError(_refusal(strange))
    return tuple(
        Operation("delete", each.row.table, each.row.uuid, {}, " ".join(each.row.identity or (each.row.uuid,)))
        for each in rows
        if each.clashes
    )


def _refusal(found: Sequence[ForeignRow]) -> str:
    parts = {network: [each.row for each in rows] for network, rows in groupby(found, lambda each: each.network)}
    named = [f"network {network}: {_few(rows)}" for network, rows in list(parts.items())[:_NETWORKS]]
    if len(parts) > _NETWORKS:
        named.append(f"and {len(parts) - _NETWORKS} more networks")
    remedy = "stop the other writer, then name each network with --adopt NETWORK, or use --mode audit"
    return f"the database has {len(found)} rows of another writer: {'; '.join(named)}; {remedy}"


def _few(rows: Sequence[Row]) -> str:
    texts = [f"{row.table} {' '.join(row.identity or (row.uuid,))}" for row in rows[:_ROWS]]
    return ", ".join([*texts, *([f"and {len(rows) - _ROWS} more"] if len(rows) > _ROWS else [])])
