"""The webhook under gunicorn: TLS with replaceable certificates, a master and its worker processes."""

import gc
import logging
import os
import socket
import ssl
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger

from ovnguard.webhook.app import CLIENT_NAMES, anywhere
from ovnguard.webhook.certificates.self_signed import CertificateFiles
from ovnguard.webhook.observability.logging_config import logging_config
from ovnguard.webhook.observability.metrics import FOLDER, forget
from ovnguard.webhook.server.large_bodies import BodySlots
from ovnguard.webhook.server.open_files import OTHER_FILES, allow_files
from ovnguard.webhook.server.tls_context import ContextCache
from ovnguard.webhook.server.worker import READ_SECONDS, WAITING, WatchedThreadWorker

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

KEEPALIVE: Final = 120
"""Seconds; longer than the 90 after which an API server drops idle connections, because the client must close first."""
GRACEFUL_SECONDS: Final = 4
START_SECONDS: Final = 60
"""Seconds that a worker may be silent: more than its wait for the cluster view."""
CONNECTIONS: Final = 600
"""The maximum number of connections per worker, each with a thread during a request."""
BACKLOG: Final = 4096
"""How many connections the kernel holds until they are accepted: beyond that, it lets clients wait for a second."""


def _nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The server's settings: a bound socket, the number of processes, connections per process, seconds to receive a
    request.

    ``clients``: whether the applications get the names in the certificates of clients. ``metrics``: the bound socket
    of metrics and its TLS contexts, if they are served. The first worker that can answer lets the sockets listen.
    """

    listener: socket.socket
    workers: int = 1
    connections: int = CONNECTIONS
    read_seconds: float = READ_SECONDS
    clients: bool = False
    metrics: tuple[socket.socket, ContextCache] | None = None


class Applications(NamedTuple):
    """The applications of a worker, each on its own port. ``may_ask``: whether a client with this address may have a
    verdict; the worker admits few connections of others.
    """

    admission: "WSGIApplication"
    metrics: "WSGIApplication"
    may_ask: Callable[[str], bool] = anywhere


class ContextOfPort:
    """The TLS context of the port that a connection came to; gunicorn has one context for all ports."""

    def __init__(self, contexts: ContextCache, others: Mapping[int, ContextCache]) -> None:
        self._contexts = contexts
        self._others = others

    def wrap_socket(self, connection: socket.socket, **options: Any) -> ssl.SSLSocket:
        """Called by gunicorn for a new connection."""
        contexts = self._others.get(_port_of(connection), self._contexts)
        return contexts.get().wrap_socket(connection, **options)


class ErrorLog(Logger):
    """gunicorn's logger without an access log, which it would format for every request to write nothing, and without
    the master's line about listening, which it does not do.
    """

    access_log_enabled = False

    def info(self, msg: str, *args: Any, **kwargs: Any) -> None:
        """Called by gunicorn."""
        if not msg.startswith("Listening at:"):
            super().info(msg, *args, **kwargs)


class Server(BaseApplication):
    """gunicorn with ovnguard's settings; `run` ends only by SystemExit, with code 0 after a requested stop."""

    def __init__(
        self,
        make_app: Callable[[], "WSGIApplication | Applications"],
        contexts: ContextCache,
        files: CertificateFiles,
        settings: ServerSettings,
        prepare: Callable[[], object] = _nothing,
    ) -> None:
        """Each worker process calls ``make_app`` once: because the threads of a live view must run there.

        The master calls ``prepare`` once before it forks workers, so they share what it loads.
        """
        self._make_app = make_app
        self._prepare = prepare
        self._contexts = contexts
        self._files = files
        self._settings = settings
        self.may_ask: Callable[[str], bool] = anywhere
        self._metrics_port = None if settings.metrics is None else _port_of(settings.metrics[0])
        super().__init__(prog="ovnguard-webhook")

    def load_config(self) -> None:
        """Called by gunicorn."""
        settings = self._settings
        listeners, others = [settings.listener], {}
        if settings.metrics is not None:
            listener, others[_port_of(settings.metrics[0])] = settings.metrics
            listeners.append(listener)
        contexts = ContextOfPort(self._contexts, others)
        values = {
            # gunicorn would let sockets listen that it knows before a worker can answer
            "bind": [],
            "worker_class": type("Worker", (WatchedThreadWorker,), {"read_seconds": settings.read_seconds}),
            "workers": settings.workers,
            "threads": settings.connections,
            "worker_connections": settings.connections,
            "keepalive": KEEPALIVE,
            "graceful_timeout": GRACEFUL_SECONDS,
            "timeout": START_SECONDS,
            "certfile": str(self._files.certificate),
            "keyfile": str(self._files.key),
            "ssl_context": lambda _config, _factory: contexts,
            # no proxy stands between API servers and this one
            "forwarded_allow_ips": "",
            "proxy_allow_ips": "",
            "do_handshake_on_connect": False,
            "control_socket_disable": True,
            "when_ready": partial(_prepare_master, self._prepare, settings.connections),
            "post_worker_init": partial(_listen, listeners),
            "worker_exit": _leave,
            "child_exit": _forget,
            "logconfig_dict": logging_config(),
            "logger_class": ErrorLog,
            "proc_name": "ovnguard-webhook",
        }
        for key, value in values.items():
            self.cfg.set(key, value)

    def load(self) -> "WSGIApplication":
        """Called by gunicorn in every worker."""
        made, metrics = self._make_app(), None
        if isinstance(made, Applications):
            made, metrics, self.may_ask = made
        application: WSGIApplication = BodySlots(made)
        if metrics is not None and self._metrics_port is not None:
            application = _by_port(application, {self._metrics_port: metrics})
        return _naming_clients(application) if self._settings.clients else application


def url_of(listener: Any) -> str:
    """The URL of a bound socket for clients on this machine."""
    host, port = listener.getsockname()[:2]
    address = ip_address(host)
    if address.is_unspecified:
        address = ip_address("127.0.0.1" if address.version == 4 else "::1")
    return f"https://{address}:{port}" if address.version == 4 else f"https://[{address}]:{port}"


def _port_of(connection: Any) -> int:
    """The port of this machine that a socket is bound to."""
    return int(connection.getsockname()[1])


def _by_port(application: "WSGIApplication", others: Mapping[int, "WSGIApplication"]) -> "WSGIApplication":
    """The application of the port that a request came to."""

    def routed(environ: dict[str, Any], start: Any) -> Any:
        return others.get(_port_of(environ["gunicorn.socket"]), application)(environ, start)

    return routed


def _naming_clients(application: "WSGIApplication") -> "WSGIApplication":
    """The application, with the names in the client certificate that TLS has verified in its environment."""

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


def _prepare_master(prepare: Callable[[], object], connections: int, _arbiter: Any) -> None:
    """Called by gunicorn once the master runs, before it forks workers."""
    prepare()
    allow_files(connections + WAITING + OTHER_FILES)
    # freeze the present objects: a collection in a worker would only copy pages that it shares with the others
    gc.collect()
    gc.freeze()


def _forget(_arbiter: Any, worker: Any) -> None:
    """Called by gunicorn in the master after a worker has ended, for any reason."""
    if FOLDER in os.environ:
        forget(worker.pid)


def _leave(_arbiter: Any, _worker: Any) -> None:
    """Called by gunicorn as the last step of a worker. Exit at once, without joining threads that wait for clients."""
    leaving = sys.exc_info()[1]
    if isinstance(leaving, SystemExit):
        logging.shutdown()
        sys.stdout.flush()
        os._exit(leaving.code if isinstance(leaving.code, int) else 0)


def _listen(listeners: list[socket.socket], worker: Any) -> None:
    """Called by gunicorn in a worker that can answer: serve these sockets. The first worker lets the kernel accept
    their connections, which it refuses until then; the worker of age 1 prints the URL.

    Raise OSError if another process listens on the address.
    """
    for listener in listeners:
        listener.listen(BACKLOG)
    worker.sockets = listeners
    if worker.age == 1:
        sys.stdout.write(url_of(listeners[0]) + "\n")
        sys.stdout.flush()
