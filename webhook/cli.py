"""The command line of the webhook: ``ovnguard-webhook serve``; `webhook.exports` has the commands that print.

Exit codes: 0 stopped as asked or printed, 2 wrong usage or input that cannot be used, 3 the webhook itself failed.
"""

import logging
import logging.config
import os
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from crd_schemas.gating import Features, features
from validators.network.view import ClusterView, EmptyView, ObjectsView
from webhook.certs import BadCertificate, CertificateFiles, ContextCache, SelfSigned
from webhook.exports import manifests, policies
from webhook.logs import logging_config
from webhook.review import Limits
from webhook.usage import InputError

EXIT_INTERNAL: Final = 3
if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

_BACKLOG: Final = 512
log = logging.getLogger("ovnguard.cli")


@dataclass(frozen=True, slots=True)
class _View:
    """A view, whether it has seen its cluster, and whether it goes on seeing it."""

    view: ClusterView
    ready: Callable[[], bool] = lambda: True
    healthy: Callable[[], bool] = lambda: True


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
def cli() -> None:
    """Judge networks for a Kubernetes API server: validating and mutating admission over TLS."""


@cli.command(
    epilog="""\b
Examples:
  ovnguard-webhook serve --self-signed ./certs --port 8443 --manifests ./networks --manifests ./nodes
  ovnguard-webhook serve --cert tls.crt --key tls.key --host 0.0.0.0 --port 8443 --in-cluster --workers 2
"""
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=8443, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 takes a free one."
)
@click.option("--cert", type=click.Path(path_type=Path), help="Serving certificate (PEM, with its chain).")
@click.option("--key", type=click.Path(path_type=Path), help="Its unencrypted private key (PEM).")
@click.option(
    "--self-signed",
    type=click.Path(path_type=Path, file_okay=False),
    help="Make and renew certificates in this folder; clients trust its ca.crt.",
)
@click.option("--san", multiple=True, help="A further name or address for --self-signed; repeatable.")
@click.option("--manifests", multiple=True, help="File or folder with what the cluster holds; repeatable.")
@click.option("--kubeconfig", type=click.Path(path_type=Path, dir_okay=False), help="See the cluster of this file.")
@click.option("--in-cluster", is_flag=True, help="See the cluster that this process runs in.")
@click.option("--feature-set", metavar="NAME", help="Judge as a cluster with this feature set would.")
@click.option(
    "--feature-gates",
    multiple=True,
    metavar="NAME=true|false,...",
    help="Feature gates that differ from it; repeatable.",
)
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Processes.")
@click.option("--threads", default=8, show_default=True, type=click.IntRange(1, 256), help="Threads of each process.")
def serve(host: str, port: int, workers: int, threads: int, **given: Any) -> None:
    """Serve /validate, /mutate, /healthz and /readyz.

    When requests are answered, the URL is printed as the one line of standard output. Logs go to standard error, one
    JSON object per line. SIGTERM stops: requests under way are answered first.

    What is known around a network comes from --manifests, or live from --kubeconfig or --in-cluster; without any of
    them each network is judged alone.
    """
    asked = _features(given["feature_set"], given["feature_gates"])
    make_view = _view(given["manifests"], given["kubeconfig"], given["in_cluster"])
    files, contexts = _certificates(given["cert"], given["key"], given["self_signed"], (*given["san"], host))
    listener = _listen(host, port)
    _run(make_view, asked, files, contexts, listener, workers, threads)


cli.add_command(manifests)
cli.add_command(policies)


def main() -> None:
    """Run the command line and exit."""
    try:
        cli()
    except Exception:
        # the rim of the process: a bug is told apart from bad input by its exit code, and its trace is in the log
        log.exception("ovnguard-webhook failed")
        sys.exit(EXIT_INTERNAL)


def _features(feature_set: str | None, gates: tuple[str, ...]) -> Features:
    try:
        return features(feature_set, gates)
    except ValueError as error:
        raise InputError(str(error)) from None


def _run(
    make_view: Callable[[], _View],
    asked: Features,
    files: CertificateFiles,
    contexts: ContextCache,
    listener: socket.socket,
    workers: int,
    threads: int,
) -> None:
    # flask, gunicorn and the judge are loaded by who serves, not by who asks for help
    from validators.admission import judge  # noqa: PLC0415 - as above
    from validators.catalog import Catalog  # noqa: PLC0415 - as above
    from webhook.app import create_app  # noqa: PLC0415 - as above
    from webhook.server import Server, Settings  # noqa: PLC0415 - as above
    from webhook.warmup import warm  # noqa: PLC0415 - as above

    logging.config.dictConfig(logging_config())
    limits = Limits()

    def make_app() -> "WSGIApplication":
        seen = make_view()
        judging = partial(judge, catalog=Catalog(features=asked))
        warm(judging)
        return create_app(seen.view, judging, limits, seen.ready, seen.healthy)

    master = os.getpid()
    try:
        Server(make_app, contexts, files, Settings(listener, workers, threads, limits)).run()
    except SystemExit as stop:
        # a worker leaves through here too, and its code is a message to the master
        if os.getpid() != master or not stop.code:
            raise
        raise SystemExit(EXIT_INTERNAL) from None


def _view(manifests: tuple[str, ...], kubeconfig: Path | None, in_cluster: bool) -> Callable[[], _View]:
    """How a worker makes its view: manifests are read now, a live view is begun in the worker that uses it."""
    if sum(map(bool, (manifests, kubeconfig, in_cluster))) > 1:
        raise click.UsageError("Give one of --manifests, --kubeconfig and --in-cluster.")
    if kubeconfig or in_cluster:
        return _live(kubeconfig, in_cluster)
    static = _View(_read_manifests(manifests) if manifests else EmptyView())
    return lambda: static


def _live(kubeconfig: Path | None, in_cluster: bool) -> Callable[[], _View]:
    from validators.cluster import resources  # noqa: PLC0415 - the Kubernetes client is slow to load
    from validators.cluster.api import ClusterConfigError, ClusterOptions  # noqa: PLC0415 - as above
    from validators.cluster.client import connect  # noqa: PLC0415 - as above
    from validators.cluster.view import Informer  # noqa: PLC0415 - as above

    if in_cluster and "KUBERNETES_SERVICE_HOST" not in os.environ:
        raise InputError("--in-cluster: this process does not run in a cluster; name one with --kubeconfig")
    options = ClusterOptions(str(kubeconfig) if kubeconfig else None, user_agent="ovnguard-webhook")
    try:
        connect(options)
    except ClusterConfigError as error:
        raise InputError(str(error)) from None
    watched = (resources.NODES, resources.CUDNS, resources.UDNS, resources.NADS, resources.OPERATOR_NETWORKS)

    def make() -> _View:
        informer = Informer(connect(options), watched, lambda: None)
        informer.start()
        return _View(informer.view, lambda: not informer.view.waiting_for(), lambda: not informer.dead())

    return make


def _read_manifests(paths: tuple[str, ...]) -> ClusterView:
    from validators.cli.sources import read_sources  # noqa: PLC0415 - most webhooks see a live cluster

    loaded = read_sources(paths)
    if loaded.problems:
        raise InputError("\n".join(f"{it.file}:{it.line}:{it.column}: {it.message}" for it in loaded.problems))
    return ObjectsView([document.value for document in loaded.documents])


def _certificates(
    cert: Path | None, key: Path | None, self_signed: Path | None, names: tuple[str, ...]
) -> tuple[CertificateFiles, ContextCache]:
    if (self_signed is None) == (cert is None) or (cert is None) != (key is None):
        raise click.UsageError("Give either --cert with --key, or --self-signed.")
    try:
        if self_signed is not None:
            made = SelfSigned(self_signed, names)
            made.ensure()
            return made.files, ContextCache(made.files, made.ensure)
        assert cert is not None
        assert key is not None
        files = CertificateFiles(cert, key)
        return files, ContextCache(files)
    except BadCertificate as error:
        raise InputError(str(error)) from None
    except OSError as error:
        raise InputError(f"{self_signed}: certificates cannot be written: {error.strerror}") from None


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
