"""Rows shared with other writers: ovnguard's part of a row, and transactions that change only that part.

OVN-Kubernetes, operators and people write to the same database, even to the same rows: pods become ports of ovnguard's
switches, tools add keys to maps. Therefore

- a row is ovnguard's when its UUID is the one that `reconciler.plan.rows.row` computes from its own identity;
- a set of references shows the references to our rows only, and is changed by adding and removing those;
- a map shows the keys that we wrote, and is changed key by key. The row itself lists these keys
  (`reconciler.apply.ovn.row_notes`), so that a later version of the plan can still take away what an earlier one wrote;
- every other column is ours whole, a reference to at most one row as well.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

from ovnguard.reconciler.apply.ovn.inserts import insert_text
from ovnguard.reconciler.apply.ovn.northbound_schema import Schema
from ovnguard.reconciler.apply.ovn.ovsdb_json import decode, row_json, value_json
from ovnguard.reconciler.apply.ovn.row_notes import HASH, IDS, KEYS, digest, keys_text, written_keys
from ovnguard.reconciler.plan.rows.northbound import NUMBER_MAPS
from ovnguard.reconciler.plan.rows.row import Column, Operation, Ref, Row

# The place of the version in the text of a UUID; only ovnguard's derive from names (version 5, RFC 9562).
_VERSION: Final = 14
_NAMES_WITHOUT_INDEX: Final = ("Logical_Switch", "Logical_Router")


@dataclass(frozen=True, slots=True)
class ZoneSnapshot:
    """The result of one read: complete rows of some tables, and the UUIDs of all of ovnguard's rows."""

    schema: Schema
    rows: Mapping[str, Mapping[str, Mapping[str, Column]]]
    owned: frozenset[str] | set[str]

    def visible(self) -> tuple[Row, ...]:
        """Return ovnguard's rows, restricted to ovnguard's parts, ordered by table and UUID.

        A row that differs from its own notes keeps the note in its external_ids, so it differs from the planned row
        even if only the note is wrong.
        """
        return tuple(
            Row(table, uuid, self.own_columns(table, rows[uuid]))
            for table, rows in sorted(self.rows.items())
            for uuid in sorted(rows)
            if uuid in self.owned
        )

    def own_columns(self, table: str, columns: Mapping[str, Column]) -> dict[str, Column]:
        """Return ovnguard's part of a row of ``table``."""
        types = self.schema.tables[table]
        ids = columns.get(IDS)
        written = written_keys(ids) if IDS in types else None
        own: dict[str, Column] = {}
        for name, value in columns.items():
            if not value or isinstance(value, (str, int)):
                own[name] = value
            elif isinstance(value, tuple):
                own[name] = self._own_references(value) if types[name].is_reference_set else value
            else:
                keys = value.keys() if written is None else written.get(name, ())
                own[name] = {key: value[key] for key in keys if key in value}
        if isinstance(ids, Mapping) and ids.get(HASH, "") != digest(own):
            own[IDS] = {**_mapping(own[IDS]), HASH: ids.get(HASH, "")}
        return own

    def guests(self) -> Iterator[tuple[str, Mapping[str, Column]]]:
        """Iterate over (switch name, columns) of the ports that others added to ovnguard's switches."""
        ports = self.rows["Logical_Switch_Port"]
        for uuid, switch in self.rows["Logical_Switch"].items():
            if uuid in self.owned:
                refs = [ref for ref in _tuple(switch["ports"]) if isinstance(ref, Ref) and ref.uuid not in self.owned]
                yield from ((str(switch["name"]), ports[ref.uuid]) for ref in refs if ref.uuid in ports)

    def _own_references(self, value: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple([ref for ref in _tuple(value) if isinstance(ref, Ref) and ref.uuid in self.owned])


def select_all(schema: Schema) -> list[dict[str, Any]]:
    """Return the operations that read every planned column of every row, at one moment."""
    return [
        {"op": "select", "table": table, "where": [], "columns": ["_uuid", *columns]}
        for table, columns in schema.tables.items()
    ]


def select_some(schema: Schema, uuids: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the operations that read the rows with these tables and UUIDs, at one moment."""
    return [
        {
            "op": "select",
            "table": table,
            "where": [["_uuid", "==", ["uuid", uuid]]],
            "columns": ["_uuid", *schema.tables[table]],
        }
        for table, uuid in uuids
    ]


def snapshot(schema: Schema, results: Sequence[Any]) -> ZoneSnapshot:
    """Return the snapshot from the results of `select_all`. Empties ``results``, because the rows are many."""
    owned: set[str] = set()
    rows = {
        table: _rows(schema, table, result.pop("rows"), owned)
        for table, result in zip(schema.tables, results, strict=True)
    }
    return ZoneSnapshot(schema, rows, frozenset(owned))


def partial_snapshot(schema: Schema, tables: Sequence[str], results: Sequence[Any], owned: set[str]) -> ZoneSnapshot:
    """Return the snapshot from the results of `select_some` for ``tables``; ``owned``, ovnguard's UUIDs so far, is
    extended.
    """
    rows: dict[str, dict[str, Mapping[str, Column]]] = {table: {} for table in schema.tables}
    for table, result in zip(tables, results, strict=True):
        rows[table].update(_rows(schema, table, result["rows"], owned))
    return ZoneSnapshot(schema, rows, owned)


def _rows(schema: Schema, table: str, found: list[Any], owned: set[str]) -> dict[str, Mapping[str, Column]]:
    kinds = [(name, column.kind) for name, column in schema.tables[table].items()]
    rows: dict[str, Mapping[str, Column]] = {}
    # Removed one by one, so that tens of thousands of rows do not exist in both forms.
    found.reverse()
    while found:
        raw = found.pop()
        uuid = raw["_uuid"][1]
        columns = {name: decode(raw[name], kind) for name, kind in kinds}
        rows[uuid] = columns
        if uuid[_VERSION] == "5" and Row(table, uuid, columns).is_ours:
            owned.add(uuid)
    return rows


def is_new(operation: Operation, before: ZoneSnapshot) -> bool:
    """Whether the operation inserts a row.

    A manual change may make a row unrecognisable (another name, for example). The plan then inserts it again, and the
    insert overwrites the row.
    """
    return operation.op == "insert" and operation.uuid not in before.rows[operation.table]


def new_row_text(operation: Operation, before: ZoneSnapshot) -> str:
    """Return the JSON text of an operation that `is_new`."""
    return insert_text(operation, noted=IDS in before.schema.tables[operation.table])


def freed_names(operations: Iterable[Operation], before: ZoneSnapshot) -> Mapping[tuple[str, str], list[str]]:
    """Return the switches and routers that ``operations`` delete: their UUIDs by table and name."""
    found: dict[tuple[str, str], list[str]] = {}
    for operation in operations:
        if operation.op == "delete" and operation.table in _NAMES_WITHOUT_INDEX:
            name = str(before.rows[operation.table].get(operation.uuid, {}).get("name", ""))
            found.setdefault((operation.table, name), []).append(operation.uuid)
    return found


def name_guard(operation: Operation, freed: Mapping[tuple[str, str], Sequence[str]]) -> dict[str, Any] | None:
    """Return the guard that a new switch or router is the only one of its name, None for other operations.

    OVN does not index these names: northd would build two switches of one name. ``freed`` are those that the same
    transaction deletes.
    """
    if operation.op != "insert" or operation.table not in _NAMES_WITHOUT_INDEX:
        return None
    name = str(operation.row["name"])
    return {
        "op": "wait",
        "timeout": 0,
        "table": operation.table,
        "where": [["name", "==", name]],
        "columns": ["_uuid"],
        "until": "==",
        "rows": [{"_uuid": ["uuid", uuid]} for uuid in freed.get((operation.table, name), ())],
    }


def taken_names(
    operations: Iterable[Operation], before: ZoneSnapshot, freed: Mapping[tuple[str, str], Sequence[str]]
) -> Mapping[str, str]:
    """Return, by UUID, the errors of new switches and routers of whose name ``before`` has one already.

    ``freed`` are those that the same transaction deletes.
    """
    wanted = {
        (each.table, each.row["name"]): each.uuid
        for each in operations
        if each.op == "insert" and each.table in _NAMES_WITHOUT_INDEX
    }
    if not wanted:
        return {}
    return {
        ours: f"{table} {row['name']} exists already (UUID {uuid}) and is not ovnguard's"
        for table in _NAMES_WITHOUT_INDEX
        for uuid, row in before.rows.get(table, {}).items()
        if (ours := wanted.get((table, row["name"]), uuid)) != uuid
        and uuid not in freed.get((table, str(row["name"])), ())
    }


def steps_of(operation: Operation, before: ZoneSnapshot) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the guard and the steps of one operation on an existing row.

    The row must still exist, and every column to overwrite must equal ``before``; otherwise nothing happens and the
    server answers "timed out".
    """
    if operation.op == "delete":
        return _unchanged(operation, {}), [{"op": "delete", "table": operation.table, "where": _this(operation)}]
    return _update(operation, before)


def _update(operation: Operation, before: ZoneSnapshot) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the guard and the steps of one changed row."""
    types = before.schema.tables[operation.table]
    was = before.rows.get(operation.table, {}).get(operation.uuid, {})
    overwritten: dict[str, Column] = {}
    mutations: list[list[Any]] = []
    maps: dict[str, Mapping[str, str]] = {}
    own = before.own_columns(operation.table, was)
    # a row of another writer gets no notes
    is_ours = operation.op == "insert" or operation.uuid in before.owned
    for name, value in operation.row.items():
        own[name] = value
        if isinstance(value, Mapping):
            maps[name] = value
        elif types[name].is_reference_set:
            wanted, had = _tuple(value), frozenset(_tuple(was.get(name, ())))
            gone = {ref for ref in had - frozenset(wanted) if ref.uuid in before.owned or not is_ours}
            mutations.extend(_references(name, gone, frozenset(wanted) - had))
            own[name] = tuple(ref for ref in wanted if ref not in had or ref.uuid in before.owned)
        else:
            overwritten[name] = value
    note = digest(own) if IDS in types and is_ours else None
    mutations.extend(_map_mutations(operation.table, maps, was, note))
    changes: list[dict[str, Any]] = []
    if overwritten:
        row = row_json(overwritten)
        changes.append({"op": "update", "table": operation.table, "where": _this(operation), "row": row})
    if mutations:
        changes.append({"op": "mutate", "table": operation.table, "where": _this(operation), "mutations": mutations})
    return _unchanged(operation, {name: was[name] for name in overwritten if name in was}), changes


def _references(name: str, gone: Set[Any], new: Set[Any]) -> Iterator[list[Any]]:
    """Ten thousand load balancers may be in one group."""
    if gone:
        yield [name, "delete", value_json(tuple(sorted(gone)))]
    if new:
        yield [name, "insert", value_json(tuple(sorted(new)))]


def _map_mutations(
    table: str, maps: Mapping[str, Mapping[str, str]], was: Mapping[str, Column], note: str | None
) -> Iterator[list[Any]]:
    """Change maps key by key; ``note`` is the new digest, None for a table without notes.

    Insert into a map never replaces a value (RFC 7047, 5.1), so keys are deleted first.
    """
    written = {} if note is None else written_keys(was.get(IDS))
    wanted = {name: dict(value) for name, value in maps.items()}
    if note is not None:
        ids = wanted.setdefault(IDS, {})
        ids[HASH] = note
        if maps:
            ids[KEYS] = keys_text({name: sorted(value) for name, value in {**written, **maps}.items() if value})
    for name, value in sorted(wanted.items()):
        before = was.get(name, {})
        old = set(written.get(name, ())) if name in maps else set()
        if name in maps and note is None and isinstance(before, Mapping):
            old = set(before)
        yield [name, "delete", ["set", sorted(old | value.keys())]]
        if value:
            yield [name, "insert", value_json(value, numbers=(table, name) in NUMBER_MAPS)]


def _this(operation: Operation) -> list[Any]:
    return [["_uuid", "==", ["uuid", operation.uuid]]]


def _unchanged(operation: Operation, columns: Mapping[str, Column]) -> dict[str, Any]:
    row = {"_uuid": ["uuid", operation.uuid], **row_json(columns)}
    return {
        "op": "wait",
        "timeout": 0,
        "table": operation.table,
        "where": _this(operation),
        "columns": sorted(row),
        "until": "==",
        "rows": [row],
    }


def _mapping(value: Column) -> Mapping[str, str]:
    return value if isinstance(value, Mapping) else {}


def _tuple(value: Column) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) and not isinstance(value, Ref) else (value,)
