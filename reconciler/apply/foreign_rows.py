"""Rows of other writers that the first write of a zone's only writer would duplicate, and their adoption.

A row is of another writer when its UUID is not ovnguard's and it has the name of a planned row, or an owner in
OVN-Kubernetes' sense: a key ``k8s.ovn.org/...``. Source: ovn-kubernetes ``pkg/libovsdb/ops/db_object_ids.go``.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from ovnguard.reconciler.plan.rows.row import IDENTITY_COLUMNS, Operation, Row
from ovnguard.reconciler.plan.rows.row_groups import SHARED, groups_of
from ovnguard.validators.network.list_text import counted
from ovnguard.validators.network.model import DEFAULT_NETWORK

OWNERS: Final = "k8s.ovn.org/"
_OWNER_TYPE: Final = "k8s.ovn.org/owner-type"
# The key of the network in rows of an EgressIP, which the controller of the default network writes for all of them.
_SERVED: Final = "network"
# The maximum number of networks, and of rows of each, that an error names.
_NETWORKS: Final = 5
_ROWS: Final = 3


class ForeignRowsError(Exception):
    """A zone's only writer found rows of another one. Nothing was written."""


@dataclass(frozen=True, slots=True)
class ForeignRow:
    """A row of another writer and the network that it is about, `SHARED` for a row that all networks need.

    ``clashes``: a planned row has its name, or it is a leftover of a network that has no other row any more.
    """

    network: str
    row: Row
    clashes: bool

    def is_adopted(self, adopt: Collection[str]) -> bool:
        """Whether it may be replaced: shared rows go with any network."""
        return self.network in adopt or (self.network == SHARED and bool(adopt))


def foreign_rows(
    others: Iterable[Row], desired: Sequence[Row], only: Collection[str] | None = None
) -> tuple[ForeignRow, ...]:
    """Return the rows among ``others`` that conflict with the ``desired`` rows, by network and table.

    ``others`` are the rows that are not ovnguard's, with all planned columns. Rows of networks outside of ``only``
    do not conflict, but shared rows do.
    """
    rows = tuple(others)
    if not rows:
        return ()
    planned = {
        (row.table, row.identity): network
        for network, rows in groups_of(desired).items()
        for row in rows
        if row.table in IDENTITY_COLUMNS
    }
    found = []
    # '' is that of rows of no network, which are left behind by none
    present = {"", DEFAULT_NETWORK, *(row.network for row in rows), *groups_of(desired)}
    for row in rows:
        network = planned.get((row.table, row.identity))
        left_behind = _left_behind(row) not in present
        clashes = network is not None or left_behind
        if network is None:
            network = DEFAULT_NETWORK if left_behind else _owned(row)
        if network is not None and (only is None or network in only or network == SHARED):
            found.append(ForeignRow(network, row, clashes))
    return tuple(sorted(found, key=_order))


def _order(found: ForeignRow) -> tuple[object, ...]:
    """By network, rows with a planned name first: they help readers most."""
    return found.network, not found.clashes, found.row.table, found.row.identity or (found.row.uuid,)


def _left_behind(row: Row) -> str:
    """The network of the address set of an EgressIP's pods, '' for any other row.

    OVN-Kubernetes leaves these sets behind when it removes a network.
    """
    return _served(row) if row.table == "Address_Set" else ""


def _served(row: Row) -> str:
    """The network that a row of an EgressIP serves, '' for any other row."""
    ids = row.columns.get("external_ids")
    if not isinstance(ids, Mapping) or ids.get(_OWNER_TYPE) != "EgressIP":
        return ""
    return ids.get(_SERVED, "")


def _owned(row: Row) -> str | None:
    """The network of a row that says that it is of OVN-Kubernetes, None for any other row."""
    ids = row.columns.get("external_ids")
    if not isinstance(ids, Mapping) or not any(key.startswith(OWNERS) for key in ids):
        return None
    return _served(row) or row.network or DEFAULT_NETWORK


def adopted(found: Iterable[ForeignRow], adopt: Collection[str]) -> tuple[Operation, ...]:
    """Return the deletions of rows that planned rows of ``adopt`` replace; raise ForeignRowsError for other networks.

    Rows without a name go with the switch or router that they belong to, when it goes.
    """
    rows = tuple(found)
    strange = [each for each in rows if not each.is_adopted(adopt)]
    if strange:
        raise ForeignRowsError(_refusal(strange))
    return tuple(
        Operation("delete", each.row.table, each.row.uuid, {}, " ".join(each.row.identity or (each.row.uuid,)))
        for each in rows
        if each.clashes
    )


def _refusal(found: Sequence[ForeignRow]) -> str:
    remedy = "stop the other writer, then name each network with --adopt NETWORK, or use --mode audit"
    return f"the database has {as_text(found)}; {remedy}"


def as_text(found: Sequence[ForeignRow]) -> str:
    """Return how many rows of another writer there are, and the first of the first networks."""
    parts = {network: [each.row for each in rows] for network, rows in groupby(found, lambda each: each.network)}
    named = [
        f"{f'network {network}' if network else 'shared rows'}: {_few(rows)}"
        for network, rows in list(parts.items())[:_NETWORKS]
    ]
    if len(parts) > _NETWORKS:
        named.append(f"and {len(parts) - _NETWORKS} more networks")
    return f"{counted(len(found), 'row')} of another writer: {'; '.join(named)}"


def _few(rows: Sequence[Row]) -> str:
    texts = [f"{row.table} {' '.join(row.identity or (row.uuid,))}" for row in rows[:_ROWS]]
    return ", ".join([*texts, *([f"and {len(rows) - _ROWS} more"] if len(rows) > _ROWS else [])])
