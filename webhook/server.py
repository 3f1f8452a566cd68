"""The webhook under gunicorn: TLS with certificates that may change, and threads that only ever see whole requests.

gunicorn's gthread worker reads requests in its threads, so as many clients as there are threads, stopped half-way
through a handshake or a request, stop the service. `WholeRequestWorker` reads in the event loop instead, without
blocking: a thread is given a request once all of its bytes are here. Every stage has a deadline, connections and
buffered bytes are bounded, and the longest-waiting unfinished request is the first to go. The only module that knows
gunicorn; the parts of gthread that it leans on are those of gunicorn 27.
"""

import logging
import os
import selectors
import socket
import ssl
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

from gunicorn import sock as gunicorn_sock
from gunicorn import util
from gunicorn.app.base import BaseApplication
from gunicorn.http import get_parser
from gunicorn.workers.gthread import ThreadWorker

from webhook.app import CLIENT_NAMES, EXPRESS
from webhook.certs import CertificateFiles, ContextCache
from webhook.framing import OverlongHead, RequestBuffer
from webhook.logs import logging_config
from webhook.metrics import FOLDER, forget
from webhook.review import Limits

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

log = logging.getLogger("ovnguard.server")
KEEPALIVE: Final = 120
"""Seconds; an API server drops idle connections after 90, and it must be the one to do so."""
READ_SECONDS: Final = 5.0
"""From the first byte (or the connection) to a whole request; our ``timeoutSeconds`` is 5 too."""
ANSWER_SECONDS: Final = 10.0
"""From a whole request to a written answer; then the connection is cut, and its thread is free."""
LINGER_SECONDS: Final = 1.0
STOP_SECONDS: Final = 1.0
"""How long a stopping worker waits for requests that have begun to arrive."""
GRACEFUL_SECONDS: Final = 4
START_SECONDS: Final = 60
"""How long a worker may be silent: longer than it may wait for its view of the cluster."""
MAX_CONNECTIONS: Final = 512
MAX_LINGERING: Final = 64
MAX_BUFFERED: Final = 64 * 1024 * 1024
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

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._reading: dict[Any, _Reading] = {}
        self._answering: dict[Any, float] = {}
        self._lingering: dict[Any, float] = {}
        self._stop_at: float | None = None
        self._express: Callable[[bytes], bytes | None] | None = None

    def run(self) -> None:
        """Called by gunicorn once the application is loaded."""
        self._express = getattr(self.wsgi, "extensions", {}).get(EXPRESS)
        super().run()

    def enqueue_req(self, conn: Any) -> None:
        """Where gthread would give a connection to a thread: begin to read its next request instead."""
        handshaken = isinstance(conn.sock, ssl.SSLSocket)
        try:
            conn.sock.setblocking(False)
            if not handshaken:
                conn.sock = gunicorn_sock.ssl_wrap_socket(conn.sock, self.cfg)
            self._begin(conn, handshaken)
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._on_bytes, conn))
        except (OSError, OverlongHead):
            self._reading.pop(conn, None)
            self._close(conn)
            return
        self._on_bytes(conn)

    def on_client_socket_readable(self, conn: Any, client: Any) -> None:
        """A kept connection has bytes again; it stays registered with the event loop."""
        self.keepalived_conns.remove(conn)
        try:
            self._begin(conn, handshaken=True)
        except OverlongHead:
            self.poller.unregister(client)
            self._close(conn)
            return
        self.poller.modify(client, selectors.EVENT_READ, partial(self._on_bytes, conn))
        self._on_bytes(conn)

    def _begin(self, conn: Any, handshaken: bool) -> None:
        begun = conn.parser.unreader.take_buffered() if conn.parser else b""
        buffer = RequestBuffer(self.max_body, begun)
        self._reading[conn] = _Reading(buffer, time.monotonic() + self.read_seconds, handshaken)

    def _on_bytes(self, conn: Any, _socket: object = None) -> None:
        """Go on with the handshake and the request as far as bytes are there."""
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
        answer = self._expressed(conn, request)
        if answer is not None:
            self._send(conn, answer)
            return
        self._forget(conn)
        # A parser over bytes, not over the socket: whatever it makes of them, it can never wait for more.
        conn.parser = get_parser(self.cfg, iter([request]), conn.client)
        conn.initialized = True
        self._answering[conn] = time.monotonic() + ANSWER_SECONDS
        super().enqueue_req(conn)

    def _expressed(self, conn: Any, request: bytes) -> bytes | None:
        """The answer to a request that needs no thread, on a connection that may be kept."""
        kept = self.alive and len(self.keepalived_conns) < self.max_keepalived and not conn.sock.pending()
        return self._express(request) if kept and self._express is not None else None

    def _send(self, conn: Any, answer: bytes) -> None:
        try:
            sent = conn.sock.send(answer)
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
            sent = 0
        if sent == len(answer):
            del self._reading[conn]
            conn.set_timeout()
            self.keepalived_conns.append(conn)
            self.poller.modify(conn.sock, selectors.EVENT_READ, partial(self.on_client_socket_readable, conn))
            return
        # The client reads slowly: from here on it is as with any other answer, a thread's concern.
        self._forget(conn)
        conn.parser = get_parser(self.cfg, iter([]), conn.client)
        self._answering[conn] = time.monotonic() + ANSWER_SECONDS
        rest = self.tpool.submit(_send_rest, conn.sock, answer[sent:])
        rest.add_done_callback(lambda done: self.method_queue.defer(self.finish_request, conn, done))

    def finish_request(self, conn: Any, fs: Any) -> None:
        """Take a connection back from its thread."""
        self._answering.pop(conn, None)
        conn.close = partial(self._linger, conn)
        super().finish_request(conn, fs)

    def murder_pending(self) -> None:
        """Called by gthread at least once a second: enforce deadlines and bounds."""
        super().murder_pending()
        now = time.monotonic()
        if not self.alive and self._stop_at is None:
            self._stop_at = now + STOP_SECONDS
        for conn, reading in list(self._reading.items()):
            idle = self._stop_at is not None and not len(reading.buffer)
            if idle or now >= min(reading.deadline, self._stop_at or reading.deadline):
                self._drop(conn)
        for conn, deadline in list(self._answering.items()):
            if now >= deadline:
                self._answering[conn] = now + ANSWER_SECONDS
                _cut(conn.sock)
        for sock, deadline in list(self._lingering.items()):
            if now >= deadline or not self.alive:
                self._end_linger(sock)
        self._make_room()

    def _make_room(self) -> None:
        """Drop unfinished requests, oldest first, while there are too many connections or buffered bytes."""
        buffered = sum(len(reading.buffer) for reading in self._reading.values())
        for conn, reading in list(self._reading.items()):
            if self.nr_conns < self.worker_connections and buffered <= MAX_BUFFERED:
                return
            buffered -= len(reading.buffer)
            self._drop(conn)

    def _forget(self, conn: Any) -> None:
        del self._reading[conn]
        self.poller.unregister(conn.sock)

    def _drop(self, conn: Any) -> None:
        self._forget(conn)
        self._close(conn)

    def _close(self, conn: Any) -> None:
        self.nr_conns -= 1
        util.close(conn.sock)

    def _linger(self, conn: Any, graceful: bool = False) -> None:
        """Close after an answer, reading away what the client still sends, or it loses the answer (RFC 9112, 9.6).

        gunicorn does this waiting, in the event loop, up to two seconds for each connection.
        """
        raw = conn.sock
        if not graceful or len(self._lingering) >= MAX_LINGERING:
            util.close(raw)
            return
        try:
            raw.shutdown(socket.SHUT_WR)
            raw.setblocking(False)
            self.poller.register(raw, selectors.EVENT_READ, self._on_leftover)
        except (OSError, ValueError, KeyError):
            util.close(raw)
            return
        self._lingering[raw] = time.monotonic() + LINGER_SECONDS

    def _on_leftover(self, raw: Any) -> None:
        try:
            if raw.recv(_CHUNK):
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self._end_linger(raw)

    def _end_linger(self, raw: Any) -> None:
        del self._lingering[raw]
        self.poller.unregister(raw)
        util.close(raw)


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


@dataclass(frozen=True, slots=True)
class Settings:
    """How to serve: a listening socket, how many processes and threads, bounds, seconds to a whole request.

    ``clients``: whether certificates of clients are looked at.
    """

    listener: socket.socket
    workers: int = 1
    threads: int = 8
    limits: Limits = field(default_factory=Limits)
    read_seconds: float = READ_SECONDS
    clients: bool = False


class Server(BaseApplication):
    """gunicorn with our settings; `run` returns by SystemExit only, code 0 after a stop that was asked for."""

    def __init__(
        self,
        make_app: Callable[[], "WSGIApplication"],
        contexts: ContextCache,
        files: CertificateFiles,
        settings: Settings,
    ) -> None:
        """``make_app`` is called once in every worker process: threads of a live view must live where they are used."""
        self._make_app = make_app
        self._contexts = contexts
        self._files = files
        self._settings = settings
        super().__init__(prog="ovnguard-webhook")

    def load_config(self) -> None:
        """Called by gunicorn."""
        settings = self._settings
        bounds = {"max_body": settings.limits.body_bytes, "read_seconds": settings.read_seconds}
        values = {
            "bind": f"fd://{settings.listener.fileno()}",
            "worker_class": type("Worker", (WholeRequestWorker,), bounds),
            "workers": settings.workers,
            "threads": settings.threads,
            "worker_connections": MAX_CONNECTIONS,
            "keepalive": KEEPALIVE,
            "graceful_timeout": GRACEFUL_SECONDS,
            "timeout": START_SECONDS,
            "certfile": str(self._files.certificate),
            "keyfile": str(self._files.key),
            "ssl_context": lambda _config, _factory: self._contexts.get(),
            "do_handshake_on_connect": False,
            "control_socket_disable": True,
            "post_worker_init": _announce,
            "child_exit": _forget,
            "logconfig_dict": logging_config(),
            "proc_name": "ovnguard-webhook",
        }
        for key, value in values.items():
            self.cfg.set(key, value)

    def load(self) -> "WSGIApplication":
        """Called by gunicorn in every worker."""
        application = self._make_app()
        return _naming_clients(application) if self._settings.clients else application


def url_of(listener: Any) -> str:
    """The URL under which a listening socket can be reached from this machine."""
    host, port = listener.getsockname()[:2]
    address = ip_address(host)
    if address.is_unspecified:
        address = ip_address("127.0.0.1" if address.version == 4 else "::1")
    return f"https://{address}:{port}" if address.version == 4 else f"https://[{address}]:{port}"


def _naming_clients(application: "WSGIApplication") -> "WSGIApplication":
    """The application, told who its client is by the certificate that TLS has verified."""

    def named(environ: dict[str, Any], start: Any) -> Any:
        connection = environ.get("gunicorn.socket")
        certificate = connection.getpeercert() if isinstance(connection, ssl.SSLSocket) else None
        environ[CLIENT_NAMES] = names_in(certificate or {})
        return application(environ, start)

    return named


def names_in(certificate: Any) -> tuple[str, ...]:
    """Return common name and DNS names of a certificate as `ssl.SSLSocket.getpeercert` describes it."""
    subject = [value for part in certificate.get("subject", ()) for key, value in part if key == "commonName"]
    return (*subject, *(value for kind, value in certificate.get("subjectAltName", ()) if kind == "DNS"))


def _forget(_arbiter: Any, worker: Any) -> None:
    """A worker has ended, whatever ended it."""
    if FOLDER in os.environ:
        forget(worker.pid)


def _announce(worker: Any) -> None:
    """The first worker says where it serves, now that it does."""
    if worker.age == 1:
        sys.stdout.write(url_of(worker.sockets[0]) + "\n")
        sys.stdout.flush()
