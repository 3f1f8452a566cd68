"""A standalone database file of ovsdb-server as it lies on a disk or in an archive, read without a server.

Source: ovsdb(5), "Database File Format", and ovsdb/log.c, ovsdb/file.c of Open vSwitch 3.5: a file is a log of records,
each a header line and a JSON value. The first record is the schema, each later one a transaction.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha1
from typing import Any, Final, Protocol

from ovnguard.reconciler.apply.ovn.whole_zone import WholeSchema, decoded_row, whole_schema
from ovnguard.reconciler.apply.store_errors import ClusteredDatabaseError, StoreCorruptError
from ovnguard.reconciler.plan.rows.row import Row

_HEADER: Final = re.compile(rb"OVSDB (JSON|CLUSTER) ([0-9]{1,12}) ([0-9a-f]{40})\n")
_LONGEST_HEADER: Final = 80
# A transaction that writes a zone of a thousand networks has 100 MB.
_LARGEST_RECORD: Final = 1 << 30
# A stream is read in pieces, because a damaged one may claim any length.
PIECE: Final = 1 << 20
_ZEROS: Final = "00000000-0000-0000-0000-000000000000"
_DEFAULTS: Final[Mapping[str, Any]] = {
    "integer": 0,
    "real": 0,
    "boolean": False,
    "string": "",
    "uuid": ["uuid", _ZEROS],
}


class ByteStream(Protocol):
    """A file that is open for reading bytes, compressed or not."""

    def read(self, size: int, /) -> bytes:
        """Return up to ``size`` bytes, b'' at the end."""

    def readline(self, size: int, /) -> bytes:
        """Return a line with its end, up to ``size`` bytes of it."""


# table -> UUID -> column -> value in OVSDB's notation
_Tables = dict[str, dict[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class DatabaseFile:
    """What a database file contains after its last whole transaction.

    ``database``: the name in its schema; ``version``: the schema's version, '' for none; ``definition``: the schema as
    it stands there. ``rows``: all rows with all columns of the schema. ``is_cut``: the file ends in the middle of a
    record, which is left out. ``written``: when the last transaction that has a time was written, in milliseconds since
    1970; None where none has one.
    """

    database: str
    version: str
    schema: WholeSchema
    rows: tuple[Row, ...]
    is_cut: bool
    written: int | None
    definition: Mapping[str, Any]


def read_database_file(stream: ByteStream, place: str) -> DatabaseFile:
    """Read a whole database file; ``place`` names it in errors.

    Raises StoreCorruptError for a file that is damaged before its end or is no database file, and
    ClusteredDatabaseError for the file of a clustered database, which has another format.
    """
    records = _Records(stream, place)
    first = next(iter(records), None)
    if first is None:
        raise StoreCorruptError(f"{place}: no schema: the file is empty or cut in its first record")
    try:
        schema = whole_schema(first)
        content = _Content(first)
    except (AttributeError, KeyError, TypeError):
        raise StoreCorruptError(f"{place}: record 1 is no schema of a database (RFC 7047, 3.2)") from None
    for record in records:
        content.add(record, records.title)
    try:
        rows = tuple(content.rows(schema))
    except (TypeError, ValueError) as error:
        raise StoreCorruptError(f"{place}: {error}") from None
    version = first.get("version", "")
    name = str(first.get("name", ""))
    return DatabaseFile(name, str(version), schema, rows, records.is_cut, content.written, first)


class _Records:
    """The JSON objects of the records, in order; `is_cut` afterwards says whether the last one is not whole."""

    def __init__(self, stream: ByteStream, place: str) -> None:
        self.is_cut = False
        self._stream, self._place, self._number = stream, place, 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while header := self._stream.readline(_LONGEST_HEADER):
            self._number += 1
            found = _HEADER.fullmatch(header)
            if found is None:
                if self._is_at_end() and not header.endswith(b"\n"):
                    self.is_cut = True
                    return
                raise StoreCorruptError(f"{self.title} does not begin with a header of ovsdb-server")
            if found[1] == b"CLUSTER":
                raise ClusteredDatabaseError(f"{self._place}: the file of a clustered database")
            data = self._read(int(found[2]))
            if len(data) < int(found[2]) or sha1(data, usedforsecurity=False).hexdigest().encode() != found[3]:
                if not self._is_at_end():
                    raise StoreCorruptError(f"{self.title}: the checksum is wrong")
                self.is_cut = True
                return
            yield self._parsed(data)

    @property
    def title(self) -> str:
        """The file and the record, for errors."""
        return f"{self._place}: record {self._number}"

    def _read(self, length: int) -> bytes:
        """Return ``length`` bytes, fewer where the file ends."""
        if length > _LARGEST_RECORD:
            raise StoreCorruptError(f"{self.title} has {length} bytes; at most {_LARGEST_RECORD} are read")
        pieces: list[bytes] = []
        while length > 0 and (piece := self._stream.read(min(length, PIECE))):
            pieces.append(piece)
            length -= len(piece)
        return b"".join(pieces)

    def _is_at_end(self) -> bool:
        return not self._stream.read(1)

    def _parsed(self, data: bytes) -> dict[str, Any]:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            raise StoreCorruptError(f"{self.title} is not JSON") from None
        if not isinstance(value, dict):
            raise StoreCorruptError(f"{self.title} is not an object")
        return value


class _Content:
    """The rows that all transactions so far have left."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.written: int | None = None
        self._tables: _Tables = {table: {} for table in schema["tables"]}
        columns = {table: each["columns"] for table, each in schema["tables"].items()}
        # Only a column that can have several elements is written as a difference (ovsdb_type_is_composite).
        self._several = {
            table: {name: _is_map(each["type"]) for name, each in of.items() if _has_several(each["type"])}
            for table, of in columns.items()
        }
        self._defaults = {
            table: {name: _default(each["type"]) for name, each in of.items()} for table, of in columns.items()
        }

    def add(self, transaction: Mapping[str, Any], title: str) -> None:
        """Apply one transaction; ``title`` names it in the StoreCorruptError of a table or row that cannot be."""
        date = transaction.get("_date")
        self.written = date if isinstance(date, int) else self.written
        is_diff = transaction.get("_is_diff") is True
        for table, rows in transaction.items():
            if table.startswith("_"):
                continue
            if table not in self._tables or not isinstance(rows, dict):
                raise StoreCorruptError(f"{title}: the schema has no table {table!r:.80}")
            try:
                for uuid, columns in rows.items():
                    self._write(table, uuid, columns, is_diff)
            except (AttributeError, KeyError, TypeError, ValueError):
                raise StoreCorruptError(f"{title}: a row of {table} is not as the schema says") from None

    def rows(self, schema: WholeSchema) -> Iterator[Row]:
        """Yield all rows, with the default of their type in columns that were never written."""
        for table, rows in self._tables.items():
            for uuid, columns in rows.items():
                yield decoded_row(schema, table, uuid, self._defaults[table] | columns)

    def _write(self, table: str, uuid: str, columns: Mapping[str, Any] | None, is_diff: bool) -> None:
        rows, several = self._tables[table], self._several[table]
        if columns is None:
            del rows[uuid]
            return
        row = rows.setdefault(uuid, {})
        for name, value in columns.items():
            if is_diff and name in several and name in row:
                row[name] = _toggled_map(row[name], value) if several[name] else _toggled_set(row[name], value)
            else:
                row[name] = value


def _has_several(kind: Any) -> bool:
    return isinstance(kind, dict) and kind.get("max", 1) != 1


def _is_map(kind: Any) -> bool:
    return isinstance(kind, dict) and "value" in kind


def _default(kind: Any) -> Any:
    """The value of a column that was never written (RFC 7047, 5.2.1)."""
    if _is_map(kind):
        return ["map", []]
    if isinstance(kind, dict) and kind.get("min", 1) == 0:
        return ["set", []]
    base = kind["key"] if isinstance(kind, dict) else kind
    return _DEFAULTS[base if isinstance(base, str) else base["type"]]


def _toggled_map(before: Any, difference: Any) -> Any:
    """Keys with an equal value go, others come or change (ovsdb_datum_apply_diff)."""
    pairs = dict(before[1])
    for key, value in difference[1]:
        if key in pairs and pairs[key] == value:
            del pairs[key]
        else:
            pairs[key] = value
    return ["map", [[key, value] for key, value in pairs.items()]]


def _toggled_set(before: Any, difference: Any) -> Any:
    """Elements that are there go, others come."""
    elements = {str(each): each for each in _elements(before)}
    for each in _elements(difference):
        if elements.pop(str(each), None) is None:
            elements[str(each)] = each
    return ["set", list(elements.values())]


def _elements(value: Any) -> list[Any]:
    return value[1] if isinstance(value, list) and value[0] == "set" else [value]
