"""Plans as text for people: the number of rows per table, and the changes."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from reconciler.plan.bgp.routing import Routing
from reconciler.plan.northbound import tables
from reconciler.plan.rows import Column, Operation, Ref, Row, ZonePlan

# Up to this number, operations on one node are listed individually.
FEW: Final = 20
_SIGNS: Final = {"insert": "+", "update": "~", "delete": "-"}


def zone_as_text(zone: ZonePlan, operations: Sequence[Operation], changes: str) -> str:
    """Return one node's part of a plan: a line per table, the number of changed rows, then ``changes``."""
    counts = Counter[str](operation.op for operation in operations)
    summary = ", ".join(f"{counts[op]} to {op}" for op in _SIGNS if counts[op])
    frr = f", FRR configuration of {len(zone.frr.splitlines())} lines" if zone.frr else ""
    head = f"node {zone.node}: {len(zone.rows)} rows{frr}"
    return f"{head}\n{rows_as_text(zone.rows)}{summary or 'no changes'}\n{changes}"


def objects_as_text(routing: Routing) -> str:
    """Return one line per kind of the objects that make routes, and one per condition that is not met."""
    counts = Counter[str](each["kind"] for each in routing.documents)
    refused = ((f"RouteAdvertisements {each.name}", each.condition) for each in routing.results)
    networks = ((f"ClusterUserDefinedNetwork {name}", each) for name, each in routing.transports.items())
    failed = (
        f"{name}: {each.type} is False: {each.message}\n" for name, each in (*refused, *networks) if not each.status
    )
    return "".join((*(f"object {kind:<28} {count:>4}\n" for kind, count in counts.items()), *failed))


def changes_as_text(operations: Sequence[Operation], *, whole: bool) -> str:
    """Return `operations_as_text` of few ``operations``, or with ``whole``; otherwise one line per table."""
    if whole or len(operations) <= FEW:
        return operations_as_text(operations)
    counts = Counter((operation.op, operation.table) for operation in operations)
    return "".join(f"  {_SIGNS[op]} {table:<28} {count:>4}\n" for (op, table), count in counts.items())


def rows_as_text(rows: Iterable[Row]) -> str:
    """Return the number of rows per table, one line per table in the order of creation."""
    counts = Counter(row.table for row in rows)
    return "".join(f"  {table:<28} {counts[table]:>4}\n" for table in tables() if counts[table])


def operations_as_text(operations: Iterable[Operation]) -> str:
    """Return one line per operation, and below an update one line per column that changes."""
    lines = []
    for operation in operations:
        lines.append(f"  {_SIGNS[operation.op]} {operation.table} {operation.subject or operation.uuid}\n")
        if operation.op == "update":
            lines += [f"      {key} = {_text(operation.row[key])}\n" for key in sorted(operation.row)]
    return "".join(lines)


def _text(column: Column) -> str:
    if isinstance(column, Ref):
        return column.uuid[:8]
    if isinstance(column, tuple):
        return "[" + ", ".join(_text(item) for item in column) + "]"
    if isinstance(column, Mapping):
        return "{" + ", ".join(f"{key}={column[key]}" for key in sorted(column)) + "}"
    return str(column)
