"""`ovnguard-webhook serve`: from what was asked for to a server that runs.

What can be wrong with the wishes is found before anything is begun: InputError and click.UsageError say what.
"""

import logging
import logging.config
import os
import socket
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from crd_schemas.gating import Features, features
from validators.bundled.catalog import Catalog
from webhook.admission.review import Limits
from webhook.admission.served_judge import Judging
from webhook.admission.served_schemas import Schemas
from webhook.admission.warmup import warm
from webhook.app import Options, create_app
from webhook.certificates.certificate_source import Identity, identity
from webhook.commands.cluster_view import Seen, seer
from webhook.commands.errors import EXIT_INTERNAL, InputError
from webhook.observability.json_logging import logging_config
from webhook.observability.prometheus import PrometheusTelemetry, prepare
from webhook.observability.telemetry import NO_TELEMETRY, Telemetry
from webhook.server.gunicorn_app import Server, Settings
from webhook.server.tls_context import BadCertificate, ContextCache

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

log = logging.getLogger("ovnguard.serving")
_BACKLOG: Final = 512


@dataclass(frozen=True, slots=True)
class Wishes:
    """The options of ``serve``, by their names."""

    host: str
    port: int
    workers: int
    threads: int
    cert: Path | None = None
    key: Path | None = None
    self_signed: Path | None = None
    san: tuple[str, ...] = ()
    authority_secret: str | None = None
    service: str | None = None
    registration: str = "ovnguard"
    client_ca: Path | None = None
    client_name: tuple[str, ...] = ()
    manifests: tuple[str, ...] = ()
    kubeconfig: Path | None = None
    in_cluster: bool = False
    feature_set: str | None = None
    feature_gates: tuple[str, ...] = ()
    sync_seconds: float = 20.0


def run(wishes: Wishes) -> None:
    """Serve until told to stop. Returns by SystemExit only, code 0 after a stop that was asked for."""
    if wishes.client_name and wishes.client_ca is None:
        raise click.UsageError("--client-name needs --client-ca.")
    asked = _features(wishes)
    see = seer(wishes.manifests, wishes.kubeconfig, wishes.in_cluster, wishes.sync_seconds)
    logging.config.dictConfig(logging_config())
    master = os.getpid()
    with ExitStack() as undo:
        own = identity(wishes)
        undo.callback(_in_process(master, own.close))
        contexts = _contexts(own, wishes.client_ca)
        listener = _listen(wishes.host, wishes.port)
        counted = _counting(undo, master)
        settings = Settings(listener, wishes.workers, wishes.threads, clients=wishes.client_ca is not None)
        bundled = Catalog(features=asked)
        make = partial(_application, wishes, bundled, see, own, contexts, counted)
        try:
            Server(make, contexts, own.files, settings, partial(warm, Judging(Schemas(bundled)))).run()
        except SystemExit as stop:
            # a worker leaves through here too, and its code is a message to the master
            if os.getpid() != master or not stop.code:
                raise
            raise SystemExit(EXIT_INTERNAL) from None


def _application(
    wishes: Wishes,
    bundled: Catalog,
    see: Callable[[Schemas], Seen],
    own: Identity,
    contexts: ContextCache,
    counted: bool,
) -> "WSGIApplication":
    """Make the application of one worker, in the worker: its threads must live where they are used."""
    schemas = Schemas(bundled)
    seen = see(schemas)
    kept = own.keep()
    telemetry: Telemetry = PrometheusTelemetry(lambda: contexts.expires) if counted else NO_TELEMETRY
    # The view comes last: nothing is accepted before it is complete, or its time is over.
    seen.wait()
    options = Options(
        Limits(),
        ready=lambda: seen.synced() and contexts.valid,
        healthy=lambda: seen.healthy() and kept(),
        synced=seen.synced,
        clients=frozenset(wishes.client_name) if wishes.client_ca is not None else None,
        telemetry=telemetry,
        # Late judgements hold their threads, and may not hold up the others.
        threads=2 * wishes.threads,
    )
    return create_app(seen.view, Judging(schemas), options)


def _features(wishes: Wishes) -> Features:
    try:
        return features(wishes.feature_set, wishes.feature_gates)
    except ValueError as error:
        raise InputError(str(error)) from None


def _contexts(own: Identity, clients: Path | None) -> ContextCache:
    try:
        return ContextCache(own.files, own.renew, clients)
    except BadCertificate as error:
        raise InputError(str(error)) from None


def _counting(undo: ExitStack, master: int) -> bool:
    """Name the folder of the numbers; return whether anything is counted at all."""
    if find_spec("prometheus_client") is None:
        # A network must not wait for its verdict because a graph would have a gap.
        log.error("prometheus_client is not installed: /metrics stays empty")
        return False
    undo.callback(_in_process(master, prepare().close))
    return True


def _in_process(process: int, act: Callable[[], None]) -> Callable[[], None]:
    """``act``, but only in one process: workers leave through the same stack, and must leave its things alone."""

    def acted() -> None:
        if os.getpid() == process:
            act()

    return acted


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        # create_server adds the address to the text of an errno; the resolver has errors of its own, below zero
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise InputError(f"{host}:{port}: cannot be listened on: {reason}") from None
    listener.set_inheritable(True)
    return listener
