"""One connection to a Northbound database: a cluster member, its lock and its notifications. No state outlives it."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ovnguard.reconciler.apply.ovn.northbound_schema import DATABASE, Schema, parse_schema
from ovnguard.reconciler.apply.ovn.ovn_wire import Wire
from ovnguard.reconciler.apply.store_errors import (
    SchemaTooOldError,
    StoreError,
    StoreLockedError,
    StoreUnavailableError,
    TransactionRacedError,
    TransactionRefusedError,
)

# Name of the lock (RFC 7047, 4.1.8) of the writer.
LOCK: Final = "ovnguard"
_RACED: Final = frozenset(("timed out", "duplicate uuid"))
_UNSURE: Final = frozenset(("cluster error", "I/O error", "canceled"))
_ROWS, _PROGRESS, _SERVER = "rows", "progress", "server"
PROGRESS: Final = ("nb_cfg", "sb_cfg", "hv_cfg")


class Session:
    """A connection to ``remote``, ready for `transact`.

    ``timeout`` in seconds limits every call. Raises StoreUnavailableError and SchemaTooOldError.
    """

    def __init__(self, remote: str, timeout: float, cancelled: Callable[[], bool]) -> None:
        self.remote = remote
        self._timeout = timeout
        self.changed: set[tuple[str, str]] = set()
        self.progress: dict[str, int] = {}
        self.watching = False
        self._leads = True
        self._holds = False
        self._wire = Wire(remote, time.monotonic() + timeout, cancelled, self._hear)
        try:
            self.schema: Schema = parse_schema(self.call("get_schema", [DATABASE]), remote)
        except (StoreError, KeyboardInterrupt):
            self.close()
            raise

    def close(self) -> None:
        """Disconnect, which also releases the lock."""
        self._wire.close()

    def call(self, method: str, params: list[Any]) -> Any:
        """Return the result of one request; raise the StoreError for an error."""
        return self._result(self._wire.call(method, params, time.monotonic() + self._timeout))

    def _result(self, answer: Mapping[str, Any]) -> Any:
        if answer.get("error") is not None:
            raise failure(self.remote, answer["error"])
        return answer.get("result")

    def transact(self, operations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return one result per operation; raise the StoreError for a database error."""
        return self._checked(self.call("transact", [DATABASE, *operations]), len(operations))

    def transact_text(self, operations: Sequence[str], count: int) -> list[dict[str, Any]]:
        """Like `transact`, with JSON texts of one or more operations each, ``count`` in all."""
        pieces = [f'["{DATABASE}"']
        for text in operations:
            pieces += (",", text)
        answer = self._wire.call_text("transact", [*pieces, "]"], time.monotonic() + self._timeout)
        return self._checked(self._result(answer), count)

    def _checked(self, results: list[Any], count: int) -> list[dict[str, Any]]:
        # a deposed leader answers from a database that the cluster may have left behind
        self._require_leadership()
        for result in results:
            if isinstance(result, dict) and "error" in result:
                raise failure(self.remote, result)
        if len(results) != count or not all(isinstance(result, dict) for result in results):
            raise StoreError(f"{self.remote}: {count} operations got {len(results)} results")
        return results

    def listen(self) -> None:
        """Handle received notifications, and answer the server's echo requests."""
        self._wire.listen(time.monotonic() + self._timeout)
        self._require_leadership()

    def _require_leadership(self) -> None:
        if not self._leads:
            raise StoreUnavailableError(f"{self.remote}: is no longer the leader of its cluster")

    def catch_up(self) -> None:
        """Wait until the notices of all changes committed before this call have arrived."""
        # A server sends its pending change notices before it handles a request.
        self.call("echo", [])
        self.listen()

    def require_leader(self) -> None:
        """Raise StoreUnavailableError unless this server holds the whole database or leads its cluster.

        Locks belong to one server, not to a cluster, so all writers must use the same server.
        """
        columns = {"Database": [{"columns": ["name", "model", "connected", "leader"]}]}
        found = self.call("monitor_cond", ["_Server", _SERVER, columns])
        for row in found.get("Database", {}).values():
            self._note_server(row.get("initial", {}))
        if not self._leads:
            raise StoreUnavailableError(f"{self.remote}: is not the leader of its cluster")

    def lock(self) -> None:
        """Take the database's lock. Raises StoreLockedError when another process has it."""
        if not self._holds:
            self._holds = bool(self.call("lock", [LOCK]).get("locked"))
        if not self._holds:
            raise locked(self.remote)

    def watch(self) -> None:
        """Subscribe to changed and deleted rows, and to the progress of northd and the chassis.

        Inserts by others are not reported, because those rows are not ovnguard's.
        """
        select = {"initial": False, "insert": False, "delete": True, "modify": True}
        tables = {name: [{"columns": list(columns), "select": select}] for name, columns in self.schema.tables.items()}
        self.call("monitor_cond", [DATABASE, _ROWS, tables])
        found = self.call("monitor_cond", [DATABASE, _PROGRESS, {"NB_Global": [{"columns": list(PROGRESS)}]}])
        for row in found.get("NB_Global", {}).values():
            self._note_progress(row.get("initial", {}))
        self.watching = True

    def _hear(self, method: str, params: list[Any]) -> None:
        if method in ("locked", "stolen") and params == [LOCK]:
            self._holds = method == "locked"
        elif method == "update2" and len(params) == 2:
            for table, rows in params[1].items():
                for uuid, change in rows.items():
                    self._note(params[0], table, uuid, change)

    def _note(self, monitor: str, table: str, uuid: str, change: Mapping[str, Any]) -> None:
        new = change.get("modify") or change.get("insert") or {}
        if monitor == _ROWS:
            self.changed.add((table, uuid))
        elif monitor == _PROGRESS:
            self._note_progress(new)
        elif monitor == _SERVER and ("leader" in new or "connected" in new):
            # The next session determines the state of the cluster.
            self._leads = False

    def _note_progress(self, row: Mapping[str, Any]) -> None:
        # The server omits default values.
        self.progress = dict.fromkeys(PROGRESS, 0) | self.progress
        self.progress.update({name: int(row[name]) for name in PROGRESS if name in row})

    def _note_server(self, row: Mapping[str, Any]) -> None:
        if row.get("name") == DATABASE:
            self._leads = row.get("model") != "clustered" or bool(row.get("connected") and row.get("leader"))


def locked(remote: str) -> StoreLockedError:
    """Return the error for a second writer."""
    text = f'another process holds the lock "{LOCK}" of this database, so it keeps these rows'
    return StoreLockedError(f"{remote}: {text}; stop it, or wait until it stops")


def failure(remote: str, error: Any) -> StoreError:
    """Return the exception for one error of the server."""
    if not isinstance(error, dict):
        return TransactionRefusedError(f"{remote}: {error}")
    kind, details = error.get("error"), error.get("details", "")
    message = f"{remote}: {kind}: {details}" if details else f"{remote}: {kind}"
    if kind in _RACED:
        return TransactionRacedError(f"{remote}: rows changed while they were planned ({kind})")
    if kind == "unknown database":
        return StoreUnavailableError(f"{remote}: the server has no database {DATABASE}")
    if kind == "not owner":
        return locked(remote)
    if kind in _UNSURE or "read only mode" in details:
        return StoreUnavailableError(message)
    if "Member 'uuid' is present" in details:
        text = "the server cannot insert rows with UUIDs chosen by the client; Open vSwitch 2.13 or newer is needed"
        return SchemaTooOldError(f"{remote}: {text}")
    return TransactionRefusedError(message)
