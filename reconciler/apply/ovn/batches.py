"""Operations as requests of limited size: one request if they fit, else one network after the other.

Shared rows are created before and removed after those of all networks, so every state between two requests equals a
plan with fewer networks.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reconciler.apply.ovn.ownership import SHARED, Networks, network_key
from reconciler.apply.ovn.shared_rows import ZoneSnapshot, is_new, new_row_text, steps_of
from reconciler.apply.store_errors import TransactionTooLargeError
from reconciler.plan.rows import Column, Operation

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


@dataclass(slots=True)
class Batch:
    """The guards and steps of one request, as comma-separated JSON, and the operation and table of each step."""

    guards: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    kinds: list[tuple[str, str]] = field(default_factory=list)
    guard_count: int = 0
    size: int = 0

    def add(self, other: "Batch") -> None:
        """Append another batch."""
        self.guards += other.guards
        self.steps += other.steps
        self.kinds += other.kinds
        self.guard_count += other.guard_count
        self.size += other.size


def batches(operations: Sequence[Operation], before: ZoneSnapshot, limit: int) -> list[Batch]:
    """Return requests of at most ``limit`` octets each.

    Raises TransactionTooLargeError when one network alone needs more.
    """
    ready: list[Batch] = []
    for network, part in _parts(operations, before):
        batch = _batch(part, before)
        if batch.size > limit:
            whose = f"network {network}" if network else "all networks together"
            text = f"the changes of {whose} take {batch.size} octets, more than the transaction limit of {limit}"
            raise TransactionTooLargeError(f"{text}; raise --max-transaction")
        if ready and ready[-1].size + batch.size <= limit:
            ready[-1].add(batch)
        else:
            ready.append(batch)
    return ready


def _parts(operations: Sequence[Operation], before: ZoneSnapshot) -> Iterator[tuple[str, Sequence[Operation]]]:
    """Operations by network: shared inserts and updates first, shared deletions last."""
    wholes = [_whole(operation, before) for operation in operations]
    named = [network_key(columns) for columns in wholes]
    networks = Networks(set(named))
    by_network: dict[str, list[Operation]] = {}
    for operation, columns, name in zip(operations, wholes, named, strict=True):
        by_network.setdefault(name or networks.of(operation.table, columns), []).append(operation)
    shared = by_network.pop(SHARED, [])
    if kept := [operation for operation in shared if operation.op != "delete"]:
        yield SHARED, kept
    yield from by_network.items()
    if gone := [operation for operation in shared if operation.op == "delete"]:
        yield SHARED, gone


def _whole(operation: Operation, before: ZoneSnapshot) -> Mapping[str, Column]:
    """The row after the operation, or before a deletion."""
    if operation.op == "insert":
        return operation.row
    return {**before.rows[operation.table].get(operation.uuid, {}), **operation.row}


def _batch(operations: Iterable[Operation], before: ZoneSnapshot) -> Batch:
    batch = Batch()
    for operation in operations:
        if is_new(operation, before):
            batch.steps.append(new_row_text(operation, before))
            batch.kinds.append(("insert", operation.table))
            continue
        guard, steps = steps_of(operation, before)
        batch.guards.append(_encode(guard))
        batch.steps += map(_encode, steps)
        batch.kinds += [(step["op"], step["table"]) for step in steps]
    batch.guard_count = len(batch.guards)
    # One text per network avoids repeated passes over lists of all steps.
    batch.guards = [",".join(batch.guards)] if batch.guards else []
    batch.steps = [",".join(batch.steps)] if batch.steps else []
    batch.size = sum(map(len, batch.guards)) + sum(map(len, batch.steps))
    return batch
