"""The webhook under gunicorn: TLS with certificates that may change, a master and `webhook.server.worker` processes."""

import gc
import logging
import os
import socket
import ssl
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

from gunicorn.app.base import BaseApplication

from webhook.admission.review import Limits
from webhook.app import CLIENT_NAMES
from webhook.certificates.self_signed import CertificateFiles
from webhook.observability.json_logging import logging_config
from webhook.observability.prometheus import FOLDER, forget
from webhook.server.shares import Shares
from webhook.server.tls_context import ContextCache
from webhook.server.worker import READ_SECONDS, WholeRequestWorker

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

KEEPALIVE: Final = 120
"""Seconds; an API server drops idle connections after 90, and it must be the one to do so."""
GRACEFUL_SECONDS: Final = 4
START_SECONDS: Final = 60
"""How long a worker may be silent: longer than it may wait for its view of the cluster."""
MAX_CONNECTIONS: Final = 512


def _nothing() -> None:
    """There is nothing to be done."""


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
        prepare: Callable[[], object] = _nothing,
    ) -> None:
        """``make_app`` is called once in every worker process: threads of a live view must live where they are used.

        ``prepare`` is called once in the master, before there are workers: what it loads, all of them have from birth.
        """
        self._make_app = make_app
        self._prepare = prepare
        self._contexts = contexts
        self._files = files
        self._settings = settings
        super().__init__(prog="ovnguard-webhook")

    def load_config(self) -> None:
        """Called by gunicorn."""
        settings = self._settings
        shares = Shares()
        own = {"max_body": settings.limits.body_bytes, "read_seconds": settings.read_seconds, "shares": shares}
        values = {
            "bind": f"fd://{settings.listener.fileno()}",
            "worker_class": type("Worker", (WholeRequestWorker,), own),
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
            "when_ready": partial(_prepared, self._prepare),
            "pre_fork": partial(_placed, shares),
            "post_worker_init": _announce,
            "worker_exit": _left,
            "child_exit": partial(_forget, shares),
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


def _prepared(prepare: Callable[[], object], _arbiter: Any) -> None:
    """The master stands; there are no workers yet."""
    prepare()
    # what is there now stays: a collection in a worker would only copy the pages that it has in common with the others
    gc.collect()
    gc.freeze()


def _placed(shares: Shares, _arbiter: Any, worker: Any) -> None:
    """A worker is about to be made."""
    worker.place = shares.take()


def _forget(shares: Shares, _arbiter: Any, worker: Any) -> None:
    """A worker has ended, whatever ended it."""
    shares.release(worker.place)
    if FOLDER in os.environ:
        forget(worker.pid)


def _left(_arbiter: Any, _worker: Any) -> None:
    """A worker's last step. Its objects are not taken apart: on a busy machine that takes longer than a stop may."""
    leaving = sys.exc_info()[1]
    if isinstance(leaving, SystemExit):
        logging.shutdown()
        sys.stdout.flush()
        os._exit(leaving.code if isinstance(leaving.code, int) else 0)


def _announce(worker: Any) -> None:
    """The first worker says where it serves, now that it does."""
    if worker.age == 1:
        sys.stdout.write(url_of(worker.sockets[0]) + "\n")
        sys.stdout.flush()
