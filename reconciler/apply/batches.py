"""Operations as requests of bounded size: one where they fit, else whole networks after each other.

What networks share is made before and removed after all of them, so every state between two requests is one that a plan
of fewer networks would have.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reconciler.apply.errors import TransactionTooLargeError
from reconciler.apply.ownership import SHARED, Networks, network_key
from reconciler.apply.shared_rows import Snapshot, steps_of
from reconciler.plan.rows import Column, Operation

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


@dataclass(slots=True)
class Batch:
    """The guards and steps of one request, as JSON with commas between, and what each step does: operation, table."""

    guards: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    kinds: list[tuple[str, str]] = field(default_factory=list)
    guard_count: int = 0
    size: int = 0

    def add(self, other: "Batch") -> None:
        """Take in what another batch does."""
        self.guards += other.guards
        self.steps += other.steps
        self.kinds += other.kinds
        self.guard_count += other.guard_count
        self.size += other.size


def batches(operations: Sequence[Operation], before: Snapshot, limit: int) -> list[Batch]:
    """Return requests of at most ``limit`` octets each.

    Raises TransactionTooLargeError when one network alone needs more.
    """
    ready: list[Batch] = []
    for network, part in _parts(operations, before):
        batch = _batch(part, before)
        if batch.size > limit:
            whose = f"network {network}" if network else "all networks together"
            text = f"the changes of {whose} are {batch.size} octets, and a transaction may have {limit}"
            raise TransactionTooLargeError(f"{text}; raise --max-transaction")
        if ready and ready[-1].size + batch.size <= limit:
            ready[-1].add(batch)
        else:
            ready.append(batch)
    return ready


def _parts(operations: Sequence[Operation], before: Snapshot) -> Iterator[tuple[str, Sequence[Operation]]]:
    """Operations by network: first what is shared and not deleted, last what is shared and deleted."""
    wholes = [_whole(operation, before) for operation in operations]
    networks = Networks({network_key(columns) for columns in wholes})
    by_network: dict[str, list[Operation]] = {}
    for operation, columns in zip(operations, wholes, strict=True):
        by_network.setdefault(networks.of(operation.table, columns), []).append(operation)
    shared = by_network.pop(SHARED, [])
    if kept := [operation for operation in shared if operation.op != "delete"]:
        yield SHARED, kept
    yield from by_network.items()
    if gone := [operation for operation in shared if operation.op == "delete"]:
        yield SHARED, gone


def _whole(operation: Operation, before: Snapshot) -> Mapping[str, Column]:
    """The row as it will be, or was."""
    if operation.op == "insert":
        return operation.row
    return {**before.rows[operation.table].get(operation.uuid, {}), **operation.row}


def _batch(operations: Iterable[Operation], before: Snapshot) -> Batch:
    batch = Batch()
    every_guard, every_step = [], []
    for operation in operations:
        guards, steps = steps_of(operation, before)
        every_guard += guards
        every_step += steps
    batch.guard_count = len(every_guard)
    batch.kinds = [(step["op"], step["table"]) for step in every_step]
    # One call for all: a call costs as much as a row.
    batch.guards += [_encode(every_guard)[1:-1]] if every_guard else []
    batch.steps += [_encode(every_step)[1:-1]] if every_step else []
    batch.size = sum(map(len, batch.guards)) + sum(map(len, batch.steps))
    return batch
