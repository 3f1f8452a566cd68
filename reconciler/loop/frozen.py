"""Rows of networks that exist but cannot be planned now stay as they are: doubt never takes a network down.

Only the end of its object removes a network's rows.
"""

from collections.abc import Iterable, Mapping, Sequence

from reconciler.apply.converge import Choose
from reconciler.plan.names import Names
from reconciler.plan.rows import NETWORK_KEY, Operation, Row
from validators.network.model import DEFAULT_NETWORK


def without_deletes_of(networks: Iterable[str]) -> Choose:
    """Return a choice that leaves out deletions of rows of these networks, and of rows that they share with others."""
    frozen = frozenset(networks) - {DEFAULT_NETWORK, ""}
    prefixes = tuple(Names(name).prefix for name in frozen)

    def choose(operations: Sequence[Operation], observed: Sequence[Row]) -> Sequence[Operation]:
        if not frozen:
            return operations
        rows = {row.uuid: row for row in observed}
        kept = {uuid for uuid, row in rows.items() if _belongs(row, frozen, prefixes)}
        if not kept:
            return operations
        return [
            operation
            for operation in operations
            if operation.op != "delete" or (operation.uuid not in kept and not _is_shared(rows[operation.uuid]))
        ]

    return choose


def _belongs(row: Row, frozen: frozenset[str], prefixes: tuple[str, ...]) -> bool:
    network = _network_of(row)
    if network:
        return network in frozen
    if row.table == "Static_MAC_Binding":
        # It has no external_ids; its port is named after the gateway router.
        return str(row.columns.get("logical_port", "")).startswith(tuple(f"rtoe-GR_{prefix}" for prefix in prefixes))
    return row.table == "Load_Balancer_Group" and str(row.columns.get("name", "")).startswith(prefixes)


def _is_shared(row: Row) -> bool:
    return row.table in ("Copp", "Meter", "Meter_Band")


def _network_of(row: Row) -> str:
    ids = row.columns.get("external_ids")
    return ids.get(NETWORK_KEY, "") if isinstance(ids, Mapping) else ""
