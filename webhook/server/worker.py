"""The worker process: gunicorn's gthread with a thread for each request, and a watchdog over late and surplus clients.

gthread handshakes, parses and reads in a thread, which waits for its client without limit. So a worker has one thread
per permitted connection, and the watchdog shuts down the sockets of late clients, which wakes and frees their threads.
A connection without a TLS hello waits in the poller, as an idle one does: neither has a thread.
`webhook.server.allowances` says which connections end when too many are without a request.
"""

import select
import selectors
import socket
import threading
import time
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, Final

from gunicorn.util import close_graceful, write_error
from gunicorn.workers.gthread import ThreadWorker

from ovnguard.webhook.app import REQUEST_READ
from ovnguard.webhook.server.allowances import Allowances, Limits, Stage
from ovnguard.webhook.server.client_address import canonical
from ovnguard.webhook.server.open_files import OTHER_FILES, limit_of_files
from ovnguard.webhook.server.tls_hello import expect, expected, missing

READ_SECONDS: Final = 5.0
"""Seconds from the first byte of a request (or from the connection) to its last; the registered ``timeoutSeconds`` is 5
too.
"""
ANSWER_SECONDS: Final = 10.0
"""Seconds from the last byte of a request to the last byte of its answer."""
WATCH_SECONDS: Final = 0.1
"""Seconds between two looks for late clients."""
BUSY_SECONDS: Final = 0.2
"""Seconds that a thread waits for the next request of its client, which then does not pass through the event loop."""
NEW: Final = 0.1
"""The share of connections that must stay free of idle ones."""
WAITING: Final = 2048
"""The number of connections without a TLS hello, which take no thread and are not among the permitted ones. In a flood
that opens each closed connection again, those that do not wait here wait to be accepted, in front of honest clients.
"""
OF_ADDRESS: Final = 1 / 6
"""The share of the permitted connections that may be without a request, for each address."""
OF_OUTSIDERS: Final = 32
"""The number of connections of clients that may not ask, for all together: probes and scrapes take milliseconds."""
AT_ONCE: Final = 64
"""The number of connections to accept before other events are served."""
MAX_DRAIN: Final = 16 * 1024 * 1024
"""The number of bytes to read and discard after a refusal, so that a client that still sends can read the answer."""
HTTP_VERSION: Final = (1, 1)
"""The highest version of HTTP that is spoken."""


class WatchedThreadWorker(ThreadWorker):
    """gthread whose threads end with their clients, and that ends silent connections to admit new ones."""

    read_seconds = READ_SECONDS
    nr_conns: int
    wsgi: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # gthread keeps no idle connections where there are as many threads as connections
        self.max_keepalived = int(self.worker_connections * (1 - NEW))
        self._limits = Limits(
            waiting=min(WAITING, max(AT_ONCE, limit_of_files() - self.worker_connections - OTHER_FILES)),
            of_address=int(self.worker_connections * OF_ADDRESS),
            of_outsiders=min(self.worker_connections // 2, OF_OUTSIDERS),
        )
        self._allowances: Allowances[Any] = Allowances(self._limits)
        self._deadlines: dict[Any, float] = {}  # of connections that wait or have a thread
        self._outsiders: set[Any] = set()  # those that have a thread
        self._ready: dict[Any, None] = {}  # outsiders with a hello and without a thread, the oldest first
        self._served = threading.local()
        self._accepted = 0
        self._next_watch = 0.0

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Called by gunicorn, which warns about as many threads as connections."""

    def load_wsgi(self) -> None:
        """Called by gunicorn: let the application report that it has read its request."""
        super().load_wsgi()
        self.wsgi = partial(_serve, self.wsgi, self._request_read)

    def accept(self, listener: Any) -> None:
        """Called by gunicorn in the event loop when connections have come, of which it accepts one: accept more."""
        for _ in range(AT_ONCE):
            before = self._accepted
            super().accept(listener)
            if self._accepted == before:
                break

    def enqueue_req(self, conn: Any) -> None:
        """Called by gunicorn in the event loop, with a connection that is new, or was idle and has bytes."""
        if conn.timeout is None:
            self._admit(conn)
        else:
            self._expect_request(conn)
            super().enqueue_req(conn)

    def handle(self, conn: Any) -> Any:
        """Called by gunicorn in a thread, with a connection that has bytes."""
        conn.data_ready = True  # so that gthread does not wait for them
        self._served.conn = conn
        kept = super().handle(conn)
        while kept and self.alive and _has_next(conn):
            self._expect_request(conn)
            kept = super().handle(conn)
        self._deadlines.pop(conn, None)
        # count idle connections here too, because many can become idle at once
        if kept and len(self.keepalived_conns) < self.max_keepalived:
            return True
        close_graceful(conn.sock, max_drain=MAX_DRAIN)  # not in the event loop, because it waits for the client
        return False

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Called by gunicorn in a thread, with a request whose head is complete."""
        if req.version > HTTP_VERSION:
            write_error(conn.sock, 505, "HTTP Version Not Supported", "HTTP/1.1 and HTTP/1.0 are supported")
            return False
        if self._allowances.is_outsider(conn):
            req.force_close()  # an idle connection would take a place of the few
        return super().handle_request(req, conn)

    def finish_request(self, conn: Any, fs: Any) -> None:
        """Called by gunicorn in the event loop; it would count an already closed connection twice."""
        self._allowances.leave(conn)
        self._deadlines.pop(conn, None)
        left = self.nr_conns - 1
        super().finish_request(conn, fs)
        self.nr_conns = max(self.nr_conns, left)
        if conn in self._outsiders:
            self._outsiders.remove(conn)
            if self._ready:
                self._begin(next(iter(self._ready)))

    def murder_pending(self) -> None:
        """Called by gunicorn after each round of the event loop, at least once a second: end late clients, and surplus
        connections.
        """
        super().murder_pending()
        now = time.monotonic()
        if now >= self._next_watch:  # rounds are many in a flood, and connections too
            self._next_watch = now + WATCH_SECONDS
            for conn in [conn for conn, deadline in self._deadlines.copy().items() if now >= deadline]:
                self._end(conn)
        excess = self.nr_conns - self.worker_connections + 1
        for conn in self._allowances.surplus(now, excess):
            stage = self._allowances.stage(conn)
            # its request may be complete by now, or its hello
            if stage is not None and not (stage is Stage.WAITS and self._try_to_begin(conn)):
                self._end(conn)
                excess -= stage is Stage.SPEAKS
        if excess > 0:
            for conn in islice(self.keepalived_conns, excess):
                conn.timeout = now
            self.murder_keepalived()

    def _admit(self, conn: Any) -> None:
        """Let a new connection wait for the hello of its client."""
        self._accepted += 1
        self.nr_conns -= 1  # it counts when it has a thread
        now = time.monotonic()
        conn.timeout = self._deadlines[conn] = now + self.read_seconds
        address = conn.client[0]
        self._allowances.waits(conn, canonical(address), now, outsider=not self.app.may_ask(address))
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._woken, conn))
        self._try_to_begin(conn)

    def _woken(self, conn: Any, client: socket.socket) -> None:
        """Called in the event loop when what was missing of a hello is there, or the client has closed."""
        before = expected(client)
        if not self._try_to_begin(conn) and expected(client) <= before:
            self._begin(conn)  # a kernel without SO_RCVLOWAT wakes for each byte; then the thread waits for the others

    def _try_to_begin(self, conn: Any) -> bool:
        """Begin with a connection that waits if its hello is there, or end it if its client has; return whether either
        happened.
        """
        try:
            octets = missing(conn.sock)
        except (OSError, EOFError):
            self._end(conn)
            return True
        if octets:
            expect(conn.sock, octets)
            return False
        self._begin(conn)
        return True

    def _begin(self, conn: Any) -> None:
        """Give a connection that waits a thread, as soon as the other outsiders leave one to an outsider."""
        self._unwatch(conn)
        if self._allowances.is_outsider(conn):
            if len(self._outsiders) >= self._limits.of_outsiders:
                self._ready[conn] = None
                self._allowances.ready(conn, time.monotonic())
                return
            self._outsiders.add(conn)
        self.nr_conns += 1
        expect(conn.sock, 1)
        self._allowances.speaks(conn, canonical(conn.client[0]), time.monotonic())
        super().enqueue_req(conn)

    def _unwatch(self, conn: Any) -> None:
        if conn in self._ready:
            del self._ready[conn]
        else:
            self.poller.unregister(conn.sock)

    def _end(self, conn: Any) -> None:
        """End a connection that waits, or wake the thread that it has."""
        stage = self._allowances.stage(conn)
        self._allowances.leave(conn)
        if stage in {Stage.WAITS, Stage.READY}:
            del self._deadlines[conn]
            self._unwatch(conn)
            conn.close()
            return
        if conn in self._deadlines:
            self._deadlines[conn] = 0.0  # until it has ended: while TLS begins, there is no socket to shut down
        with suppress(OSError):  # the socket below TLS, because its thread uses the TLS state
            socket.socket.shutdown(conn.sock, socket.SHUT_RDWR)

    def _expect_request(self, conn: Any) -> None:
        """Count a connection that was kept, until its next request is complete."""
        now = time.monotonic()
        self._deadlines[conn] = now + self.read_seconds
        self._allowances.speaks(conn, canonical(conn.client[0]), now)

    def _request_read(self) -> None:
        """Called in a thread that has read a whole request."""
        now = time.monotonic()
        self._deadlines[self._served.conn] = now + ANSWER_SECONDS
        self._allowances.asked(self._served.conn, now)


def _serve(application: Any, request_read: Any, environ: dict[str, Any], start_response: Any) -> Any:
    environ[REQUEST_READ] = request_read
    if environ.get("CONTENT_LENGTH", "0") == "0" and "HTTP_TRANSFER_ENCODING" not in environ:
        request_read()
    return application(environ, start_response)


def _has_next(conn: Any) -> bool:
    """Whether bytes of a next request are there or arrive soon."""
    if conn.parser.unreader.buf.getvalue() or conn.sock.pending():
        return True
    arriving = select.poll()
    arriving.register(conn.sock, select.POLLIN)
    return bool(arriving.poll(BUSY_SECONDS * 1000))
