"""`ovnguard-reconciler dns run`: CoreDNS's configuration of a node follows the load balancer of ``*.apps``."""

import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final, TypeAlias

import click

from ovnguard.reconciler.apply.kube import Recorder
from ovnguard.reconciler.commands.grouped import ReconcilerCommand
from ovnguard.reconciler.commands.loop_options import LoopOptions, with_loop_options
from ovnguard.reconciler.commands.mode_options import AUDIT, with_mode
from ovnguard.reconciler.commands.options import check_name
from ovnguard.reconciler.dns.apply.lookup import Answer, Question, look_up, served_addresses
from ovnguard.reconciler.dns.apply.upstream_servers import UpstreamServers
from ovnguard.reconciler.dns.commands.run_options import FileOptions, with_files, with_servers
from ovnguard.reconciler.dns.loop.address_publisher import AddressPublisher, PublisherParts
from ovnguard.reconciler.dns.loop.dns_metrics import DnsMetrics
from ovnguard.reconciler.dns.loop.dns_report import DnsReporter
from ovnguard.reconciler.dns.loop.dns_resources import DNS_RESOURCES, INFRASTRUCTURES
from ovnguard.reconciler.dns.loop.followed_names import FollowedNames
from ovnguard.reconciler.dns.loop.node_monitor import MonitorParts, NodeMonitor
from ovnguard.reconciler.loop.process.debounce import Debouncer
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.process.lease import Elector, keep_elected, leading_of, process_identity
from ovnguard.reconciler.loop.process.lifecycle import keep, listen_to_signals
from ovnguard.validators.cluster.kubernetes_client import KubernetesClient
from ovnguard.validators.cluster.live_view import Informer
from ovnguard.validators.commandline.program import Exit

_Role: TypeAlias = NodeMonitor | AddressPublisher
LEASE: Final = "ovnguard-reconciler-dns"
_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler dns run --corefile /etc/coredns/Corefile --mode own
  ovnguard-reconciler dns run --corefile ./Corefile --mode own --once --kubeconfig ./kubeconfig
  ovnguard-reconciler dns run --record --mode own --log-format json

\b
On every node, --corefile writes the configuration of CoreDNS, and --static-pod enables its pod. Once per cluster,
--record writes the addresses into the Infrastructure (released API); any number of processes may run, only the holder
of the Lease writes. Ends within two seconds of SIGTERM or SIGINT. Exit codes: 0 stopped, or with --once the files are
as wanted; 1 with --once they are not; 2 wrong call; 3 an internal error.
"""

_log = logging.getLogger(__name__)


@click.command("run", cls=ReconcilerCommand, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_files
@with_servers
@click.option("--record", is_flag=True, help="As the leader, record the addresses of *.apps in the Infrastructure.")
@click.option("--namespace", default="ovnguard-system", show_default=True, help="Namespace of the Lease of --record.")
@click.option("--once", is_flag=True, help="Write the files once and end.")
@with_mode
@with_loop_options
@click.version_option(package_name="ovnguard")
def command(
    loop: LoopOptions, files: FileOptions, servers: UpstreamServers, record: bool, namespace: str, once: bool, mode: str
) -> int:
    """Answer *.apps on the nodes with the addresses of the load balancer, where the user manages DNS.

    An audit, the default, writes no file and no object but Events; its log names what differs.
    """
    if not files.given and not record:
        raise click.UsageError("name what to maintain: --corefile FILE, --static-pod DIR or --record")
    check_name(namespace, "namespace", "--namespace")
    client = loop.start()
    wake = Debouncer()
    identity = process_identity()
    elector = Elector(client, identity, (namespace, LEASE), _now) if record and mode != AUDIT else None
    parts = _Parts(client, identity, servers, mode == AUDIT)
    informer = Informer(client, DNS_RESOURCES, wake.notify)
    listen_to_signals(wake)
    _log.info("%s: watching %s, mode %s", identity, client.server, mode)
    with loop.observed(client) as (health, metrics):
        metrics.follow_lease(LEASE, elector)
        monitor = parts.monitor(informer, files, DnsMetrics(metrics.registry if files.given else None))
        publisher = parts.publisher(informer, leading_of(elector))
        roles = [role for role, wanted in ((monitor, files.given), (publisher, record)) if wanted]
        tick = partial(_once, roles, informer, wake) if once else partial(_tick, roles)
        due = partial(_due, roles)
        keep_it = partial(
            keep, informer=informer, wake=wake, resync=loop.resync, due=due, health=health, metrics=metrics
        )
        keep_elected(tick, elector, wake, keep_it)
    _log.info("%s: stopped", identity)
    return Exit.INVALID if once and files.given and not monitor.is_complete else Exit.OK


class _Parts:
    """What both roles are made of."""

    def __init__(self, client: KubernetesClient, identity: str, servers: UpstreamServers, audit: bool) -> None:
        self._client, self._identity, self._servers, self._audit = client, identity, servers, audit

    def monitor(self, informer: Informer, files: FileOptions, metrics: DnsMetrics) -> NodeMonitor:
        """The role of a node."""
        parts = MonitorParts(
            view=informer.view,
            names=self._names(),
            upstreams=self._servers.read,
            reporter=self._reporter(),
            corefile=files.corefile,
            pod=files.pod,
            reload=files.reload,
            health_port=files.health_port,
            audit=self._audit,
            metrics=metrics,
            served=None if files.check is None else partial(served_addresses, files.check),
        )
        return NodeMonitor(parts)

    def publisher(self, informer: Informer, leading: Callable[[], bool]) -> AddressPublisher:
        """The role of the cluster's leader."""
        recorder = None if self._audit else Recorder(self._client, (INFRASTRUCTURES,), _now)
        return AddressPublisher(PublisherParts(informer.view, self._names(), self._reporter(), recorder, leading))

    def _names(self) -> FollowedNames:
        return FollowedNames(partial(_ask, self._servers))

    def _reporter(self) -> DnsReporter:
        return DnsReporter(EventRecorder(self._client, self._identity, _now))


def _ask(servers: UpstreamServers, questions: Iterable[Question]) -> dict[Question, Answer]:
    return look_up(questions, servers.read())


def _tick(roles: Sequence[_Role]) -> tuple[str, ...]:
    return tuple(failure for role in roles for failure in role.tick())


def _due(roles: Sequence[_Role]) -> float | None:
    return min((due for role in roles if (due := role.due()) is not None), default=None)


def _once(roles: Sequence[_Role], informer: Informer, wake: Debouncer) -> tuple[str, ...]:
    """Stop after the first tick that knows all objects."""
    listed = not informer.view.waiting_for()
    failures = _tick(roles)
    if listed:
        for failure in failures:
            _log.error("%s", failure)
        wake.stop()
    return failures


def _now() -> datetime:
    return datetime.now(UTC)
