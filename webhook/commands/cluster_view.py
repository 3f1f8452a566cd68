"""The cluster view of a worker: empty, given manifests, or a live cluster."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from ovnguard.validators.cluster.client_protocol import ClusterConfigError, ClusterOptions
from ovnguard.validators.network.cluster_view import ClusterView, EmptyView, ObjectsView
from ovnguard.webhook.admission.served_schemas import ServedSchemas

if TYPE_CHECKING:
    from ovnguard.validators.cluster.client_protocol import Client


def _nothing() -> None:
    """Return at once: the view is complete from the start."""


def _no_reasons() -> tuple[str, ...]:
    return ()


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class ViewSource:
    """A view and its state.

    ``wait`` waits until it is complete, or for a limited time; ``synced`` returns whether it is complete, ``unready``
    why not; ``unhealthy`` why it no longer follows its cluster; ``refused`` the resources that may not be read.
    """

    view: ClusterView
    wait: Callable[[], object] = _nothing
    synced: Callable[[], bool] = _always
    unready: Callable[[], tuple[str, ...]] = _no_reasons
    unhealthy: Callable[[], tuple[str, ...]] = _no_reasons
    refused: Callable[[], tuple[str, ...]] = _no_reasons


ViewFactory: TypeAlias = Callable[[ServedSchemas], ViewSource]


def view_factory(
    manifests: Sequence[str], kubeconfig: Path | None, in_cluster: bool, sync_seconds: float
) -> ViewFactory:
    """Return the factory of a worker's view: manifests are read now, a live view starts in its worker.

    Raises click.ClickException and click.UsageError.
    """
    if sum(map(bool, (manifests, kubeconfig, in_cluster))) > 1:
        raise click.UsageError("Give one of --manifests, --kubeconfig and --in-cluster.")
    if kubeconfig or in_cluster:
        return _live(client_factory(kubeconfig, in_cluster), sync_seconds)
    static = ViewSource(_read_manifests(manifests) if manifests else EmptyView())
    return lambda _: static


def client_factory(kubeconfig: Path | None, in_cluster: bool) -> "Callable[[], Client]":
    """Return the factory of cluster clients, one for each process. Raises click.ClickException."""
    from ovnguard.validators.cluster.kubernetes_client import connect

    if in_cluster and "KUBERNETES_SERVICE_HOST" not in os.environ:
        raise click.ClickException("--in-cluster: this process does not run in a cluster; name one with --kubeconfig")
    options = ClusterOptions(str(kubeconfig) if kubeconfig else None, user_agent="ovnguard-webhook")
    try:
        connect(options)
    except ClusterConfigError as error:
        raise click.ClickException(str(error)) from None
    return lambda: connect(options)


def _live(connect: "Callable[[], Client]", sync_seconds: float) -> ViewFactory:
    from ovnguard.webhook.commands.live_cluster import LiveCluster

    def make(schemas: ServedSchemas) -> ViewSource:
        cluster = LiveCluster(connect(), schemas)
        cluster.start()
        return ViewSource(
            cluster.view,
            lambda: cluster.wait(sync_seconds),
            cluster.synced,
            cluster.unready,
            cluster.unhealthy,
            cluster.refused,
        )

    return make


def _read_manifests(paths: Sequence[str]) -> ClusterView:
    from ovnguard.validators.manifest.sources import read_sources  # most webhooks see a live cluster

    loaded = read_sources(tuple(paths))
    if loaded.problems:
        problems = (f"{it.file}:{it.line}:{it.column}: {it.message}" for it in loaded.problems)
        raise click.ClickException("\n".join(problems))
    return ObjectsView([document.value for document in loaded.documents])
