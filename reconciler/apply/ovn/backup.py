"""A copy of a live Northbound database as a standalone file, as ``ovsdb-client backup`` writes one.

Source: ovsdb(5), "Database File Format".
"""

import json
from collections.abc import Mapping
from hashlib import sha1
from typing import Any

from ovnguard.reconciler.apply.ovn.northbound_schema import DATABASE
from ovnguard.reconciler.apply.ovn.session import Session

_INTERNAL = ("_uuid", "_version")


def backup(session: Session, milliseconds: int) -> tuple[bytes, bytes]:
    """Return the records of a file with all rows as of one moment: the schema, and one transaction of that time.

    Raises StoreUnavailableError.
    """
    schema = session.call("get_schema", [DATABASE])
    names = list(schema["tables"])
    answers = session.transact([{"op": "select", "table": name, "where": []} for name in names])
    tables = {name: dict(map(_row, answer["rows"])) for name, answer in zip(names, answers, strict=True)}
    written = {name: rows for name, rows in tables.items() if rows}
    return record(schema), record({**written, "_date": milliseconds, "_comment": "backup by ovnguard"})


def record(value: Mapping[str, Any]) -> bytes:
    """Return one record of a database file."""
    text = json.dumps(value, separators=(",", ":")).encode() + b"\n"
    return f"OVSDB JSON {len(text)} {sha1(text, usedforsecurity=False).hexdigest()}\n".encode() + text


def _row(row: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    columns = {name: value for name, value in row.items() if name not in _INTERNAL}
    return row["_uuid"][1], columns
