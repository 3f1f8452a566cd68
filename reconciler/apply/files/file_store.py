"""The file-backed store, for machines without OVN: one folder, with rows and frr.conf of each node, and the objects.

    DIR/nb/NODE.json    {"OVN_Northbound": {TABLE: {UUID: {COLUMN: value in OVSDB's JSON notation}}}}
    DIR/frr/NODE.conf   the node's FRR configuration
    DIR/objects.json    the objects that make routes, without passwords
    DIR/.lock           held while one process reads, compares and writes

Every file is replaced whole, so a process that is killed leaves the state before or after, never between. Like a
database, the store refuses a second insert of a row, and updates or deletions of absent rows.
"""

import fcntl
import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ovnguard.reconciler.apply.files import object_file
from ovnguard.reconciler.apply.ovn.northbound_schema import DATABASE
from ovnguard.reconciler.apply.ovn.ovsdb_json import decode
from ovnguard.reconciler.apply.store_errors import (
    StoreCorruptError,
    StoreUnavailableError,
    TransactionRacedError,
    file_error,
)
from ovnguard.reconciler.plan.render.as_json import columns_to_json
from ovnguard.reconciler.plan.rows.row import Column, Operation, Row
from ovnguard.validators.base import atomic_file
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.object_names import is_dns1123_subdomain

MAX_FILE_BYTES: Final = 256 * 1024 * 1024
LOCK_TIMEOUT: Final = 10.0
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_Rows = dict[str, dict[str, dict[str, Column]]]


class FileStore:
    """All zones' rows and FRR configurations in one folder, which the first write creates."""

    def __init__(self, folder: Path, lock_timeout: float = LOCK_TIMEOUT) -> None:
        self._folder = folder
        self._lock_timeout = lock_timeout

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes out. Raises StoreUnavailableError after ``lock_timeout`` seconds of waiting.

        Hold it around a `read` and the `apply` that depends on it. The lock ends with its process.
        """
        path = self._folder / ".lock"
        with self._readable(path):
            self._folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        try:
            self._wait_for(descriptor, path)
            self._sweep()
            yield
        finally:
            os.close(descriptor)

    def nodes(self) -> tuple[str, ...]:
        """Return every node with stored rows or FRR configuration, sorted."""
        found = {path.stem for path in self._files("nb", ".json")} | {path.stem for path in self._files("frr", ".conf")}
        return tuple(sorted(found))

    def read(self, node: str) -> tuple[Row, ...]:
        """Return the node's rows, ordered by table and UUID; or none.

        Raises StoreCorruptError for a file that this store did not write.
        """
        return tuple(
            Row(table, uuid, columns)
            for table, rows in sorted(self._load(node).items())
            for uuid, columns in sorted(rows.items())
        )

    def apply(self, node: str, operations: Sequence[Operation]) -> None:
        """Apply all operations to the node's rows, or none. A node without rows has no file.

        Raises TransactionRacedError when a row exists unexpectedly, or is missing.
        """
        if not operations:
            return
        tables = self._load(node)
        for operation in operations:
            _step(tables.setdefault(operation.table, {}), operation, node)
        path = self._path(node, "nb", ".json")
        kept = {table: rows for table, rows in sorted(tables.items()) if rows}
        with self._readable(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, _text(kept) if kept else "")

    def read_frr(self, node: str) -> str:
        """Return the node's FRR configuration, or ''."""
        return self._text(self._path(node, "frr", ".conf")) or ""

    def write_frr(self, node: str, text: str) -> bool:
        """Store the node's FRR configuration, '' for none, and return whether it changed."""
        if text == self.read_frr(node):
            return False
        path = self._path(node, "frr", ".conf")
        with self._readable(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, text)
        return True

    def read_objects(self) -> tuple[JsonObject, ...]:
        """Return the stored objects. Raises StoreCorruptError for a file that this store did not write."""
        path = self._folder / object_file.NAME
        text = self._text(path)
        return () if text is None else object_file.parse_objects(text, path)

    def write_objects(self, objects: Sequence[JsonObject]) -> None:
        """Store all ``objects`` in place of the former ones; without objects there is no file."""
        path = self._folder / object_file.NAME
        with self._readable(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, object_file.text_of_objects(objects))

    def zone(self, node: str) -> "FileZone":
        """Return the rows of one node as a ZoneStore."""
        return FileZone(self, node)

    def _wait_for(self, descriptor: int, path: Path) -> None:
        deadline = time.monotonic() + self._lock_timeout
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    text = "another process uses this store; wait for it to end, or name another folder"
                    raise StoreUnavailableError(f"{path}: {text}") from None
                time.sleep(0.05)
            else:
                return

    def _sweep(self) -> None:
        """Remove files that a killed writer left behind. Call only under the lock, which excludes other writers."""
        for part in ("nb", "frr", "."):
            for path in (self._folder / part).glob(f"{atomic_file.TEMPORARY}*"):
                path.unlink(missing_ok=True)

    def _files(self, part: str, suffix: str) -> list[Path]:
        folder = self._folder / part
        with self._readable(folder):
            if not folder.exists():
                return []
            paths = sorted(path for path in folder.iterdir() if not atomic_file.is_temporary(path))
        for path in paths:
            if path.suffix != suffix or not is_dns1123_subdomain(path.stem):
                text = f"is not a file of this store, which contains {part}/NODE{suffix}; move it away"
                raise StoreCorruptError(f"{path}: {text}")
        return paths

    def _path(self, node: str, part: str, suffix: str) -> Path:
        if not is_dns1123_subdomain(node):
            raise ValueError(f"{node!r} is not a valid node name")
        return self._folder / part / f"{node}{suffix}"

    def _load(self, node: str) -> _Rows:
        path = self._path(node, "nb", ".json")
        text = self._text(path)
        return {} if text is None else _parse(text, path)

    def _text(self, path: Path) -> str | None:
        with self._readable(path):
            try:
                if path.stat().st_size > MAX_FILE_BYTES:
                    raise StoreCorruptError(f"{path}: larger than {MAX_FILE_BYTES >> 20} MiB; move it away")
                return path.read_text(encoding="utf-8")
            except FileNotFoundError:
                return None
            except UnicodeDecodeError:
                raise StoreCorruptError(f"{path}: is not UTF-8 text; move it away") from None

    @contextmanager
    def _readable(self, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise file_error(error, path) from error


class FileZone:
    """The rows of one node in a FileStore; a `reconciler.apply.zone_store.ZoneStore`."""

    def __init__(self, store: FileStore, node: str) -> None:
        self._store = store
        self._node = node

    def read(self) -> tuple[Row, ...]:
        """Return the node's rows."""
        return self._store.read(self._node)

    def apply(self, operations: Sequence[Operation]) -> None:
        """Apply all operations, or none."""
        with self._store.locked():
            self._store.apply(self._node, operations)

    def close(self) -> None:
        """Do nothing: the store keeps no file open."""


def _step(rows: dict[str, dict[str, Column]], operation: Operation, node: str) -> None:
    if (operation.op == "insert") == (operation.uuid in rows):
        state = "is already there" if operation.op == "insert" else "is not there"
        text = f"{operation.op} in {operation.table}: row {operation.uuid} {state}; read the store again"
        raise TransactionRacedError(f"node {node}: {text}")
    if operation.op == "delete":
        del rows[operation.uuid]
    else:
        rows[operation.uuid] = {**rows.get(operation.uuid, {}), **operation.row}


def _text(tables: Mapping[str, Mapping[str, Mapping[str, Column]]]) -> str:
    value = {
        table: {uuid: columns_to_json(table, columns) for uuid, columns in sorted(rows.items())}
        for table, rows in tables.items()
    }
    return json.dumps({DATABASE: value}, indent=1) + "\n"


def _parse(text: str, path: Path) -> _Rows:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise StoreCorruptError(f"{path}: is not JSON: {error}; move it away") from None
    except RecursionError:
        raise StoreCorruptError(f"{path}: is not of this store: nested too deeply; move it away") from None
    try:
        return {table: _rows(rows) for table, rows in _mapping(_mapping(value)[DATABASE]).items()}
    except KeyError:
        raise StoreCorruptError(f'{path}: is not of this store: it has no "{DATABASE}"; move it away') from None
    except ValueError as error:
        raise StoreCorruptError(f"{path}: is not of this store: {error}; move it away") from None


def _rows(value: Any) -> dict[str, dict[str, Column]]:
    rows = _mapping(value)
    for uuid in rows:
        if not _UUID.fullmatch(uuid):
            raise ValueError(f"{uuid[:80]!r} is not a UUID")
    return {
        uuid: {name: decode(column) for name, column in _mapping(columns).items()} for uuid, columns in rows.items()
    }


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{str(value)[:80]!r} is not a mapping")
    return value


def _write(path: Path, text: str) -> None:
    """Replace ``path`` with ``text`` on disk; an empty text removes the file."""
    if text:
        atomic_file.replace(path, text.encode(), 0o640, durable=True)
        return
    path.unlink(missing_ok=True)
    atomic_file.sync_folder(path.parent)
