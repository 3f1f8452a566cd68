"""The only module that uses OVSDB's untyped Python library.

The library connects (unix:, tcp:, ssl:) and waits. This module frames messages and uses the standard library's JSON,
because OVSDB's own parser works character by character and a zone of a thousand networks takes tens of megabytes. RFC
7047 is the protocol, ovsdb-server(7) its extensions.
"""

import errno
import itertools
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import ovs.poller
import ovs.stream

from ovnguard.reconciler.apply.ovn.server_name import foreign_certificate
from ovnguard.reconciler.apply.store_errors import StoreUnavailableError
from ovnguard.reconciler.apply.zone_store import TLSFiles

MAX_ANSWER: Final = 1 << 30
_CHUNK: Final = 1 << 18
# The longest wait for the server, in seconds, before the caller is polled for cancellation.
_SLICE_MS: Final = 200
# A notification from the server: method and parameters.
Hear = Callable[[str, list[Any]], None]


def use_tls(files: TLSFiles) -> None:
    """Take these files for all ssl: connections of the process."""
    ovs.stream.Stream.ssl_set_private_key_file(str(files.key))
    ovs.stream.Stream.ssl_set_certificate_file(str(files.certificate))
    ovs.stream.Stream.ssl_set_ca_cert_file(str(files.ca))


class Wire:
    """One connection: JSON-RPC 1.0 as values that follow each other without delimiter (RFC 7047, 4)."""

    def __init__(
        self, remote: str, deadline: float, cancelled: Callable[[], bool], hear: Hear = lambda _method, _params: None
    ) -> None:
        self._remote = remote
        self._cancelled = cancelled
        self._hear = hear
        self._buffer = bytearray()
        # Open braces in the buffer, including those inside strings.
        self._open = 0
        self._quiet = False
        self._inbox: list[Any] = []
        self._decoder = json.JSONDecoder()
        self._calls = 0
        error, self._stream = ovs.stream.Stream.open(remote)
        if error:
            # a refused connection comes with a stream, whose socket is open
            if self._stream is not None:
                self._stream.close()
            raise self._gone(error)
        try:
            while (error := self._stream.connect()) == errno.EAGAIN:
                self._wait("connect", deadline)
            if error:
                raise self._gone(error)
            if remote.startswith("ssl:") and (foreign := foreign_certificate(remote, self._certificate())):
                raise StoreUnavailableError(f"{remote}: {foreign}")
        except StoreUnavailableError:
            self._stream.close()
            raise

    def call(self, method: str, params: list[Any], deadline: float) -> dict[str, Any]:
        """Return the answer to one request; notifications in between are handled."""
        return self.call_text(method, [_text(params)], deadline)

    def call_text(self, method: str, params: Iterable[str], deadline: float) -> dict[str, Any]:
        """Like `call`, with ``params`` as pieces of JSON that are sent unchanged."""
        self._calls += 1
        head = f'{{"method":"{method}","id":{self._calls},"params":'
        for data in _chunks(itertools.chain((head,), params, ("}",))):
            self._send(data, deadline)
        while True:
            message = self._receive(deadline)
            if message.get("id") == self._calls and "method" not in message:
                return message
            self._listen(message, deadline)

    def listen(self, deadline: float) -> None:
        """Handle everything received since the last call, without waiting for more."""
        while self._fill():
            while self._inbox:
                self._listen(self._inbox.pop(0), deadline)

    def _listen(self, message: Mapping[str, Any], deadline: float) -> None:
        method = message.get("method")
        if method == "echo":
            answer = {"id": message.get("id"), "result": message.get("params"), "error": None}
            self._send(_text(answer).encode(), deadline)
        elif isinstance(method, str) and isinstance(message.get("params"), list):
            self._hear(method, message["params"])

    def close(self) -> None:
        """Disconnect."""
        self._stream.close()

    def _send(self, message: bytes, deadline: float) -> None:
        data = memoryview(message)
        while data:
            sent = self._stream.send(data)
            if sent >= 0:
                data = data[sent:]
            elif sent == -errno.EAGAIN:
                self._wait("send", deadline)
            else:
                raise self._gone(-sent)

    def _receive(self, deadline: float) -> dict[str, Any]:
        while not self._inbox and not self._fill():
            known = len(self._buffer)
            self._wait("recv", deadline)
            if known and not self._fill() and len(self._buffer) == known:
                # No more data arrives, so unbalanced braces may be inside a string.
                self._quiet = True
        message = self._inbox.pop(0)
        if not isinstance(message, dict):
            raise StoreUnavailableError(f"{self._remote}: this is not an OVSDB server")
        return message

    def _fill(self) -> bool:
        """Read the available data; return whether the inbox contains complete messages."""
        while True:
            error, data = self._stream.recv(_CHUNK)
            if data:
                self._buffer += data
                self._open += data.count(b"{") - data.count(b"}")
                if len(self._buffer) > MAX_ANSWER:
                    raise StoreUnavailableError(f"{self._remote}: an answer is larger than {MAX_ANSWER >> 20} MiB")
            elif error not in (0, errno.EAGAIN):
                raise self._gone(error)
            elif self._decode():
                return True
            elif not error:
                raise StoreUnavailableError(f"{self._remote}: the server closed the connection")
            else:
                return False

    def _decode(self) -> bool:
        """Move complete messages to the inbox, once the socket is drained. Return whether it contains any."""
        if self._buffer and self._buffer[0] not in b"{ \r\n":
            raise StoreUnavailableError(f"{self._remote}: this is not an OVSDB server")
        # Every message ends with a brace; parsing attempts at other octets would slow down large answers.
        if (self._open > 0 and not self._quiet) or not self._buffer.endswith((b"}", b"}\n")):
            return False
        self._quiet = False
        try:
            text = self._buffer.decode()
        except UnicodeDecodeError:
            return False
        # Tens of megabytes, so do not keep a second copy.
        self._buffer = bytearray()
        begin = _after_space(text, 0)
        while begin < len(text):
            try:
                message, end = self._decoder.raw_decode(text, begin)
            except ValueError:
                # Not complete yet. A message that never completes runs into the deadline.
                break
            self._inbox.append(message)
            begin = _after_space(text, end)
        self._buffer = bytearray(text[begin:].encode())
        self._open = self._buffer.count(b"{") - self._buffer.count(b"}")
        return bool(self._inbox)

    def _wait(self, what: str, deadline: float) -> None:
        """Sleep until the stream is ready; raise at the deadline or when cancelled."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise StoreUnavailableError(f"{self._remote}: no answer within the time limit")
        if self._cancelled():
            raise StoreUnavailableError(f"{self._remote}: cancelled, because the process is stopping")
        poller = ovs.poller.Poller()
        self._stream.run_wait(poller)
        {"connect": self._stream.connect_wait, "send": self._stream.send_wait, "recv": self._stream.recv_wait}[what](
            poller
        )
        poller.timer_wait(min(int(left * 1000) + 1, _SLICE_MS))
        poller.block()
        self._stream.run()

    def _certificate(self) -> Mapping[str, Any]:
        certificate: Mapping[str, Any] = self._stream.socket.getpeercert() or {}
        return certificate

    def _gone(self, error: int) -> StoreUnavailableError:
        return StoreUnavailableError(f"{self._remote}: {os.strerror(error) if error > 0 else 'connection lost'}")


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _chunks(pieces: Iterable[str]) -> Iterator[bytes]:
    """Join small pieces: tens of megabytes are not copied whole, nor sent a few octets at a time."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= _CHUNK:
            yield "".join(held).encode()
            held, size = [], 0
    yield "".join(held).encode()


def _after_space(text: str, begin: int) -> int:
    while begin < len(text) and text[begin] in " \r\n\t":
        begin += 1
    return begin
