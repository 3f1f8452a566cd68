"""The live Northbound database: the one place that speaks to OVSDB's Python library, which has no types.

The library connects (unix:, tcp:, ssl:) and waits; framing and JSON are the standard library's, because the library's
own parser works character by character and a zone of a thousand networks is tens of megabytes. One `read` is one
request, so it is one moment of the database; one `apply` is one transaction. RFC 7047 is the protocol,
ovsdb-server(7) its extensions.
"""

import errno
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import ovs.poller
import ovs.stream

from reconciler.apply.errors import (
    SchemaTooOldError,
    StoreError,
    StoreUnavailableError,
    TransactionRacedError,
    TransactionRefusedError,
)
from reconciler.apply.schema import DATABASE, Schema, parse_schema
from reconciler.apply.shared_rows import Snapshot, select_all, snapshot, transaction
from reconciler.apply.store import TLSFiles, check_remote
from reconciler.plan.rows import Operation, Row

DEFAULT_TIMEOUT: Final = 10.0
MAX_ANSWER: Final = 1 << 30
_CHUNK: Final = 1 << 16
# How long one wait for the server may last before the caller is asked whether it still wants an answer.
_SLICE_MS: Final = 200
_RACED: Final = frozenset(("timed out", "duplicate uuid"))


class NorthboundStore:
    """The rows of one zone in a live OVN_Northbound database; a `reconciler.apply.store.ZoneStore`.

    ``remote`` is ``unix:PATH``, ``tcp:IP:PORT`` or ``ssl:IP:PORT``. ``timeout`` in seconds bounds every call;
    ``cancelled`` is asked several times a second and ends a call early. Connects when first used, and again after a
    StoreUnavailableError.
    """

    def __init__(
        self,
        remote: str,
        timeout: float = DEFAULT_TIMEOUT,
        tls: TLSFiles | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        check_remote(remote, tls)
        if tls is not None:
            ovs.stream.Stream.ssl_set_private_key_file(str(tls.key))
            ovs.stream.Stream.ssl_set_certificate_file(str(tls.certificate))
            ovs.stream.Stream.ssl_set_ca_cert_file(str(tls.ca))
        self._remote = remote
        self._timeout = timeout
        self._cancelled = cancelled
        self._wire: _Wire | None = None
        self._schema: Schema | None = None
        self._snapshot: Snapshot | None = None

    def read(self) -> tuple[Row, ...]:
        """Return our rows, with what is ours in them.

        Raises StoreUnavailableError and SchemaTooOldError.
        """
        idle = self._wire is not None
        try:
            return self._read()
        except StoreUnavailableError:
            # A server hangs up on a connection that has been silent for some seconds; that alone is no failure.
            if not idle or self._cancelled():
                raise
        return self._read()

    def _read(self) -> tuple[Row, ...]:
        schema = self._known_schema()
        results = self._transact(select_all(schema))
        self._snapshot = snapshot(schema, results)
        return self._snapshot.visible()

    def apply(self, operations: Sequence[Operation]) -> None:
        """Apply all operations in one transaction, or none of them.

        Raises TransactionRacedError when a row is not what the last `read` saw, TransactionRefusedError when the
        database finds the operations wrong, SchemaTooOldError when the server cannot take UUIDs of ours, and
        StoreUnavailableError, after which it is unknown whether they were applied.
        """
        if not operations:
            return
        if self._snapshot is None:
            self.read()
        assert self._snapshot is not None
        request = transaction(operations, self._snapshot)
        self._snapshot = None
        results = self._transact(request)
        for step, result in zip(request, results, strict=True):
            if step["op"] in ("update", "mutate", "delete") and result.get("count") != 1:
                raise StoreError(f"{self._remote}: {step['op']} in {step['table']} changed {result} and not one row")

    def close(self) -> None:
        """Disconnect."""
        if self._wire is not None:
            self._wire.close()
        self._wire = self._schema = self._snapshot = None

    def _known_schema(self) -> Schema:
        # A database that was restarted may come back as another version, so each connection asks again.
        if self._wire is None or self._schema is None:
            self._schema = parse_schema(self._call("get_schema", [DATABASE]), self._remote)
        return self._schema

    def _transact(self, operations: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Return one result per operation; raise the error that the database answered."""
        results: list[Any] = self._call("transact", [DATABASE, *operations])
        for result in results:
            if isinstance(result, dict) and "error" in result:
                raise _failure(self._remote, result)
        if len(results) != len(operations) or not all(isinstance(result, dict) for result in results):
            raise StoreError(f"{self._remote}: {len(operations)} operations got {len(results)} results")
        return results

    def _call(self, method: str, params: list[Any]) -> Any:
        deadline = time.monotonic() + self._timeout
        try:
            if self._wire is None:
                self._wire = _Wire(self._remote, deadline, self._cancelled)
            answer = self._wire.call(method, params, deadline)
        except StoreUnavailableError:
            self.close()
            raise
        if answer.get("error") is not None:
            raise _failure(self._remote, answer["error"])
        return answer.get("result")


def _failure(remote: str, error: Any) -> StoreError:
    """Return the exception for one error of the server."""
    if not isinstance(error, dict):
        return TransactionRefusedError(f"{remote}: {error}")
    kind, details = error.get("error"), error.get("details", "")
    if kind in _RACED:
        return TransactionRacedError(f"{remote}: rows changed while they were planned ({kind})")
    if kind == "unknown database":
        return StoreUnavailableError(f"{remote}: the server has no database {DATABASE}")
    if "Member 'uuid' is present" in details:
        text = "the server cannot insert rows with UUIDs chosen by the client; Open vSwitch 2.13 or newer is needed"
        return SchemaTooOldError(f"{remote}: {text}")
    return TransactionRefusedError(f"{remote}: {kind}: {details}" if details else f"{remote}: {kind}")


class _Wire:
    """One connection: JSON-RPC 1.0 as values that follow each other without delimiter (RFC 7047, 4)."""

    def __init__(self, remote: str, deadline: float, cancelled: Callable[[], bool]) -> None:
        self._remote = remote
        self._cancelled = cancelled
        self._buffer = bytearray()
        self._inbox: list[Any] = []
        self._decoder = json.JSONDecoder()
        self._calls = 0
        error, self._stream = ovs.stream.Stream.open(remote)
        if error:
            raise self._gone(error)
        try:
            while (error := self._stream.connect()) == errno.EAGAIN:
                self._wait("connect", deadline)
            if error:
                raise self._gone(error)
        except StoreUnavailableError:
            self._stream.close()
            raise

    def call(self, method: str, params: list[Any], deadline: float) -> dict[str, Any]:
        """Return the answer to one request, whatever else the server says meanwhile."""
        self._calls += 1
        self._send({"method": method, "params": params, "id": self._calls}, deadline)
        while True:
            message = self._receive(deadline)
            if message.get("method") == "echo":
                self._send({"id": message.get("id"), "result": message.get("params"), "error": None}, deadline)
            elif message.get("id") == self._calls and "method" not in message:
                return message

    def close(self) -> None:
        self._stream.close()

    def _send(self, message: Mapping[str, Any], deadline: float) -> None:
        data = memoryview(json.dumps(message, separators=(",", ":")).encode())
        while data:
            sent = self._stream.send(data[:_CHUNK])
            if sent >= 0:
                data = data[sent:]
            elif sent == -errno.EAGAIN:
                self._wait("send", deadline)
            else:
                raise self._gone(-sent)

    def _receive(self, deadline: float) -> dict[str, Any]:
        while not self._inbox:
            error, data = self._stream.recv(_CHUNK)
            if data:
                self._buffer += data
                if len(self._buffer) > MAX_ANSWER:
                    raise StoreUnavailableError(f"{self._remote}: an answer is larger than {MAX_ANSWER >> 20} MiB")
            elif error not in (0, errno.EAGAIN):
                raise self._gone(error)
            elif not self._decode():
                if not error:
                    raise StoreUnavailableError(f"{self._remote}: the server closed the connection")
                self._wait("recv", deadline)
        message = self._inbox.pop(0)
        if not isinstance(message, dict):
            raise StoreUnavailableError(f"{self._remote}: this is not an OVSDB server")
        return message

    def _decode(self) -> bool:
        """Move complete messages to the inbox; called when the socket is drained. Return whether there are some."""
        if self._buffer and self._buffer[0] not in b"{ \r\n":
            raise StoreUnavailableError(f"{self._remote}: this is not an OVSDB server")
        # Every message ends with a brace; to look at anything else again and again would make large answers slow.
        if not self._buffer.endswith((b"}", b"}\n")):
            return False
        try:
            text = self._buffer.decode().strip()
            while text:
                message, end = self._decoder.raw_decode(text)
                self._inbox.append(message)
                text = text[end:].lstrip()
                self._buffer = bytearray(text.encode())
        except ValueError:
            # Not complete yet. What never completes runs into the deadline.
            pass
        return bool(self._inbox)

    def _wait(self, what: str, deadline: float) -> None:
        """Sleep until the stream can go on; raise when nobody waits any more."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise StoreUnavailableError(f"{self._remote}: no answer in time")
        if self._cancelled():
            raise StoreUnavailableError(f"{self._remote}: given up, because the process is to stop")
        poller = ovs.poller.Poller()
        self._stream.run_wait(poller)
        {"connect": self._stream.connect_wait, "send": self._stream.send_wait, "recv": self._stream.recv_wait}[what](
            poller
        )
        poller.timer_wait(min(int(left * 1000) + 1, _SLICE_MS))
        poller.block()
        self._stream.run()

    def _gone(self, error: int) -> StoreUnavailableError:
        return StoreUnavailableError(f"{self._remote}: {os.strerror(error) if error > 0 else 'connection lost'}")
