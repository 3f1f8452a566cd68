"""The live Northbound database as a store of one zone's rows.

One `read` is one request, so it shows one moment of the database; one `apply` is one transaction, unless it exceeds the
size limit. RFC 7047 is the protocol, ovsdb-server(7) its extensions.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from ovnguard.reconciler.apply.keepalive import Keepalive
from ovnguard.reconciler.apply.ovn.batches import Part, parts_of, requests_of
from ovnguard.reconciler.apply.ovn.ovn_wire import use_tls
from ovnguard.reconciler.apply.ovn.ownership import SHARED
from ovnguard.reconciler.apply.ovn.session import LOCK, Session
from ovnguard.reconciler.apply.ovn.shared_rows import ZoneSnapshot, partial_snapshot, select_all, select_some, snapshot
from ovnguard.reconciler.apply.ovn.whole_zone import whole_zone
from ovnguard.reconciler.apply.store_errors import (
    NetworksRefusedError,
    StoreError,
    StoreUnavailableError,
    TransactionRefusedError,
    TransactionTooLargeError,
)
from ovnguard.reconciler.apply.zone_store import TLSFiles, check_remote
from ovnguard.reconciler.plan.probes.probe_rows import Endpoint, endpoint
from ovnguard.reconciler.plan.rows.row import Operation, Row

DEFAULT_TIMEOUT: Final = 10.0
# Octets of JSON. A zone of two thousand networks fits; larger transactions block other clients for seconds.
MAX_TRANSACTION: Final = 64 << 20
_OWNER: Final = f'{{"op":"assert","lock":"{LOCK}"}}'
# northd copies nb_cfg to sb_cfg after it has processed all earlier changes, the chassis to hv_cfg: ovn-nb(5),
# NB_Global.
_ASK: Final = (
    '{"op":"mutate","table":"NB_Global","where":[],"mutations":[["nb_cfg","+=",1]]}',
    '{"op":"select","table":"NB_Global","where":[],"columns":["nb_cfg"]}',
)
_T = TypeVar("_T")


class NorthboundStore:
    """The rows of one zone in a live OVN_Northbound database; a `reconciler.apply.zone_store.ZoneStore`.

    ``remote`` is ``unix:PATH``, ``tcp:IP:PORT`` or ``ssl:IP:PORT``, or a comma-separated list of them, the members of
    one cluster. ``timeout`` in seconds limits every call; ``cancelled`` is polled several times a second and ends a
    call early. Connects on first use, and again after a StoreUnavailableError.

    With ``exclusive``, every call requires the database's lock and the leader of a cluster. With ``notify`` the store
    is a `reconciler.apply.zone_store.WatchedStore`: a thread keeps the connection alive and calls ``notify`` when
    ovnguard's rows change. ``max_transaction`` is in octets of JSON.
    """

    def __init__(
        self,
        remote: str,
        timeout: float = DEFAULT_TIMEOUT,
        tls: TLSFiles | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        *,
        exclusive: bool = False,
        notify: Callable[[], None] | None = None,
        max_transaction: int = MAX_TRANSACTION,
    ) -> None:
        check_remote(remote, tls)
        if tls is not None:
            use_tls(tls)
        self._remotes = remote.split(",")
        self._timeout = timeout
        self._cancelled = cancelled
        self._exclusive = exclusive
        self._watched = notify is not None
        self._limit = max_transaction
        self._session: Session | None = None
        self._snapshot: ZoneSnapshot | None = None
        self._owned: set[str] = set()
        self._asked: int | None = None
        self._mutex = threading.RLock()
        self._keeper = Keepalive(self._listen, notify) if notify is not None else None

    def read(self) -> tuple[Row, ...]:
        """Return ovnguard's rows, restricted to ovnguard's parts of them.

        Raises StoreUnavailableError, SchemaTooOldError and StoreLockedError.
        """
        return self.answer_of(self._read)

    def _read(self, session: Session) -> tuple[Row, ...]:
        if self._watched and not session.watching:
            session.watch()
        session.changed.clear()
        self._snapshot = snapshot(session.schema, session.transact(select_all(session.schema)))
        self._owned = set(self._snapshot.owned)
        return self._snapshot.visible()

    def read_everything(self) -> tuple[Row, ...]:
        """Return all rows of the database with all columns, whoever wrote them, as of one moment.

        Raises StoreUnavailableError and SchemaTooOldError, and StoreError for a value of an unknown kind.
        """
        return self.answer_of(whole_zone)

    def guests(self) -> tuple[Endpoint, ...]:
        """Return the pods that the last `read` found on ovnguard's switches: ports of others with addresses."""
        found = () if self._snapshot is None else self._snapshot.guests()
        pods = (endpoint(switch, columns) for switch, columns in found)
        return tuple(sorted((pod for pod in pods if pod is not None), key=lambda pod: (pod.switch, pod.port)))

    def others(self) -> tuple[Row, ...]:
        """Return the rows of others that the latest `read` found, with all planned columns."""
        before = self._snapshot
        if before is None:
            return ()
        tables = before.rows.items()
        return tuple(Row(table, u, rows[u]) for table, rows in tables for u in rows if u not in before.owned)

    def changed(self) -> frozenset[tuple[str, str]] | None:
        """Return table and UUID of rows that any client changed since the last call; None after a new connection."""
        with self._mutex:
            session = self._session
            if session is None or not session.watching:
                return None
            try:
                session.catch_up()
            except StoreUnavailableError:
                self._disconnect()
                return None
            found = frozenset(each for each in session.changed if each[1] in self._owned)
            session.changed.clear()
            return found

    def reread(self, uuids: Iterable[tuple[str, str]]) -> tuple[Row, ...]:
        """Return those of the rows with these tables and UUIDs that exist and are ovnguard's; `apply` then relies on
        them.

        Raises StoreUnavailableError, SchemaTooOldError and StoreLockedError.
        """
        wanted = tuple(uuids)

        def some(session: Session) -> tuple[Row, ...]:
            results = session.transact(select_some(session.schema, wanted)) if wanted else []
            tables = [table for table, _ in wanted]
            self._snapshot = partial_snapshot(session.schema, tables, results, self._owned)
            return self._snapshot.visible()

        return self.answer_of(some)

    def apply(self, operations: Sequence[Operation]) -> None:
        """Apply all operations in one transaction, or none of them.

        Operations above ``max_transaction`` are applied network by network; an error may then leave some applied.
        Raises TransactionRacedError when a row differs from the last `read`, NetworksRefusedError when the database
        rejects some networks, TransactionRefusedError when it rejects all operations, TransactionTooLargeError for a
        network that does not fit, SchemaTooOldError when the server does not accept client-chosen UUIDs,
        StoreLockedError when the lock is lost, and StoreUnavailableError, after which it is unknown whether they were
        applied.
        """
        if not operations:
            return
        with self._mutex:
            if self._snapshot is None:
                self.read()
            before, self._snapshot = self._snapshot, None
            assert before is not None
            try:
                ready = parts_of(operations, before, self._limit)
            except TransactionTooLargeError as error:
                raise TransactionTooLargeError(f"{self._remotes[0]}: {error}") from None
            self._write_all(ready)
            self._owned.update(each.uuid for each in operations if each.op == "insert")
            self._owned.difference_update(each.uuid for each in operations if each.op == "delete")

    def _write_all(self, parts: Sequence[Part]) -> None:
        """Write all parts together, as far as they fit, and one by one what the database refuses together."""
        refused = {part.network: part.fault for part in parts if part.fault}
        for request in requests_of((part for part in parts if not part.fault), self._limit):
            try:
                self._write(request)
            except TransactionRefusedError as error:
                alone = len(request) == 1
                refused |= self._refused(request[0], error, first=True) if alone else self._refused_among(request)
        if refused:
            raise NetworksRefusedError(self._remotes[0], refused)

    def _refused_among(self, parts: Sequence[Part]) -> dict[str, str]:
        """Write every part by itself; return the database's errors by network."""
        refused: dict[str, str] = {}
        for part in parts:
            try:
                self._write([part])
            except TransactionRefusedError as error:
                refused |= self._refused(part, error, first=part is parts[0])
        return refused

    def _refused(self, part: Part, error: TransactionRefusedError, *, first: bool) -> dict[str, str]:
        """Return the error by network. What all networks need comes first; without it none is written, so raise."""
        if first and part.network == SHARED:
            raise error
        return {part.network: str(error).removeprefix(f"{self._connected().remote}: ")}

    def _write(self, parts: Sequence[Part]) -> None:
        session = self._connected()
        owner = [_OWNER] if self._exclusive else []
        first = len(owner) + sum(part.guard_count for part in parts)
        kinds = [kind for part in parts for kind in part.kinds]
        guards = [text for part in parts for text in part.guards]
        steps = [text for part in parts for text in part.steps]
        texts, count = [*owner, *guards, *steps, *_ASK], first + len(kinds) + len(_ASK)
        results = self._ask(lambda connected: connected.transact_text(texts, count))
        for (op, table), result in zip(kinds, results[first:], strict=False):
            if op != "insert" and result.get("count") != 1:
                raise StoreError(f"{session.remote}: {op} in {table} changed {result} rows instead of one")
        for row in results[-1].get("rows", ()):
            self._asked = int(row["nb_cfg"])

    def lag(self) -> tuple[int, int, int] | None:
        """Return nb_cfg of the last `apply`, and the sb_cfg and hv_cfg that followed.

        northd has followed when sb_cfg has reached nb_cfg, all chassis when hv_cfg has. None before the first apply,
        without ``notify``, and in a database without an NB_Global row.
        """
        with self._mutex:
            if self._session is None or self._asked is None or not self._session.progress:
                return None
            return self._asked, self._session.progress["sb_cfg"], self._session.progress["hv_cfg"]

    def close(self) -> None:
        """Disconnect."""
        if self._keeper is not None:
            self._keeper.stop()
        with self._mutex:
            self._disconnect()

    def answer_of(self, ask: Callable[[Session], _T]) -> _T:
        """Return ``ask(session)``, retried once on a new connection: servers close silent ones. Raises StoreError."""
        with self._mutex:
            idle = self._session is not None
            try:
                return self._ask(ask)
            except StoreUnavailableError:
                if not idle or self._cancelled():
                    raise
            return self._ask(ask)

    def _ask(self, ask: Callable[[Session], _T]) -> _T:
        try:
            return ask(self._connected())
        except StoreUnavailableError:
            self._disconnect()
            raise

    def _connected(self) -> Session:
        if self._session is not None:
            return self._session
        first: StoreError | None = None
        for remote in self._remotes:
            try:
                self._session = self._connect(remote)
            except StoreUnavailableError as error:
                first = error if first is None else first
            else:
                return self._session
        assert first is not None
        raise first

    def _connect(self, remote: str) -> Session:
        session = Session(remote, self._timeout, self._cancelled)
        try:
            if self._exclusive or len(self._remotes) > 1:
                session.require_leader()
            if self._exclusive:
                session.lock()
        except StoreError:
            session.close()
            raise
        if self._keeper is not None:
            self._keeper.start()
        return session

    def _disconnect(self) -> None:
        if self._session is not None:
            self._session.close()
        self._session = self._snapshot = None

    def _listen(self) -> bool:
        """Keep the connection alive; return whether there are new notifications."""
        if not self._mutex.acquire(blocking=False):
            return False
        try:
            if self._session is None:
                return False
            known, lag = len(self._session.changed), self.lag()
            try:
                self._session.listen()
            except StoreUnavailableError:
                self._disconnect()
                return True
            return len(self._session.changed) != known or self.lag() != lag
        finally:
            self._mutex.release()
