"""Rows and operations as JSON and back, in the notation of OVSDB (RFC 7047, 5.1), and as text for people.

A reference is ``["uuid", U]``, a set ``["set", [...]]``, a map ``["map", [[key, value], ...]]`` sorted by key.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from reconciler.plan.northbound import tables
from reconciler.plan.rows import Atom, Column, Operation, Ref, Row
from validators.json_types import Json, JsonMapping, JsonObject


class NotationError(ValueError):
    """A JSON value that is not in OVSDB's notation."""


def column_to_json(column: Column) -> Json:
    """Return a column's value in OVSDB notation."""
    if isinstance(column, Ref):
        return ["uuid", column.uuid]
    if isinstance(column, tuple):
        return ["set", [column_to_json(item) for item in column]]
    if isinstance(column, Mapping):
        return ["map", [[key, column[key]] for key in sorted(column)]]
    return column


def column_from_json(value: object) -> Column:
    """Return the column that ``value`` stands for; NotationError when it is not in OVSDB notation."""
    match value:
        case ["set", list(items)]:
            return tuple(sorted((_atom(item) for item in items), key=_atom_order))
        case ["map", list(pairs)]:
            return MappingProxyType(dict(_pair(pair) for pair in pairs))
        case _:
            return _atom(value)


def row_to_json(row: Row) -> JsonObject:
    """Return ``{"table", "uuid", "row"}``."""
    return {"table": row.table, "uuid": row.uuid, "row": columns_to_json(row.columns)}


def row_from_json(value: JsonMapping) -> Row:
    """Return the row that `row_to_json` wrote; NotationError when ``value`` has another shape."""
    match value:
        case {"table": str(table), "uuid": str(uuid), "row": {**columns}}:
            read = {str(key): column_from_json(column) for key, column in columns.items()}
            return Row(table, uuid, MappingProxyType(read))
        case _:
            raise NotationError('a row must have "table", "uuid" and "row"')


def operation_to_json(operation: Operation) -> JsonObject:
    """Return ``{"op", "table", "uuid", "row"}``."""
    row = columns_to_json(operation.row)
    return {"op": operation.op, "table": operation.table, "uuid": operation.uuid, "row": row}


def columns_to_json(columns: Mapping[str, Column]) -> JsonObject:
    """Return columns in OVSDB notation, in the order of their names."""
    return {key: column_to_json(columns[key]) for key in sorted(columns)}


def rows_as_text(rows: Iterable[Row]) -> str:
    """Return how many rows each table has, one line per table in the order of creation."""
    counts = Counter(row.table for row in rows)
    return "".join(f"  {table:<28} {counts[table]:>4}\n" for table in tables() if counts[table]) or "  no rows\n"


def operations_as_text(operations: Iterable[Operation]) -> str:
    """Return one line per operation, and one per column that changes; or that nothing changes."""
    lines = []
    for operation in operations:
        sign = {"insert": "+", "update": "~", "delete": "-"}[operation.op]
        lines.append(f"  {sign} {operation.table} {operation.subject or operation.uuid}\n")
        if operation.op == "update":
            lines += [f"      {key} = {_text(operation.row[key])}\n" for key in sorted(operation.row)]
    return "".join(lines) or "  no changes\n"


def _text(column: Column) -> str:
    if isinstance(column, Ref):
        return column.uuid[:8]
    if isinstance(column, tuple):
        return "[" + ", ".join(_text(item) for item in column) + "]"
    if isinstance(column, Mapping):
        return "{" + ", ".join(f"{key}={column[key]}" for key in sorted(column)) + "}"
    return str(column)


def _atom(value: object) -> Atom:
    match value:
        case ["uuid", str(uuid)]:
            return Ref(uuid)
        case str() | bool() | int():
            return value
        case _:
            raise NotationError(f"not a value of OVSDB: {value!r:.80}")


def _pair(value: object) -> tuple[str, str]:
    match value:
        case [str(key), str(text)]:
            return key, text
        case _:
            raise NotationError(f"not a pair of strings: {value!r:.80}")


def _atom_order(atom: Atom) -> tuple[str, str]:
    return (type(atom).__name__, atom.uuid if isinstance(atom, Ref) else str(atom))
