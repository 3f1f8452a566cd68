"""Rows that we share with others: what of a row is ours to compare, and transactions that leave the rest alone.

OVN-Kubernetes, operators and people write into the same database, into the same rows even: pods become ports of our
switches, tools add keys to maps. So

- a row is ours when its UUID is the one that `reconciler.plan.rows` computes from its own identity;
- a set of references shows the references to our rows only, and is changed by adding and removing those;
- a map shows the keys that we wrote, and is changed key by key. Which keys those are stands in the row itself, in
  ``external_ids`` under `KEYS`, so that a later version of the plan can still take away what an earlier one wrote;
- every other column is ours whole.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from reconciler.apply.notation import Kind, decode
from reconciler.apply.schema import Schema
from reconciler.plan.as_json import column_to_json, columns_to_json
from reconciler.plan.rows import Column, Operation, Ref, Row

KEYS: Final = "ovnguard.io/keys"
_IDS: Final = "external_ids"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything read at one moment: all rows of some tables, whole, and which of them are ours."""

    schema: Schema
    rows: Mapping[str, Mapping[str, Mapping[str, Column]]]
    owned: frozenset[str]

    def visible(self) -> tuple[Row, ...]:
        """Return our rows with what is ours in them, ordered by table and UUID."""
        return tuple(
            Row(table, uuid, self._own_columns(table, columns))
            for table, rows in sorted(self.rows.items())
            for uuid, columns in sorted(rows.items())
            if uuid in self.owned
        )

    def _own_columns(self, table: str, columns: Mapping[str, Column]) -> dict[str, Column]:
        types = self.schema.tables[table]
        written = _written_keys(columns.get(_IDS)) if _IDS in types else None
        own: dict[str, Column] = {}
        for name, value in columns.items():
            if isinstance(value, Mapping):
                keys = value.keys() if written is None else written.get(name, ())
                own[name] = {key: value[key] for key in keys if key in value}
            elif types[name].kind is Kind.SET and types[name].is_reference:
                own[name] = tuple(ref for ref in _tuple(value) if self._is_own(ref))
            else:
                own[name] = value
        return own

    def _is_own(self, atom: object) -> bool:
        return isinstance(atom, Ref) and atom.uuid in self.owned


def select_all(schema: Schema) -> list[dict[str, Any]]:
    """Return the operations that read every planned column of every row, at one moment."""
    return [
        {"op": "select", "table": table, "where": [], "columns": ["_uuid", *columns]}
        for table, columns in schema.tables.items()
    ]


def snapshot(schema: Schema, results: Sequence[Any]) -> Snapshot:
    """Return what the operations of `select_all` answered."""
    rows: dict[str, dict[str, Mapping[str, Column]]] = {}
    owned: set[str] = set()
    for (table, types), result in zip(schema.tables.items(), results, strict=True):
        rows[table] = {}
        for raw in result["rows"]:
            uuid = raw["_uuid"][1]
            columns = {name: decode(raw[name], column.kind) for name, column in types.items()}
            rows[table][uuid] = columns
            # Only our UUIDs are made from names (version 5, RFC 9562); servers make random ones.
            if uuid[14] == "5" and Row(table, uuid, columns).is_ours:
                owned.add(uuid)
    return Snapshot(schema, rows, frozenset(owned))


def transaction(operations: Sequence[Operation], before: Snapshot) -> list[dict[str, Any]]:
    """Return the operations of one ``transact`` request, guarded by what ``before`` saw.

    Guards come first: every row to be changed or deleted must still be there, and every column to be overwritten
    must still hold what was read, else nothing happens and the server says "timed out". A row that somebody has made
    unrecognisable (by another name, say) is seen as not ours, so the plan inserts it: it is overwritten instead.
    """
    guards: list[dict[str, Any]] = []
    steps: list[dict[str, Any]] = []
    for operation in operations:
        known = operation.uuid in before.rows[operation.table]
        if operation.op == "insert" and not known:
            steps.append(_insert(operation, before.schema))
        elif operation.op == "delete":
            guards.append(_unchanged(operation, {}))
            steps.append({"op": "delete", "table": operation.table, "where": _this(operation)})
        else:
            found, changes = _update(operation, before)
            guards.append(found)
            steps.extend(changes)
    return [*guards, *steps]


def _insert(operation: Operation, schema: Schema) -> dict[str, Any]:
    row: dict[str, Column] = dict(operation.row)
    maps = {name: sorted(value) for name, value in row.items() if isinstance(value, Mapping) and value}
    if maps and _IDS in schema.tables[operation.table]:
        ids = row.get(_IDS, {})
        assert isinstance(ids, Mapping)
        row[_IDS] = {**ids, KEYS: _keys_text(maps)}
    return {"op": "insert", "table": operation.table, "uuid": operation.uuid, "row": columns_to_json(row)}


def _update(operation: Operation, before: Snapshot) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the guard of one changed row, and what changes it."""
    types = before.schema.tables[operation.table]
    was = before.rows.get(operation.table, {}).get(operation.uuid, {})
    overwritten: dict[str, Column] = {}
    mutations: list[list[Any]] = []
    maps: dict[str, Mapping[str, str]] = {}
    for name, value in operation.row.items():
        if isinstance(value, Mapping):
            maps[name] = value
        elif types[name].kind is Kind.SET and types[name].is_reference:
            mutations.extend(_references(name, _tuple(value), _tuple(was.get(name, ())), before))
        else:
            overwritten[name] = value
    mutations.extend(_map_mutations(maps, was, has_ids=_IDS in types))
    changes: list[dict[str, Any]] = []
    if overwritten:
        row = columns_to_json(overwritten)
        changes.append({"op": "update", "table": operation.table, "where": _this(operation), "row": row})
    if mutations:
        changes.append({"op": "mutate", "table": operation.table, "where": _this(operation), "mutations": mutations})
    return _unchanged(operation, {name: was[name] for name in overwritten if name in was}), changes


def _references(name: str, wanted: tuple[Any, ...], was: tuple[Any, ...], before: Snapshot) -> Iterator[list[Any]]:
    gone = tuple(sorted(ref for ref in was if ref not in wanted and ref.uuid in before.owned))
    new = tuple(sorted(ref for ref in wanted if ref not in was))
    if gone:
        yield [name, "delete", column_to_json(gone)]
    if new:
        yield [name, "insert", column_to_json(new)]


def _map_mutations(
    maps: Mapping[str, Mapping[str, str]], was: Mapping[str, Column], *, has_ids: bool
) -> Iterator[list[Any]]:
    """Insert into a map never replaces a value (RFC 7047, 5.1), so keys are deleted first."""
    if not maps:
        return
    written = _written_keys(was.get(_IDS)) if has_ids else {}
    wanted = {name: dict(value) for name, value in maps.items()}
    if has_ids:
        keys = {name: sorted(value) for name, value in {**written, **maps}.items() if value}
        wanted.setdefault(_IDS, {})[KEYS] = _keys_text(keys)
    for name, value in sorted(wanted.items()):
        before = was.get(name, {})
        old = set(written.get(name, ())) if name in maps else set()
        if name in maps and not has_ids and isinstance(before, Mapping):
            old = set(before)
        yield [name, "delete", ["set", sorted(old | value.keys())]]
        if value:
            yield [name, "insert", column_to_json(value)]


def _keys_text(keys: Mapping[str, Sequence[str]]) -> str:
    return json.dumps(keys, sort_keys=True, separators=(",", ":"))


def _written_keys(external_ids: Column | None) -> dict[str, list[str]]:
    """Which keys of which map columns are ours; nothing when the note is missing or spoiled, so that it is renewed."""
    text = external_ids.get(KEYS, "") if isinstance(external_ids, Mapping) else ""
    try:
        value = json.loads(text) if text else {}
    except ValueError:
        return {}
    if not isinstance(value, dict):
        return {}
    return {
        name: [key for key in keys if isinstance(key, str)] for name, keys in value.items() if isinstance(keys, list)
    }


def _this(operation: Operation) -> list[Any]:
    return [["_uuid", "==", ["uuid", operation.uuid]]]


def _unchanged(operation: Operation, columns: Mapping[str, Column]) -> dict[str, Any]:
    row = {"_uuid": ["uuid", operation.uuid], **columns_to_json(columns)}
    return {
        "op": "wait",
        "timeout": 0,
        "table": operation.table,
        "where": _this(operation),
        "columns": sorted(row),
        "until": "==",
        "rows": [row],
    }


def _tuple(value: Column) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) and not isinstance(value, Ref) else (value,)
