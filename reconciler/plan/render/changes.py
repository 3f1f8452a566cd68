"""What changes between the rows of zones and their plan, by network and node, as people read it.

Values are texts on one line, references are names. Nodes with the same change are one (see `folding`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from typing import Final, NamedTuple, TypeAlias

from ovnguard.reconciler.plan.comparison.changed_rows import OwnedRow, pairs
from ovnguard.reconciler.plan.comparison.row_differences import printable
from ovnguard.reconciler.plan.render.folding import FoldedText, Owns, folded, folded_texts, generalizations
from ovnguard.reconciler.plan.render.guesses import NO_GUESSES, Guesses
from ovnguard.reconciler.plan.rows.northbound import PLANNED
from ovnguard.reconciler.plan.rows.row import DATABASE_ID, ID_KEY, NOTE_KEYS, Column, Operation, Ref, Row

# Columns of new rows that say who wrote them, or again their name.
_OF_WRITERS: Final = ("external_ids", "name")
_HASHED: Final = ("Address_Set", "Port_Group")
Tables: TypeAlias = Mapping[tuple[str, str], int]
"""Numbers of rows by operation and table."""


class ColumnChange(NamedTuple):
    """One column, or one key of a map as ``COLUMN:KEY``; of a set, the elements that change and how many stay."""

    column: str
    before: str
    after: str
    same: int = 0


class RowChange(NamedTuple):
    """One operation, with the columns of an update, and those of an insert if they are wanted."""

    op: str
    table: str
    subject: str
    columns: tuple[ColumnChange, ...] = ()


class FoldedRows(NamedTuple):
    """The same changes on each of ``nodes``."""

    nodes: tuple[str, ...]
    rows: tuple[RowChange, ...]


@dataclass(frozen=True, slots=True)
class ZoneChange:
    """What changes on one node: ``networks`` are the ``operations`` by network, '' for rows that all networks share.

    ``observed`` are the rows before the operations, ``frr`` the FRR configuration before and after them. Texts mark the
    numbers of ``guesses``; ``own`` is what entries of several nodes do not show.
    """

    node: str
    operations: Sequence[Operation] = ()
    networks: Mapping[str, Sequence[Operation]] = field(default_factory=dict)
    observed: Sequence[Row] = ()
    frr: tuple[str, str] = ("", "")
    guesses: Guesses = NO_GUESSES
    own: Owns = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes."""
        return not self.operations and self.frr[0] == self.frr[1]


@dataclass(frozen=True, slots=True)
class NetworkChanges:
    """The changes of one network: numbers by node, and the rows, folded; nodes with too many are only ``counted``."""

    network: str
    tables: Mapping[str, Tables]
    counted: Mapping[str, Tables]
    folded: tuple[FoldedRows, ...]

    @property
    def counts(self) -> Mapping[str, Counter[str]]:
        """The number of rows by operation, for each node."""
        return {node: by_operation(tables) for node, tables in self.tables.items()}


def replacements(zone: ZoneChange) -> Mapping[str, str]:
    """Return, by the UUID of a new row, that of the row which it replaces because an identifying column changes.

    To people, they are one row that changes.
    """
    before = {row.uuid: row.columns for row in zone.observed}
    gone = [each for each in zone.operations if each.op == "delete" and each.uuid in before]
    tables = {each.table for each in gone}
    new = [each for each in zone.operations if each.op == "insert" and each.table in tables] if gone else []
    old_rows, new_rows = [_owned(each, before[each.uuid]) for each in gone], [_owned(each, each.row) for each in new]
    return {new[other].uuid: gone[one].uuid for one, other in pairs(old_rows, new_rows)}


def _owned(operation: Operation, columns: Mapping[str, Column]) -> OwnedRow:
    """A row without a name has an identity that begins with the name of its owner."""
    return OwnedRow(operation.subject.partition(" ")[0], Row(operation.table, operation.uuid, columns))


def counted_rows(operations: Iterable[Operation], replaced: Mapping[str, str]) -> Counter[tuple[str, str]]:
    """Return the number of rows by operation and table; a row that is ``replaced`` by another counts once."""
    gone = frozenset(replaced.values())
    return Counter(
        ("update" if each.uuid in replaced else each.op, each.table) for each in operations if each.uuid not in gone
    )


def by_operation(tables: Tables) -> Counter[str]:
    """Return the number of rows by operation."""
    found = Counter[str]()
    for (op, _), number in tables.items():
        found[op] += number
    return found


def network_changes(
    zones: Sequence[ZoneChange], *, most: int | None, columns_of_new: bool, fold: bool = True
) -> list[NetworkChanges]:
    """Return the changes of each network in the order of names, then those of rows that all networks share.

    Rows of a node are listed unless there are more than ``most``; None lists all. ``columns_of_new`` lists the columns
    of new rows, too. Without ``fold``, each node has its own rows.
    """
    names = {zone.node: _names(zone) for zone in zones}
    replaced = {zone.node: replacements(zone) for zone in zones}
    found = []
    for network in sorted({name for zone in zones for name in zone.networks}, key=lambda name: (not name, name)):
        tables = {
            zone.node: counted_rows(zone.networks[network], replaced[zone.node])
            for zone in zones
            if zone.networks.get(network)
        }
        rows = {
            zone.node: list(_row_changes(zone, network, names[zone.node], replaced[zone.node], columns_of_new))
            for zone in zones
            if zone.node in tables and (most is None or tables[zone.node].total() <= most)
        }
        counted = {node: counts for node, counts in tables.items() if node not in rows}
        found.append(NetworkChanges(network, tables, counted, _folded_rows(rows, zones, fold=fold)))
    return found


def frr_changes(zones: Iterable[ZoneChange], *, fold: bool = True) -> list[FoldedText]:
    """Return the unified diffs of FRR's configuration; with ``fold``, nodes with the same diff are one."""
    texts, own = {}, {}
    for zone in zones:
        own[zone.node] = zone.own
        before, after = (text.splitlines() for text in zone.frr)
        texts[zone.node] = tuple(
            zone.guesses.marked(printable(line))
            for line in unified_diff(before, after, "frr.conf", "frr.conf (planned)", lineterm="")
        )
    changed = {node: lines for node, lines in texts.items() if lines}
    return folded_texts(changed, own) if fold else [FoldedText((node,), each) for node, each in changed.items()]


def _names(zone: ZoneChange) -> Mapping[str, str]:
    """The names of rows by UUID, before and after."""
    names = {row.uuid: " ".join(row.identity or (row.uuid,)) for row in zone.observed}
    return names | {each.uuid: each.subject for each in zone.operations if each.subject}


def _row_changes(
    zone: ZoneChange, network: str, names: Mapping[str, str], replaced: Mapping[str, str], columns_of_new: bool
) -> Iterator[RowChange]:
    known, gone = {row.uuid: row.columns for row in zone.observed}, frozenset(replaced.values())
    for operation in zone.networks[network]:
        if operation.uuid in gone:
            continue
        each, before = operation, known.get(replaced.get(operation.uuid, operation.uuid), {})
        if operation.uuid in replaced:
            changed = {name: value for name, value in operation.row.items() if before.get(name) != value}
            each = replace(operation, op="update", row=changed)
        columns: tuple[ColumnChange, ...] = ()
        if each.op == "update" or (each.op == "insert" and columns_of_new):
            columns = tuple(_column_changes(before, each, names))
        whole = {**before, **each.row}
        subject = printable(each.subject or each.uuid) + _meaning(each.table, whole)
        row = RowChange(each.op, each.table, subject, columns)
        yield _with_texts(row, lambda text: zone.guesses.marked(text, network))


def _meaning(table: str, columns: Mapping[str, Column]) -> str:
    """What a row with a hash for a name is about, as its writer noted."""
    ids = columns.get("external_ids") if table in _HASHED else None
    meaning = ids.get(DATABASE_ID, "") if isinstance(ids, Mapping) else ""
    return f" ({printable(meaning)})" if meaning else ""


def _column_changes(
    before: Mapping[str, Column], operation: Operation, names: Mapping[str, str]
) -> Iterator[ColumnChange]:
    own = names.get(operation.uuid, "")
    for name in sorted(operation.row):
        old, new = before.get(name), operation.row[name]
        if operation.op == "insert" and (name in _OF_WRITERS or new == PLANNED[operation.table].get(name)):
            continue
        if isinstance(old, Mapping) or isinstance(new, Mapping):
            yield from _map_changes(name, old, new)
        elif isinstance(old, tuple) or isinstance(new, tuple):
            yield from _set_changes(name, old, new, lambda each: _text(each, names, own))
        else:
            yield ColumnChange(name, "" if old is None else _text(old, names, own), _text(new, names, own))


def _map_changes(name: str, old: Column | None, new: Column) -> Iterator[ColumnChange]:
    was, now = (each if isinstance(each, Mapping) else {} for each in (old, new))
    for key in sorted(was.keys() | now.keys()):
        if was.get(key) != now.get(key) and key not in (*NOTE_KEYS, ID_KEY):
            before, after = ("" if each.get(key) is None else _quoted(each[key]) for each in (was, now))
            yield ColumnChange(printable(f"{name}:{key}"), before, after)


def _set_changes(name: str, old: Column | None, new: Column, text: Callable[[object], str]) -> Iterator[ColumnChange]:
    was, now = (Counter(each if isinstance(each, tuple) else ()) for each in (old, new))
    gone, added = was - now, now - was
    if gone or added:
        before, after = ("[" + ", ".join(sorted(map(text, each.elements()))) + "]" for each in (gone, added))
        yield ColumnChange(name, before, after, (was & now).total())


def _text(value: object, names: Mapping[str, str], own: str) -> str:
    """A value as text: of a row, its name, without that of the row ``own`` that refers to it."""
    if isinstance(value, Ref):
        name = names.get(value.uuid)
        return f"row {value.uuid[:8]} of another writer" if name is None else printable(name.removeprefix(f"{own} "))
    return _quoted(str(value))


def _quoted(text: str) -> str:
    return printable(text) or '""'


def _folded_rows(
    rows: Mapping[str, Sequence[RowChange]], zones: Iterable[ZoneChange], *, fold: bool
) -> tuple[FoldedRows, ...]:
    """Nodes with the same change are one; the changes of most nodes come first."""
    if not fold:
        return tuple(FoldedRows((node,), tuple(changes)) for node, changes in rows.items())
    own = {zone.node: zone.own for zone in zones}

    def general_rows(row: RowChange, node: str) -> list[RowChange]:
        return [_with_texts(row, each) for each in generalizations(node, own[node])]

    groups: dict[tuple[str, ...], list[RowChange]] = {}
    for row, nodes in folded(rows, general_rows):
        groups.setdefault(nodes, []).append(row)
    order = {node: number for number, node in enumerate(rows)}
    keys = sorted(groups, key=lambda each: (-len(each), [order[node] for node in each]))
    return tuple(FoldedRows(key, tuple(groups[key])) for key in keys)


def _with_texts(row: RowChange, change: Callable[[str], str]) -> RowChange:
    """The row with changed texts."""
    columns = tuple(each._replace(before=change(each.before), after=change(each.after)) for each in row.columns)
    return row._replace(subject=change(row.subject), columns=columns)
