"""`ovnguard-webhook serve`: starts a server from its options.

Options are checked before anything starts: click.ClickException and click.UsageError name the fault.
"""

import logging
import logging.config
import os
import socket
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from ovnguard.crd_schemas.gating import Features, features
from ovnguard.validators.bundled.catalog import Catalog
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.fast.disk_store import user_store
from ovnguard.validators.network.operators import DEFAULT_CLUSTER_MANAGERS, DEFAULT_OPERATORS
from ovnguard.webhook.admission.handlers import Actors
from ovnguard.webhook.admission.review import Limits
from ovnguard.webhook.admission.served_judge import ServedJudge
from ovnguard.webhook.admission.served_schemas import ServedSchemas
from ovnguard.webhook.admission.warmup import warm
from ovnguard.webhook.app import Options, anywhere, create_app, create_metrics_app
from ovnguard.webhook.commands.cluster_view import ViewFactory, client_factory, view_factory
from ovnguard.webhook.commands.serve_options import ServeOptions
from ovnguard.webhook.commands.served_certificate import ServedCertificate, served_certificate
from ovnguard.webhook.observability.logging_config import logging_config
from ovnguard.webhook.observability.metrics import NO_TELEMETRY, PrometheusTelemetry, Telemetry, prepare
from ovnguard.webhook.server.gunicorn_app import Applications, Server, ServerSettings, url_of
from ovnguard.webhook.server.tls_context import BadCertificate, ContextCache

if TYPE_CHECKING:
    from ovnguard.webhook.commands.client_networks import ClientNetworks

log = logging.getLogger("ovnguard.serving")
EXPIRED: Final = "the serving certificate has expired"
NOT_RENEWED: Final = "the thread that renews the serving certificate has ended"


def run(options: ServeOptions) -> None:
    """Serve until a signal stops the process. Returns by SystemExit only, code 0 after SIGTERM or SIGINT."""
    if options.client_name and options.client_ca is None:
        raise click.UsageError("--client-name needs --client-ca.")
    _check_metrics(options)
    networks = _networks(options)
    enabled = _features(options)
    views = view_factory(options.manifests, options.kubeconfig, options.in_cluster, options.sync_seconds)
    logging.config.dictConfig(logging_config())
    master = os.getpid()
    with ExitStack() as undo:
        own = served_certificate(options)
        undo.callback(_in_process(master, own.close))
        contexts = _contexts(own, options.client_ca)
        listener = _bind(options.host, options.port)
        counted = _counting(undo, master)
        clients = options.client_ca is not None or options.metrics_client_ca is not None
        metrics = _metrics(options, own)
        settings = ServerSettings(listener, options.workers, options.connections, clients=clients, metrics=metrics)
        bundled = Catalog(features=enabled, store=user_store()[0])
        make = partial(_applications, options, bundled, views, own, contexts, counted, networks)
        try:
            Server(make, contexts, own.files, settings, partial(warm, ServedJudge(ServedSchemas(bundled)))).run()
        except SystemExit as stop:
            # a worker also exits here, with a code for the master
            if os.getpid() != master or not stop.code:
                raise
            raise SystemExit(Exit.INTERNAL) from None
        except Exception:
            # the log of a server is JSON, so the trace goes there
            log.exception("ovnguard-webhook failed")
            raise SystemExit(Exit.INTERNAL) from None


def _applications(
    options: ServeOptions,
    bundled: Catalog,
    views: ViewFactory,
    own: ServedCertificate,
    contexts: ContextCache,
    counted: bool,
    networks: "Callable[[], ClientNetworks] | None",
) -> Applications:
    """Create the applications of one worker, inside the worker, where its threads must run."""
    schemas = ServedSchemas(bundled)
    source = views(schemas)
    is_kept = own.keep()
    telemetry: Telemetry = NO_TELEMETRY
    if counted:
        telemetry = PrometheusTelemetry(lambda: contexts.expires, source.refused)
    allowed = None if networks is None else networks()
    accepts = anywhere if allowed is None else allowed.accept
    # The view comes last: the worker accepts no connection before it is complete, or the wait times out.
    source.wait()
    app_options = Options(
        Limits(),
        unready=lambda: (
            *source.unready(),
            *(() if contexts.valid else (EXPIRED,)),
            *(() if allowed is None else allowed.unready()),
        ),
        unhealthy=lambda: (*source.unhealthy(), *(() if is_kept() else (NOT_RENEWED,))),
        synced=source.synced,
        clients=frozenset(options.client_name) if options.client_ca is not None else None,
        accepts=accepts,
        telemetry=telemetry,
        actors=_actors(options),
    )
    return Applications(
        create_app(source.view, ServedJudge(schemas), app_options),
        create_metrics_app(telemetry, named=options.metrics_client_ca is not None),
        accepts,
    )


def _actors(options: ServeOptions) -> Actors:
    """The users who are operators and cluster managers."""
    return Actors(
        frozenset(options.operator) or DEFAULT_OPERATORS,
        frozenset(options.cluster_manager) or DEFAULT_CLUSTER_MANAGERS,
    )


def _networks(options: ServeOptions) -> "Callable[[], ClientNetworks] | None":
    """Return the factory of the networks that may call, one for each worker; None when any address may."""
    # imported here, because a server that demands client certificates needs none of it
    from ovnguard.webhook.commands.client_networks import (
        API_SERVERS,
        ClientNetworks,
        client_networks,
        watched,
    )

    networks, published = client_networks(options.client_network)
    if not published:
        return (lambda: ClientNetworks(networks)) if networks else None
    if not options.in_cluster and options.kubeconfig is None:
        raise click.UsageError(f"--client-network {API_SERVERS} needs --in-cluster or --kubeconfig.")
    connect = client_factory(options.kubeconfig, options.in_cluster)
    return lambda: watched(connect(), networks)


def _check_metrics(options: ServeOptions) -> None:
    if options.metrics_port is None:
        if options.metrics_client_ca is not None:
            raise click.UsageError("--metrics-client-ca needs --metrics-port.")
    elif options.metrics_port and options.metrics_port == options.port:
        raise click.UsageError("--metrics-port: metrics need a port of their own.")
    elif options.metrics_client_ca is None and not _is_loopback(options.metrics_host):
        raise click.UsageError("--metrics-host: metrics beyond this machine need --metrics-client-ca.")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _metrics(options: ServeOptions, own: ServedCertificate) -> tuple[socket.socket, ContextCache] | None:
    """Return the socket and the TLS contexts of metrics, if they are served."""
    if options.metrics_port is None:
        return None
    listener = _bind(options.metrics_host, options.metrics_port)
    log.info("metrics", extra={"fields": {"url": f"{url_of(listener)}/metrics"}})
    return listener, _contexts(own, options.metrics_client_ca)


def _features(options: ServeOptions) -> Features:
    try:
        return features(options.feature_set, options.feature_gates)
    except ValueError as error:
        raise click.ClickException(str(error)) from None


def _contexts(own: ServedCertificate, clients: Path | None) -> ContextCache:
    try:
        return ContextCache(own.files, own.renew, clients)
    except BadCertificate as error:
        raise click.ClickException(str(error)) from None


def _counting(undo: ExitStack, master: int) -> bool:
    """Set the folder of the metrics; return whether metrics are enabled."""
    if find_spec("prometheus_client") is None:
        # A failure of metrics must not prevent verdicts.
        log.error("prometheus_client is not installed: /metrics stays empty")
        return False
    undo.callback(_in_process(master, prepare().close))
    return True


def _in_process(process: int, act: Callable[[], None]) -> Callable[[], None]:
    """Run ``act`` only in this process: workers exit through the same stack and must not remove its folders."""

    def acted() -> None:
        if os.getpid() == process:
            act()

    return acted


def _bind(host: str, port: int) -> socket.socket:
    """Return a socket with this address that does not listen yet: the kernel refuses connections until a worker can
    answer.
    """
    listener = None
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)
    except OSError as error:
        if listener is not None:
            listener.close()
        # errors of the resolver are negative, and their text is complete
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise click.ClickException(f"cannot listen on {host}:{port}: {reason}") from None
    return listener
