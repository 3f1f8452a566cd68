"""Options of the commands that watch a cluster: `run` and `cluster`."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from reconciler.loop import logging_setup
from reconciler.loop.tick_loop import RESYNC
from validators.cluster.client_protocol import ClusterConfigError, ClusterOptions
from validators.cluster.kubernetes_client import KubernetesClient, connect


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """How to reach the cluster, the seconds between two periodic ticks, and the log's format and level."""

    kubeconfig: str | None
    context: str | None
    resync: float
    log_format: str
    log_level: str

    def start(self) -> KubernetesClient:
        """Connect to the cluster and set up logging; raise click.UsageError without a usable configuration."""
        try:
            client = connect(ClusterOptions(self.kubeconfig, self.context, "ovnguard-reconciler"))
        except ClusterConfigError as error:
            raise click.UsageError(str(error)) from error
        logging_setup.set_up(as_json=self.log_format == "json", level=self.log_level)
        return client


def with_loop_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of `LoopOptions`, which the command gets as ``loop``."""

    @functools.wraps(command)
    def with_options(
        kubeconfig: str | None, context: str | None, resync: float, log_format: str, log_level: str, **rest: Any
    ) -> int:
        return command(loop=LoopOptions(kubeconfig, context, resync, log_format, log_level), **rest)

    options = (
        click.option(
            "--kubeconfig",
            metavar="FILE",
            help="Default: $KUBECONFIG, ~/.kube/config, the service account of the pod.",
        ),
        click.option("--context", metavar="NAME", help="Context of the kubeconfig."),
        click.option(
            "--resync",
            type=click.FloatRange(1),
            default=RESYNC,
            show_default=True,
            help="Seconds between two comparisons without an event.",
        ),
        click.option("--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True),
        click.option(
            "--log-level", type=click.Choice(["debug", "info", "warning", "error"]), default="info", show_default=True
        ),
    )
    wrapped: Callable[..., int] = with_options
    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped
