"""A database file under other names and addresses."""

from collections.abc import Iterable
from typing import Any

from ovnguard.reconciler.apply.files.ovsdb_file import ByteStream, read_database_file
from ovnguard.reconciler.apply.ovn.backup import record
from ovnguard.reconciler.apply.ovn.ovsdb_json import value_json
from ovnguard.reconciler.plan.bundle.anonymous import Anonymous
from ovnguard.reconciler.plan.rows.northbound import NUMBER_MAPS
from ovnguard.reconciler.plan.rows.row import Row


def anonymous_database(stream: ByteStream, place: str, anonymous: Anonymous) -> tuple[bytes, bytes]:
    """Return the records of a file with the same rows under other names. Raises StoreError for a damaged file."""
    read = read_database_file(stream, place)
    tables = _tables(anonymous.rows(read.rows))
    return record(read.definition), record({**tables, "_date": read.written, "_comment": "anonymous"})


def _tables(rows: Iterable[Row]) -> dict[str, dict[str, Any]]:
    tables: dict[str, dict[str, Any]] = {}
    for row in rows:
        columns = {
            name: value_json(value, numbers=(row.table, name) in NUMBER_MAPS) for name, value in row.columns.items()
        }
        tables.setdefault(row.table, {})[row.uuid] = columns
    return tables
