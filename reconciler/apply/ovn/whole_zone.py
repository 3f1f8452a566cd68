"""Every row and column of a Northbound database, whoever wrote them, as plain rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from reconciler.apply.ovn.northbound_schema import ColumnType, column_type
from reconciler.apply.ovn.ovsdb_json import decode
from reconciler.plan.rows import Row

WholeSchema = Mapping[str, Mapping[str, ColumnType]]


def whole_schema(schema: Mapping[str, Any]) -> WholeSchema:
    """Return the type of every column in a database schema (RFC 7047, 3.2)."""
    return {
        table: {name: column_type(column["type"]) for name, column in each["columns"].items()}
        for table, each in schema["tables"].items()
    }


def decoded_row(schema: WholeSchema, table: str, uuid: str, row: Mapping[str, Any]) -> Row:
    """Return one row; ``row`` has columns of ``schema`` in OVSDB's notation. Raises ValueError for other values."""
    types = schema[table]
    return Row(table, uuid, {name: decode(value, types[name].kind) for name, value in row.items() if name in types})


def select_tables(schema: WholeSchema) -> list[dict[str, Any]]:
    """Return the operations that read every row, one for each table of ``schema``."""
    return [{"op": "select", "table": table, "where": []} for table in schema]


def selected_rows(schema: WholeSchema, results: Sequence[Any]) -> tuple[Row, ...]:
    """Return the rows in the results of `select_tables`. Empties ``results``, because the rows are many."""
    found = []
    for table, result in zip(schema, results, strict=True):
        for row in result.pop("rows"):
            found.append(decoded_row(schema, table, row["_uuid"][1], row))
    return tuple(found)
