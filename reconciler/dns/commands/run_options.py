"""Options of `dns run`: the files of a node, and the DNS servers that it uses."""

from dataclasses import dataclass
from pathlib import Path

import click

from ovnguard.reconciler.commands.options import PATH, option_group
from ovnguard.reconciler.dns.apply.upstream_servers import RESOLV_CONF, UpstreamServers
from ovnguard.reconciler.dns.commands.inputs import UPSTREAM
from ovnguard.reconciler.dns.loop.node_monitor import PodPlace
from ovnguard.reconciler.dns.plan.corefile import HEALTH_PORT
from ovnguard.reconciler.dns.plan.upstreams import Upstream


@dataclass(frozen=True, slots=True)
class FileOptions:
    """The files of a node. ``reload`` is 0 for CoreDNS's own default, ``check`` a server that should serve them."""

    corefile: Path | None
    pod: PodPlace | None
    reload: int
    health_port: int
    check: Upstream | None

    @property
    def given(self) -> bool:
        """Whether there is a file to write."""
        return self.corefile is not None or self.pod is not None


def _files(
    corefile: Path | None,
    static_pod: Path | None,
    coredns_image: str,
    monitor_image: str,
    reload_seconds: int | None,
    health_port: int,
    check_server: Upstream | None,
) -> FileOptions:
    if static_pod is not None and not (coredns_image and monitor_image):
        raise click.UsageError("--static-pod needs --coredns-image and --monitor-image")
    pod = None if static_pod is None else PodPlace(static_pod, coredns_image, monitor_image)
    return FileOptions(corefile, pod, reload_seconds or 0, health_port, check_server)


with_files = option_group(
    "files",
    _files,
    click.option("--corefile", type=PATH, metavar="FILE", help="Maintain this configuration of CoreDNS."),
    click.option(
        "--static-pod",
        type=PATH,
        metavar="DIR",
        help="Maintain the pod of CoreDNS in DIR/manifests; without an address, in DIR/disabled-manifests.",
    ),
    click.option("--coredns-image", default="", metavar="IMAGE", help="CoreDNS, for --static-pod."),
    click.option("--monitor-image", default="", metavar="IMAGE", help="Its monitor, for --static-pod."),
    click.option(
        "--reload",
        "reload_seconds",
        type=click.IntRange(2, 3600),
        metavar="SECONDS",
        help="How often CoreDNS looks at the file. Default: its own, 30 to 45 seconds.",
    ),
    click.option(
        "--health-port",
        type=click.IntRange(1, 65535),
        default=HEALTH_PORT,
        show_default=True,
        metavar="PORT",
        help="Where CoreDNS answers its liveness probe.",
    ),
    click.option(
        "--check-server",
        type=UPSTREAM,
        metavar="ADDRESS[:PORT]",
        help="Ask CoreDNS there whether it serves the addresses, for a metric.",
    ),
)
"""Adds the options of `FileOptions`, which the command gets as ``files``."""

with_servers = option_group(
    "servers",
    UpstreamServers,
    click.option(
        "--resolv-conf",
        type=PATH,
        default=RESOLV_CONF,
        show_default=True,
        metavar="FILE",
        help="The DNS servers of the node, which resolve the load balancer; CoreDNS forwards to them.",
    ),
    click.option(
        "--upstream",
        "servers",
        type=UPSTREAM,
        multiple=True,
        metavar="ADDRESS[:PORT]",
        help="Use this DNS server instead of those of the file. Repeatable.",
    ),
)
"""Adds the options about DNS servers, which the command gets as ``servers``."""
