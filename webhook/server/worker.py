"""The worker process: gunicorn's gthread with a thread for each connection, and a watchdog over stalled clients.

gthread handshakes, parses and reads in a thread, and waits for its client without limit. So a worker has as many
threads as it admits connections, and the watchdog shuts the sockets of late clients, which wakes and frees their
threads. Idle connections have no thread and are not watched.
"""

import socket
import threading
import time
from contextlib import suppress
from typing import Any, Final

from gunicorn.util import close_graceful
from gunicorn.workers.gthread import ThreadWorker

from webhook.app import REQUEST_READ

READ_SECONDS: Final = 5.0
"""From the first byte of a request (or from the connection) to its last; the registered ``timeoutSeconds`` is 5 too."""
ANSWER_SECONDS: Final = 10.0
"""From the last byte of a request to the last byte of its answer."""
NEW: Final = 0.1
"""The share of connections that idle ones leave free."""
MAX_DRAIN: Final = 16 * 1024 * 1024
"""Bytes that are read and dropped after a refusal, so that a client which still sends can read it."""


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
        application = self.wsgi

        def serve(environ: dict[str, Any], start_response: Any) -> Any:
            environ[REQUEST_READ] = self._request_read
            return application(environ, start_response)

        self.wsgi = serve

    def handle(self, conn: Any) -> Any:
        """Called by gunicorn in a thread, with a connection that is new or has bytes."""
        self._watched[threading.get_ident()] = (conn, time.monotonic() + self.read_seconds)
        conn.data_ready = True  # the watchdog bounds the wait for the first byte, so gthread need not
        try:
            kept = super().handle(conn)
            if not kept:
                # here and not in the event loop, because it waits for the client
                close_graceful(conn.sock, max_drain=MAX_DRAIN)
            return kept
        finally:
            del self._watched[threading.get_ident()]

    def finish_request(self, conn: Any, fs: Any) -> None:
        """Called by gunicorn in the event loop; it counts a connection twice that is closed already."""
        left = self.nr_conns - 1
        super().finish_request(conn, fs)
        self.nr_conns = max(self.nr_conns, left)

    def murder_pending(self) -> None:
        """Called by gunicorn at least once a second: wake the threads of late clients."""
        super().murder_pending()
        now = time.monotonic()
        for conn, deadline in self._watched.copy().values():
            if now >= deadline:
                with suppress(OSError):
                    # the socket below TLS, whose state its thread is using
                    socket.socket.shutdown(conn.sock, socket.SHUT_RDWR)

    def _request_read(self) -> None:
        conn, _ = self._watched[threading.get_ident()]
        self._watched[threading.get_ident()] = (conn, time.monotonic() + ANSWER_SECONDS)
