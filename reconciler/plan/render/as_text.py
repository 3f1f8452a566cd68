"""Changes as text for people: by network and node, old and new values, FRR as a unified diff, and a closing line."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.bgp.routing import Routing
from ovnguard.reconciler.plan.comparison.row_differences import printable
from ovnguard.reconciler.plan.render.changes import (
    ColumnChange,
    NetworkChanges,
    RowChange,
    ZoneChange,
    by_operation,
    counted_rows,
    frr_changes,
    network_changes,
    replacements,
)
from ovnguard.reconciler.plan.render.folding import FoldedText
from ovnguard.validators.network.list_text import counted

# Up to this number, changes of one network on one node are listed individually.
FEW: Final = 20
SIGNS: Final[Mapping[str, str]] = {"insert": "+", "update": "~", "delete": "-"}
_NAMED: Final = 2
NONE: Final = "(none)"


class Mark(Enum):
    """What a line is, for its colour."""

    PLAIN = ""
    HEADING = "heading"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    PLACE = "place"


class Line(NamedTuple):
    """One line of text, without its line break."""

    text: str
    mark: Mark = Mark.PLAIN


def node_list(nodes: Sequence[str], *, whole: bool = False) -> str:
    """Return ``a``, ``a and b``, ``a, b and c``, or from four nodes on, unless ``whole``, ``a, b and 2 more``."""
    if len(nodes) > _NAMED + 1 and not whole:
        return f"{', '.join(nodes[:_NAMED])} and {len(nodes) - _NAMED:,} more"
    return " and ".join(filter(None, (", ".join(nodes[:-1]), *nodes[-1:])))


def changes_as_lines(
    zones: Sequence[ZoneChange], *, whole: bool, columns: bool = False, fold: bool = True
) -> Iterator[Line]:
    """Yield the changes by network and node.

    Where a network changes in many rows, tables are counted; ``whole`` lists every row, ``columns`` those of new ones.
    Without ``fold``, each node has its own rows.
    """
    for each in network_changes(zones, most=None if whole else FEW, columns_of_new=columns, fold=fold):
        yield from _network_lines(each)
    yield from _new_frr(zones, whole=whole)
    known = [zone for zone in zones if zone.frr[0] or whole]
    for found in frr_changes(known, fold=fold):
        yield from _frr_lines(found)
    same = [zone.node for zone in zones if zone.is_empty]
    if same and len(same) < len(zones):
        yield Line(f"no changes on {node_list(same, whole=not fold)}")


def titled_nodes(nodes: Sequence[str], *, whole: bool = False) -> str:
    """Return ``node a``, or ``nodes a and b``."""
    return f"{'node' if len(nodes) == 1 else 'nodes'} {node_list(nodes, whole=whole)}"


def unplanned_text(networks: Sequence[str]) -> str:
    """Return ``1 network not planned``, or '' for none."""
    return f"{counted(len(networks), 'network')} not planned" if networks else ""


def closing(zones: Sequence[ZoneChange], objects: str = "") -> str:
    """Return ``7 to add, 6 to change, 7 to destroy on 3 nodes``, with FRR and ``objects``, or '' for no change."""
    counts = by_operation(sum((counted_rows(zone.operations, replacements(zone)) for zone in zones), Counter()))
    nodes = sum(not zone.is_empty for zone in zones)
    frr = sum(zone.frr[0] != zone.frr[1] for zone in zones)
    if not nodes and not objects:
        return ""
    parts = [f"{counts_text(counts)} on {counted(nodes, 'node')}"]
    parts += [f"FRR configuration of {counted(frr, 'node')}"] * bool(frr) + [objects] * bool(objects)
    return "; ".join(parts)


def counts_text(counts: Mapping[str, int]) -> str:
    """Return ``1 to add, 0 to change, 2 to destroy``."""
    words = (("insert", "add"), ("update", "change"), ("delete", "destroy"))
    return ", ".join(f"{counts.get(op, 0):,} to {word}" for op, word in words)


def routing_as_lines(routing: Routing, errors: Iterable[str] = (), *, counting: bool = True) -> Iterator[Line]:
    """Yield the number of objects that make routes, if wanted, and each condition that is not met and no error says."""
    if counting and (counts := Counter[str](each["kind"] for each in routing.documents)):
        yield Line(f"objects that make routes: {', '.join(f'{count:,} {kind}' for kind, count in counts.items())}")
    results = ((f"RouteAdvertisements {each.name}", each.condition) for each in routing.results)
    networks = ((f"ClusterUserDefinedNetwork {name}", each) for name, each in routing.transports.items())
    shown = tuple(errors)
    for name, each in (*results, *networks):
        if not each.status and not any(each.message in text for text in shown):
            yield Line(printable(f"{name}: {each.type} is False: {each.message}"))


def _network_lines(found: NetworkChanges) -> Iterator[Line]:
    name = f"network {found.network}" if found.network else "rows of all networks"
    yield Line(f"{name}: {_headline(found)}", Mark.HEADING)
    yield from _table_lines(found)
    for nodes, rows in found.folded:
        yield Line(f"  {node_list(nodes)}:")
        for row in rows:
            yield from _row_lines(row)


def _headline(found: NetworkChanges) -> str:
    """The numbers on each node where they are equal, else of all nodes."""
    counts = list(found.counts.values())
    if len(counts) > 1 and all(each == counts[0] for each in counts):
        return f"{counts_text(counts[0])} on each of {len(counts):,} nodes"
    return f"{counts_text(sum(counts, Counter()))} on {counted(len(counts), 'node')}"


def _table_lines(found: NetworkChanges) -> Iterator[Line]:
    """One line per operation and table; nodes with the same numbers are one."""
    groups: dict[tuple[tuple[tuple[str, str], int], ...], list[str]] = {}
    for node, tables in found.counted.items():
        groups.setdefault(tuple(tables.items()), []).append(node)
    for counts, nodes in groups.items():
        yield Line(f"  {node_list(nodes)}:")
        for (op, table), number in counts:
            yield Line(f"    {SIGNS[op]} {table:<28} {number:>4,}", Mark(op))


def _row_lines(row: RowChange) -> Iterator[Line]:
    yield Line(f"    {SIGNS[row.op]} {row.table} {row.subject}", Mark(row.op))
    for each in row.columns:
        yield Line(f"        {column_text(each, new=row.op == 'insert')}")


def column_text(each: ColumnChange, *, new: bool = False) -> str:
    """Return ``COLUMN: OLD -> NEW``, of a ``new`` row ``COLUMN: VALUE``."""
    if new:
        return f"{each.column}: {each.after}"
    same = f" ({each.same} unchanged)" if each.same else ""
    return f"{each.column}: {each.before or NONE} -> {each.after or NONE}{same}"


def _new_frr(zones: Sequence[ZoneChange], *, whole: bool) -> Iterator[Line]:
    """Lines about nodes without FRR configuration until now, one for each length."""
    nodes: dict[int, list[str]] = {}
    for zone in zones if not whole else ():
        before, after = zone.frr
        if after and not before:
            nodes.setdefault(len(after.splitlines()), []).append(zone.node)
    for length, named in nodes.items():
        yield Line(f"FRR configuration of {node_list(named)}: {counted(length, 'line')} to add", Mark.HEADING)


def _frr_lines(found: FoldedText) -> Iterator[Line]:
    yield Line(f"FRR configuration of {node_list(found.nodes)}:", Mark.HEADING)
    marks = {"+": Mark.INSERT, "-": Mark.DELETE, "@": Mark.PLACE}
    for line in found.lines:
        yield Line(f"    {line}", marks.get(line[:1], Mark.PLAIN))
