"""What a worker sees around a network: nothing, given manifests, or a live cluster."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from validators.network.cluster_view import ClusterView, EmptyView, ObjectsView
from webhook.admission.served_schemas import Schemas
from webhook.commands.errors import InputError

if TYPE_CHECKING:
    from validators.cluster.client_protocol import Client


def _at_once() -> None:
    """There is nothing to wait for."""


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Seen:
    """A view, how to wait until it is complete, whether it is, and whether it goes on seeing its cluster."""

    view: ClusterView
    wait: Callable[[], object] = _at_once
    synced: Callable[[], bool] = _always
    healthy: Callable[[], bool] = _always


Seer: TypeAlias = Callable[[Schemas], Seen]


def seer(manifests: Sequence[str], kubeconfig: Path | None, in_cluster: bool, sync_seconds: float) -> Seer:
    """Return what makes the view of a worker: manifests are read now, a live view begins in the worker that uses it.

    Raises InputError and click.UsageError.
    """
    if sum(map(bool, (manifests, kubeconfig, in_cluster))) > 1:
        raise click.UsageError("Give one of --manifests, --kubeconfig and --in-cluster.")
    if kubeconfig or in_cluster:
        return _live(connected(kubeconfig, in_cluster), sync_seconds)
    static = Seen(_read_manifests(manifests) if manifests else EmptyView())
    return lambda _: static


def connected(kubeconfig: Path | None, in_cluster: bool) -> "Callable[[], Client]":
    """Return what makes a client of the cluster, one for each process. Raises InputError."""
    from validators.cluster.client_protocol import ClusterConfigError, ClusterOptions  # noqa: PLC0415 - most of it is slow to load
    from validators.cluster.kubernetes_client import connect  # noqa: PLC0415 - as above

    if in_cluster and "KUBERNETES_SERVICE_HOST" not in os.environ:
        raise InputError("--in-cluster: this process does not run in a cluster; name one with --kubeconfig")
    options = ClusterOptions(str(kubeconfig) if kubeconfig else None, user_agent="ovnguard-webhook")
    try:
        connect(options)
    except ClusterConfigError as error:
        raise InputError(str(error)) from None
    return lambda: connect(options)


def _live(connect: "Callable[[], Client]", sync_seconds: float) -> Seer:
    from webhook.commands.live_cluster import LiveCluster  # noqa: PLC0415 - as above

    def see(schemas: Schemas) -> Seen:
        cluster = LiveCluster(connect(), schemas)
        cluster.start()
        return Seen(cluster.view, lambda: cluster.wait(sync_seconds), cluster.synced, cluster.healthy)

    return see


def _read_manifests(paths: Sequence[str]) -> ClusterView:
    from validators.manifest.sources import read_sources  # noqa: PLC0415 - most webhooks see a live cluster

    loaded = read_sources(tuple(paths))
    if loaded.problems:
        raise InputError("\n".join(f"{it.file}:{it.line}:{it.column}: {it.message}" for it in loaded.problems))
    return ObjectsView([document.value for document in loaded.documents])
