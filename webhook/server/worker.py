"""The worker process: gunicorn's gthread with a thread for each connection, and a watchdog over stalled clients.

gthread handshakes, parses and reads in a thread, which waits for its client without limit. So a worker has one thread
per permitted connection, and the watchdog shuts down the sockets of late clients, which wakes and frees their threads.
Idle connections have no thread and are not watched.
"""

import select
import socket
import threading
import time
from contextlib import suppress
from functools import partial
from typing import Any, Final

from gunicorn.util import close_graceful
from gunicorn.workers.gthread import ThreadWorker

from webhook.app import REQUEST_READ

READ_SECONDS: Final = 5.0
"""Seconds from the first byte of a request (or from the connection) to its last; the registered ``timeoutSeconds`` is 5
too.
"""
ANSWER_SECONDS: Final = 10.0
"""Seconds from the last byte of a request to the last byte of its answer."""
BUSY_SECONDS: Final = 0.2
"""Seconds that a thread waits for the next request of its client, which then does not pass through the event loop."""
NEW: Final = 0.1
"""The share of connections that must stay free of idle ones."""
MAX_DRAIN: Final = 16 * 1024 * 1024
"""The number of bytes to read and discard after a refusal, so that a client that still sends can read the answer."""


class WatchedThreadWorker(ThreadWorker):
    """gthread whose threads end with their clients."""

    read_seconds = READ_SECONDS
    nr_conns: int
    wsgi: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # gthread keeps no idle connections where there are as many threads as connections
        self.max_keepalived = int(self.worker_connections * (1 - NEW))
        self._watched: dict[int, tuple[Any, float]] = {}

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Called by gunicorn, which warns about as many threads as connections."""

    def load_wsgi(self) -> None:
        """Called by gunicorn: let the application report that it has read its request."""
        super().load_wsgi()
        self.wsgi = partial(_serve, self.wsgi, self._request_read)

    def handle(self, conn: Any) -> Any:
        """Called by gunicorn in a thread, with a connection that is new or has bytes."""
        conn.data_ready = True  # the watchdog bounds the wait for the first byte, so gthread need not
        kept = self._handle_watched(conn)
        while kept and self.alive and _has_next(conn):
            kept = self._handle_watched(conn)
        # count idle connections here too, because many can become idle at once
        if kept and len(self.keepalived_conns) < self.max_keepalived:
            return True
        close_graceful(conn.sock, max_drain=MAX_DRAIN)  # not in the event loop, because it waits for the client
        return False

    def finish_request(self, conn: Any, fs: Any) -> None:
        """Called by gunicorn in the event loop; it would count an already closed connection twice."""
        left = self.nr_conns - 1
        super().finish_request(conn, fs)
        self.nr_conns = max(self.nr_conns, left)

    def murder_pending(self) -> None:
        """Called by gunicorn at least once a second: wake the threads of late clients."""
        super().murder_pending()
        for conn, deadline in self._watched.copy().values():
            if time.monotonic() >= deadline:
                with suppress(OSError):  # the socket below TLS, because its thread uses the TLS state
                    socket.socket.shutdown(conn.sock, socket.SHUT_RDWR)

    def _handle_watched(self, conn: Any) -> Any:
        self._watched[threading.get_ident()] = (conn, time.monotonic() + self.read_seconds)
        try:
            return super().handle(conn)
        finally:
            del self._watched[threading.get_ident()]

    def _request_read(self) -> None:
        conn, _ = self._watched[threading.get_ident()]
        self._watched[threading.get_ident()] = (conn, time.monotonic() + ANSWER_SECONDS)


def _serve(application: Any, request_read: Any, environ: dict[str, Any], start_response: Any) -> Any:
    environ[REQUEST_READ] = request_read
    return application(environ, start_response)


def _has_next(conn: Any) -> bool:
    """Whether bytes of a next request are there or arrive soon."""
    if conn.parser.unreader.buf.getvalue() or conn.sock.pending():
        return True
    arriving = select.poll()
    arriving.register(conn.sock, select.POLLIN)
    return bool(arriving.poll(BUSY_SECONDS * 1000))
