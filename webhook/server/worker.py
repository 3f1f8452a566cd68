"""The worker process under gunicorn: threads only ever see whole requests, and most requests need none.

gunicorn's gthread worker reads requests in its threads, so as many clients as there are threads, stopped half-way
through a handshake or a request, stop the service. `WholeRequestWorker` reads in the event loop instead, without
blocking: a thread is given a request once all of its bytes are here, and what `webhook.server.express` answers at once
needs none. Every stage has a deadline, connections and buffered bytes are bounded, and the longest-waiting unfinished
request
is the first to go. The parts of gthread that it leans on are those of gunicorn 27.
"""

import logging
import math
import selectors
import socket
import ssl
import time
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from gunicorn import sock as gunicorn_sock
from gunicorn import util
from gunicorn.http import get_parser
from gunicorn.workers.gthread import ThreadWorker

from webhook.admission.review import Limits
from webhook.app import EXPRESS
from webhook.server.express import Express
from webhook.server.framing import OverlongHead, RequestBuffer
from webhook.server.lingering import Lingering
from webhook.server.shares import Courtesy, Shares
from webhook.server.turns import LARGE, Turns

log = logging.getLogger("ovnguard.server")
READ_SECONDS: Final = 5.0
"""From the first byte (or the connection) to a whole request; our ``timeoutSeconds`` is 5 too."""
ANSWER_SECONDS: Final = 10.0
"""From a whole request to a written answer; then the connection is cut, and its thread is free."""
STOP_SECONDS: Final = 1.0
"""How long a stopping worker waits for requests that have begun to arrive."""
ROUND_SECONDS: Final = 0.002
"""How long an answer waits, at most, for those to other requests that came with it, beside the judgement under way."""
LEFT_SECONDS: Final = 0.01
"""How long a new connection is left to a worker that has fewer."""
MAX_BUFFERED: Final = 32 * 1024 * 1024
"""Bytes of requests that are not whole, or large and wait for their turn; four of the longest."""
_CHUNK: Final = 64 * 1024
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


@dataclass(slots=True)
class _Reading:
    """A connection whose next request is not all here."""

    buffer: RequestBuffer
    deadline: float
    handshaken: bool
    continued: bool = False


class WholeRequestWorker(ThreadWorker):
    """gthread, but with the bytes of a request collected by the event loop before a thread is taken."""

    max_body = Limits().body_bytes
    read_seconds = READ_SECONDS
    shares = Shares()
    place: int | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.keepalived_conns: deque[Any]
        self._reading: dict[Any, _Reading] = {}
        self._answering: dict[Any, float] = {}
        self._turns = Turns()
        self._lingering = Lingering()
        self._stop_at: float | None = None
        self._express: Express | None = None
        self._outbox: list[tuple[Any, bytes]] = []
        self._send_by = 0.0
        self._keepalive = float(self.cfg.keepalive)
        self._tidy_at = 0.0
        self._accept_at = 0.0
        self._courtesy = Courtesy()
        self._upkeep = False

    @property
    def nr_conns(self) -> int:
        """How many connections there are; the name is gthread's."""
        return self._connections

    @nr_conns.setter
    def nr_conns(self, count: int) -> None:
        self._connections = count
        if self.alive:
            self.shares.tell(self.place, count)

    def run(self) -> None:
        """Called by gunicorn once the application is loaded."""
        self._express = getattr(self.wsgi, "extensions", {}).get(EXPRESS)
        self.shares.tell(self.place, 0)
        try:
            super().run()
        finally:
            self._tell()

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Called by gthread, with its upkeep in between: go on without it while all that comes is answered at once."""
        now = time.monotonic()
        until = now + timeout
        if now < self._accept_at:
            until = min(until, self._accept_at)
        self._upkeep = not self.alive
        while True:
            super().wait_for_and_dispatch_events(max(until - now, 0.0))
            self._send_all()
            now = time.monotonic()
            if self._upkeep or not self.alive or now >= until:
                return

    def set_accept_enabled(self, enabled: bool) -> None:
        """Called by gthread before it waits: a connection that was left to another worker is left to it for a while."""
        if not enabled or time.monotonic() >= self._accept_at:
            super().set_accept_enabled(enabled)

    def accept(self, listener: Any) -> None:
        """A client connects."""
        self._upkeep = True
        if not self._leave(time.monotonic()):
            super().accept(listener)

    def _leave(self, now: float) -> bool:
        """Leave the new connection to a worker that has fewer."""
        if not self._courtesy.leaves(self.nr_conns, self.shares.others(self.place)):
            return False
        self._accept_at = now + LEFT_SECONDS
        self.set_accept_enabled(False)
        return True

    def enqueue_req(self, conn: Any) -> None:
        """Where gthread would give a connection to a thread: begin to read its next request instead."""
        handshaken = isinstance(conn.sock, ssl.SSLSocket)
        try:
            conn.sock.setblocking(False)
            if not handshaken:
                conn.sock = gunicorn_sock.ssl_wrap_socket(conn.sock, self.cfg)
            self._begin(conn, handshaken, _read_ahead(conn))
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._on_bytes, conn))
        except (OSError, OverlongHead):
            self._reading.pop(conn, None)
            self._close(conn)
            return
        self._on_bytes(conn)

    def on_client_socket_readable(self, conn: Any, client: Any) -> None:
        """A kept connection has bytes again; it stays registered with the event loop.

        Mostly they are one whole request that is judged at once; its answer is sent with those of its round.
        """
        begun = b""
        try:
            begun = _read_ahead(conn) or _received(conn)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass  # no whole record yet
        except OSError as error:
            log.debug("connection dropped: %s", error)
            self._lose(conn)
            return
        answer = self._expressed(begun) if begun else None
        if answer is not None:
            self._post(conn, answer)
            return
        self.keepalived_conns.remove(conn)
        try:
            self._begin(conn, handshaken=True, begun=begun)
        except OverlongHead:
            self.poller.unregister(client)
            self._close(conn)
            return
        self.poller.modify(client, selectors.EVENT_READ, partial(self._on_bytes, conn))
        self._on_bytes(conn)

    def _post(self, conn: Any, answer: bytes) -> None:
        """Send an answer with the others of its round.

        Sent one by one, each would wake its client, which takes the processor from the next judgement.
        """
        now = time.monotonic()
        if not self._outbox:
            self._send_by = now + ROUND_SECONDS
        self._outbox.append((conn, answer))
        if now >= self._send_by:
            self._send_all()

    def _send_all(self) -> None:
        outbox, self._outbox = self._outbox, []
        self._tell()
        for conn, answer in outbox:
            try:
                unsent = self._sent(conn, answer)
            except OSError as error:
                log.debug("connection dropped: %s", error)
                self._lose(conn)
                continue
            if unsent:
                self.keepalived_conns.remove(conn)
                self.poller.unregister(conn.sock)
                self._send_later(conn, unsent)

    def _begin(self, conn: Any, handshaken: bool, begun: bytes) -> None:
        buffer = RequestBuffer(self.max_body, begun)
        self._reading[conn] = _Reading(buffer, time.monotonic() + self.read_seconds, handshaken)

    def _on_bytes(self, conn: Any, _socket: object = None) -> None:
        """Go on with the handshake and the request as far as bytes are there."""
        self._upkeep = True
        reading = self._reading[conn]
        try:
            if not reading.handshaken:
                conn.sock.do_handshake()
                reading.handshaken = True
            self._collect(conn, reading)
        except ssl.SSLWantReadError:
            self.poller.modify(conn.sock, selectors.EVENT_READ, partial(self._on_bytes, conn))
        except ssl.SSLWantWriteError:
            self.poller.modify(conn.sock, selectors.EVENT_WRITE, partial(self._on_bytes, conn))
        except (OSError, OverlongHead) as error:
            log.debug("connection dropped: %s", error)
            self._drop(conn)

    def _collect(self, conn: Any, reading: _Reading) -> None:
        buffer = reading.buffer
        while not buffer.complete:
            if buffer.expects_continue and not reading.continued:
                reading.continued = True
                conn.sock.send(_CONTINUE)
            data = conn.sock.recv(_CHUNK)
            if not data:
                self._drop(conn)
                return
            buffer.feed(data)
        request = buffer.take()
        answer = self._expressed(request)
        self._tell()
        unsent = None if answer is None else self._sent(conn, answer)
        if unsent == b"":
            del self._reading[conn]
            self.keepalived_conns.append(conn)
            self.poller.modify(conn.sock, selectors.EVENT_READ, partial(self.on_client_socket_readable, conn))
            return
        self._forget(conn)
        if unsent:
            self._send_later(conn, unsent)
            return
        if len(request) > LARGE:
            self._turns.join(conn, request, time.monotonic() + self.read_seconds)
            self._next_turn()
        else:
            self._serve(conn, request)

    def _next_turn(self) -> None:
        turn = self._turns.begin()
        if turn is not None:
            self._serve(*turn)

    def _serve(self, conn: Any, request: bytes) -> None:
        """Give a whole request to a thread."""
        # A parser over bytes, not over the socket: whatever it makes of them, it can never wait for more.
        conn.parser = get_parser(self.cfg, iter([request]), conn.client)
        conn.initialized = True
        self._answering[conn] = time.monotonic() + ANSWER_SECONDS
        super().enqueue_req(conn)

    def _expressed(self, request: bytes) -> bytes | None:
        """The answer to a request that needs no thread, on a connection that may be kept; None where it is none."""
        if self._express is None or not self.alive or len(self.keepalived_conns) > self.max_keepalived:
            return None
        return self._express(request)

    def _tell(self) -> None:
        """Before anything is sent: what somebody knows is in the log, and counted."""
        if self._express is not None:
            self._express.tell()

    def _sent(self, conn: Any, answer: bytes) -> bytes:
        """Send an answer; return what could not be sent yet, because the client reads slowly. Raises OSError."""
        try:
            sent = conn.sock.send(answer)
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
            sent = 0
        # the connection's own set_timeout looks through the whole configuration
        conn.timeout = time.monotonic() + self._keepalive
        return answer[sent:]

    def _send_later(self, conn: Any, unsent: bytes) -> None:
        """From here on it is as with any other answer, a thread's concern."""
        conn.parser = get_parser(self.cfg, iter([]), conn.client)
        self._answering[conn] = time.monotonic() + ANSWER_SECONDS
        rest = self.tpool.submit(_send_rest, conn.sock, unsent)
        rest.add_done_callback(lambda done: self.method_queue.defer(self.finish_request, conn, done))

    def finish_request(self, conn: Any, fs: Any) -> None:
        """Take a connection back from its thread."""
        self._upkeep = True
        self._answering.pop(conn, None)
        conn.close = partial(self._linger, conn)
        super().finish_request(conn, fs)
        if conn not in self._answering:
            # it holds the bytes of the request that it has read, for as long as the connection is kept
            conn.parser = None
        self._turns.end(conn)
        self._next_turn()

    def murder_pending(self) -> None:
        """Called by gthread at least once a second: enforce deadlines and bounds."""
        super().murder_pending()
        now = time.monotonic()
        if not self.alive and self._stop_at is None:
            self._stop_at = now + STOP_SECONDS
            self.shares.leave(self.place)
        if now >= self._tidy_at:
            # gthread looks at the first alone; here a connection keeps its place however often it is used
            self._tidy_at = now + 1.0
            self.keepalived_conns = deque(sorted(self.keepalived_conns, key=lambda conn: conn.timeout))
        for conn, reading in list(self._reading.items()):
            idle = self._stop_at is not None and not len(reading.buffer)
            if idle or now >= min(reading.deadline, self._stop_at or reading.deadline):
                self._drop(conn)
        for conn, deadline in list(self._answering.items()):
            if now >= deadline:
                self._answering[conn] = now + ANSWER_SECONDS
                _cut(conn.sock)
        for conn in self._turns.overdue(now):
            self._close(conn)
        self._lingering.expire(now if self.alive else math.inf, self.poller)
        self._make_room()

    def _make_room(self) -> None:
        """Drop unfinished requests, then large ones that wait, oldest first: too many connections or buffered bytes."""
        buffered = sum(len(reading.buffer) for reading in self._reading.values()) + self._turns.octets
        for conn, reading in list(self._reading.items()):
            if self.nr_conns < self.worker_connections and buffered <= MAX_BUFFERED:
                return
            buffered -= len(reading.buffer)
            self._drop(conn)
        while self._turns.octets > MAX_BUFFERED:
            self._close(self._turns.oldest())

    def _forget(self, conn: Any) -> None:
        del self._reading[conn]
        self.poller.unregister(conn.sock)

    def _lose(self, conn: Any) -> None:
        self.keepalived_conns.remove(conn)
        self.poller.unregister(conn.sock)
        self._close(conn)

    def _drop(self, conn: Any) -> None:
        self._forget(conn)
        self._close(conn)

    def _close(self, conn: Any) -> None:
        self.nr_conns -= 1
        util.close(conn.sock)

    def _linger(self, conn: Any, graceful: bool = False) -> None:
        if graceful:
            self._lingering.close(conn.sock, self.poller)
        else:
            util.close(conn.sock)


def _read_ahead(conn: Any) -> bytes:
    """What a parser has read of the next request."""
    return bytes(conn.parser.unreader.take_buffered()) if conn.parser else b""


def _received(conn: Any) -> bytes:
    data: bytes = conn.sock.recv(_CHUNK)
    if not data:
        raise ConnectionResetError("closed by the client")
    return data


def _send_rest(connection: Any, answer: bytes) -> bool:
    connection.setblocking(True)
    connection.sendall(answer)
    return True


def _cut(connection: Any) -> None:
    """Shut the TCP connection down under its thread, past TLS, whose state the thread is using."""
    try:
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
    except OSError as error:
        log.debug("connection already gone: %s", error)
