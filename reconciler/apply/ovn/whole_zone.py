"""Every row and column of a Northbound database, whoever wrote them, as plain rows."""

from collections.abc import Mapping
from typing import Any

from ovnguard.reconciler.apply.ovn.northbound_schema import DATABASE, ColumnType, column_type
from ovnguard.reconciler.apply.ovn.ovsdb_json import decode
from ovnguard.reconciler.apply.ovn.session import Session
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.plan.rows.row import Row

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


def whole_zone(session: Session) -> tuple[Row, ...]:
    """Return all rows of the database with all columns, as of one moment.

    Raises StoreUnavailableError, and StoreError for a value of an unknown kind.
    """
    schema = whole_schema(session.call("get_schema", [DATABASE]))
    results = session.transact([{"op": "select", "table": table, "where": []} for table in schema])
    found: list[Row] = []
    try:
        for table, result in zip(schema, results, strict=True):
            # Removed from the results, because the rows are many.
            found += (decoded_row(schema, table, row["_uuid"][1], row) for row in result.pop("rows"))
    except ValueError as error:
        raise StoreError(f"{session.remote}: {error}") from error
    return tuple(found)
