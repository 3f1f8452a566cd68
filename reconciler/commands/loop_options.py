"""Options of the commands that watch a cluster: `run` and `cluster`."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import click

from ovnguard.reconciler.commands.options import option_group, with_cluster
from ovnguard.reconciler.loop.process import logging_setup
from ovnguard.reconciler.loop.process.metrics import Metrics
from ovnguard.reconciler.loop.process.probe_server import Health, ProbeServer
from ovnguard.reconciler.loop.process.tick_loop import RESYNC
from ovnguard.validators.cluster.client_protocol import ClusterConfigError, ClusterOptions
from ovnguard.validators.cluster.kubernetes_client import KubernetesClient, connect

_MAX_PORT: Final = 65535


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """How to reach the cluster, the seconds between two periodic ticks, the log's format and level, and where to answer
    probes.
    """

    cluster: ClusterOptions
    resync: float
    log_format: str
    log_level: str
    probes: tuple[str, int] | None = None

    def start(self) -> KubernetesClient:
        """Connect to the cluster and set up logging; raise click.UsageError without a usable configuration."""
        client = connected(self.cluster)
        logging_setup.set_up(as_json=self.log_format == "json", level=self.log_level)
        return client

    @contextmanager
    def observed(self, *clients: KubernetesClient) -> Iterator[tuple[Health, Metrics]]:
        """Answer probes within the context; raise click.UsageError when the address is not available.

        The metrics contain the requests of ``clients``.
        """
        health, metrics = Health(self.resync), Metrics()
        if self.probes is None:
            yield health, metrics
            return
        metrics.follow_requests(lambda: sum((each.answers() for each in set(clients)), Counter()))
        metrics.follow_watches(health.watch_failures, health.failing)
        try:
            server = ProbeServer(*self.probes, health, metrics)
        except OSError as error:
            raise click.UsageError(f"--metrics-bind-address: {error}") from error
        server.start()
        try:
            yield health, metrics
        finally:
            server.stop()


class _AddressType(click.ParamType["tuple[str, int]"]):
    """HOST:PORT, with brackets around an IPv6 address."""

    name = "address"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        host, colon, port = str(value).rpartition(":")
        if not colon or not (port.isascii() and port.isdigit()) or int(port) > _MAX_PORT:
            self.fail(f"{str(value)!r} is not HOST:PORT", param, ctx)
        return host.removeprefix("[").removesuffix("]"), int(port)


def _is_on(_: click.Context, __: click.Parameter, value: str) -> bool:
    return value == "on"


with_loop_options = option_group(
    "loop",
    LoopOptions,
    with_cluster,
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
    click.option(
        "--metrics-bind-address",
        "probes",
        type=_AddressType(),
        metavar="HOST:PORT",
        help="Answer /metrics, /healthz and /readyz there, over plain HTTP. Default: nowhere.",
    ),
)
"""Adds the options of `LoopOptions`, which the command gets as ``loop``."""


with_layer2_legacy = click.option(
    "--layer2-legacy",
    type=click.Choice(["on", "off"]),
    default="on",
    show_default=True,
    callback=_is_on,
    help="off: no node has the Layer2 topology before transit routers any more. Zones first, then the cluster.",
)
"""Adds --layer2-legacy, which the command gets as ``layer2_legacy``: whether it is on."""


def connected(cluster: ClusterOptions, option: str = "") -> KubernetesClient:
    """Return a client of the cluster. Raises click.UsageError, which names ``option``, for a wrong configuration."""
    try:
        return connect(cluster)
    except ClusterConfigError as error:
        raise click.UsageError(f"{option}: {error}" if option else str(error)) from error
