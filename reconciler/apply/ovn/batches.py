"""Operations as requests of limited size: one request if they fit, else one network after the other.

Shared rows are created before and removed after those of all networks, so every state between two requests equals a
plan with fewer networks.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ovnguard.reconciler.apply.ovn.ownership import SHARED, by_network, is_connection_acl
from ovnguard.reconciler.apply.ovn.shared_rows import (
    ZoneSnapshot,
    freed_names,
    is_new,
    name_guard,
    new_row_text,
    steps_of,
    taken_names,
)
from ovnguard.reconciler.apply.store_errors import TransactionTooLargeError
from ovnguard.reconciler.plan.rows.row import Column, Operation, Ref

_LAST: Final = ("ACL", "Port_Group")
_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


@dataclass(slots=True)
class Part:
    """The changes of one network, or of shared rows: guards and steps as comma-separated JSON, and the operation and
    table of each step. ``fault``: why they must not be sent, or "".
    """

    network: str
    guards: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    kinds: list[tuple[str, str]] = field(default_factory=list)
    guard_count: int = 0
    size: int = 0
    fault: str = ""


def parts_of(operations: Sequence[Operation], before: ZoneSnapshot, limit: int) -> list[Part]:
    """Return the changes of each network; raise TransactionTooLargeError when one needs more than ``limit`` octets."""
    freed = freed_names(operations, before)
    taken = taken_names(operations, before, freed)
    found = []
    for network, changes in _in_order(operations, before):
        part = _part(network, changes, before, freed)
        if part.size > limit:
            whose = f"network {network}" if network else "all networks together"
            text = f"the changes of {whose} take {part.size} octets, more than the transaction limit of {limit}"
            raise TransactionTooLargeError(f"{text}; raise --max-transaction")
        part.fault = "; ".join(taken[each.uuid] for each in changes if each.uuid in taken)
        found.append(part)
    return found


def requests_of(parts: Iterable[Part], limit: int) -> list[list[Part]]:
    """Return the parts of each request of at most ``limit`` octets."""
    requests: list[list[Part]] = []
    size = 0
    for part in parts:
        if requests and size + part.size <= limit:
            requests[-1].append(part)
        else:
            requests.append([part])
            size = 0
        size += part.size
    return requests


def _in_order(operations: Sequence[Operation], before: ZoneSnapshot) -> Iterator[tuple[str, Sequence[Operation]]]:
    """Operations by network: shared inserts and updates first, shared deletions last.

    Shared port groups, with their ACLs, come last: they refer to ports of networks, and the server silently drops a
    reference to a row that is not there.
    """
    found = by_network(operations, lambda operation: before.rows[operation.table].get(operation.uuid, {}))
    shared = _without_connected(found.pop(SHARED, []), found, before)
    kept = [operation for operation in shared if operation.op != "delete"]
    for last in (False, True):
        if some := [operation for operation in kept if (operation.table in _LAST) is last]:
            yield SHARED, some
        yield from () if last else found.items()
    if gone := [operation for operation in shared if operation.op == "delete"]:
        yield SHARED, gone


def _without_connected(
    shared: Iterable[Operation], found: Mapping[str, list[Operation]], before: ZoneSnapshot
) -> list[Operation]:
    """Return the ``shared`` operations without those on the ACLs of connections, which switches share.

    The server deletes an ACL that nothing refers to. So a new one comes with the first switch that refers to it, and it
    goes with the last.
    """
    left = []
    for operation in shared:
        columns = {**before.rows[operation.table].get(operation.uuid, {}), **operation.row}
        if not is_connection_acl(operation.table, columns):
            left.append(operation)
        elif operation.op != "delete":
            ref = Ref(operation.uuid)
            holders = (changes for changes in found.values() for each in changes if ref in _refs(each.row.get("acls")))
            next(holders, left).append(operation)
    return left


def _refs(value: Column | None) -> Sequence[Column]:
    return value if isinstance(value, tuple) else ()


def _part(
    network: str,
    operations: Iterable[Operation],
    before: ZoneSnapshot,
    freed: Mapping[tuple[str, str], Sequence[str]],
) -> Part:
    part = Part(network)
    for operation in operations:
        if (absence := name_guard(operation, freed)) is not None:
            part.guards.append(_encode(absence))
        if is_new(operation, before):
            part.steps.append(new_row_text(operation, before))
            part.kinds.append(("insert", operation.table))
            continue
        guard, steps = steps_of(operation, before)
        part.guards.append(_encode(guard))
        part.steps += map(_encode, steps)
        part.kinds += [(step["op"], step["table"]) for step in steps]
    part.guard_count = len(part.guards)
    # One text per network avoids repeated passes over lists of all steps.
    part.guards = [",".join(part.guards)] if part.guards else []
    part.steps = [",".join(part.steps)] if part.steps else []
    part.size = sum(map(len, part.guards)) + sum(map(len, part.steps))
    return part
