"""`ovnguard-reconciler run`: keep one node's zone as planned."""

import logging
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import click

from ovnguard.reconciler.apply.files.file_store import FileStore
from ovnguard.reconciler.apply.foreign_rows import ForeignRowsError
from ovnguard.reconciler.apply.host.host_routes import Machine
from ovnguard.reconciler.apply.kube import Recorder
from ovnguard.reconciler.apply.kube_report import ReportPublisher
from ovnguard.reconciler.apply.ovn.ovn_nb import MAX_TRANSACTION, NorthboundStore
from ovnguard.reconciler.apply.pod_records import PodRecords
from ovnguard.reconciler.apply.zone_store import ZoneStore
from ovnguard.reconciler.commands.activity_options import ActivityOptions, with_activity
from ovnguard.reconciler.commands.frr_file_options import FrrFileOptions, with_frr_file
from ovnguard.reconciler.commands.grouped import ReconcilerCommand
from ovnguard.reconciler.commands.loop_options import LoopOptions, with_layer2_legacy, with_loop_options
from ovnguard.reconciler.commands.manifests import read_default_network
from ovnguard.reconciler.commands.mode_options import AUDIT, Writing, check_mode, with_mode, with_writing
from ovnguard.reconciler.commands.options import (
    PATH,
    IsolationOption,
    TLSOptions,
    check_name,
    option_group,
    with_overrides,
    with_tls,
)
from ovnguard.reconciler.loop.activity.activity_metrics import FirstPodMetric
from ovnguard.reconciler.loop.activity.zone_activity import ZoneActivity
from ovnguard.reconciler.loop.inputs.default_network_view import DefaultNetworkView
from ovnguard.reconciler.loop.inputs.live_view import LiveView
from ovnguard.reconciler.loop.inputs.plan_inputs import DECLARING_RESOURCES
from ovnguard.reconciler.loop.inputs.zone_resources import ZONE_RESOURCES
from ovnguard.reconciler.loop.layer2.layer2_switch import Layer2Switch
from ovnguard.reconciler.loop.pods.pod_addresser import AddresserParts, PodAddresser
from ovnguard.reconciler.loop.process.debounce import Debouncer
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.process.lifecycle import judge_live, keep, listen_to_signals
from ovnguard.reconciler.loop.status.status_writer import StatusWriter
from ovnguard.reconciler.loop.status.zone_state import WriteOptions
from ovnguard.reconciler.loop.zone.bgp_loop import BgpLoop
from ovnguard.reconciler.loop.zone.bgp_metrics import BgpMetrics
from ovnguard.reconciler.loop.zone.host_loop import HostLoop
from ovnguard.reconciler.loop.zone.unprepared_node import missing_plugin, unprepared_node
from ovnguard.reconciler.loop.zone.zone_auditor import ZoneAuditor
from ovnguard.reconciler.loop.zone.zone_loop import ZoneLoop, ZoneLoopParts
from ovnguard.reconciler.loop.zone.zone_metrics import follow_drift, follow_writer
from ovnguard.reconciler.plan.pods.missing_entries import is_of_zone
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.kubernetes_client import KubernetesClient
from ovnguard.validators.cluster.live_view import Informer
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.network.model import Network
from ovnguard.validators.network.ovnkube_settings.routed_isolation import Isolation

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler run --node worker-a --nb-db unix:/var/run/ovn/ovnnb_db.sock
  ovnguard-reconciler run --node worker-a --nb-db unix:/var/run/ovn/ovnnb_db.sock --mode own \\
      --frr-conf /etc/frr/frr.conf
  ovnguard-reconciler run --node worker-a --kubeconfig ./kubeconfig --store ./state --mode own

\b
Ends within two seconds of SIGTERM or SIGINT. Exit codes: 0 stopped, 2 wrong call, or --mode own on a database with rows
of another writer, 3 an internal error.
"""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Where the rows of the zone of ``node`` are: in a database, or in the folder ``store``."""

    node: str
    nb_db: str | None
    store: Path | None
    tls: TLSOptions
    max_transaction: int | None

    def open(self, wake: Debouncer, *, audit: bool) -> ZoneStore:
        """Return the zone; a database notifies ``wake`` of changes by others. Raises click.UsageError."""
        tls = self.tls.files()
        self.tls.check_encrypted(self.nb_db or "")
        if (self.nb_db is None) == (self.store is None):
            raise click.UsageError("name one place for the rows: --nb-db REMOTE or --store DIR")
        if self.store is not None:
            return FileStore(self.store).zone(self.node)
        assert self.nb_db is not None
        try:
            return NorthboundStore(
                self.nb_db,
                tls=tls,
                cancelled=wake.stopping,
                exclusive=not audit,
                notify=wake.notify,
                max_transaction=self.max_transaction or MAX_TRANSACTION,
            )
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--nb-db") from error


@dataclass(frozen=True, slots=True)
class _Options:
    """What the process does besides the rows, which of them it may write, and how the networks are planned."""

    host: bool
    cni_conf_dir: Path | None
    record: bool
    report: str | None
    writing: Writing
    mode: str
    activity: ActivityOptions
    layer2_legacy: bool
    isolation: Isolation | None
    overrides: Mapping[str, str]
    default_network: str | None

    def given_network(self, *, audit: bool) -> JsonObject | None:
        """Return the default network that a person gives. Raises click.UsageError and UnreadableError."""
        if self.default_network is None:
            return None
        if not audit:
            raise click.UsageError(f"--default-network needs --mode {AUDIT}: a writer follows the cluster's own object")
        return read_default_network(self.default_network)


@click.command(cls=ReconcilerCommand, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--node", required=True, metavar="NAME", help="The node of the zone.")
@click.option(
    "--nb-db",
    metavar="REMOTE",
    help="Northbound database: unix:PATH, tcp:IP:PORT or ssl:IP:PORT; list the members of a cluster with commas.",
)
@click.option("--store", type=PATH, metavar="DIR", help="Write rows to a folder of files instead of a database.")
@with_tls
@with_frr_file
@click.option(
    "--host", is_flag=True, help="This machine is the node: maintain its network state, import its BGP routes."
)
@click.option(
    "--cni-conf-dir",
    type=PATH,
    metavar="DIR",
    help="Folder of the node's CNI configurations: without one of ovn-k8s-cni-overlay, no network is ready here.",
)
@click.option(
    "--record",
    is_flag=True,
    help="Also record ids, keys and subnets on networks and write their conditions, where no `cluster` runs.",
)
@click.option(
    "--max-transaction",
    type=click.IntRange(1),
    metavar="OCTETS",
    help="Split larger changes into several transactions.",
)
@click.option(
    "--report",
    metavar="NAMESPACE",
    help="Write what the zone cannot plan or write into the ConfigMap NAMESPACE/ovnguard-zone-NODE.",
)
@click.option(
    "--default-network",
    metavar="FILE",
    help="In an audit, the operator's Network where the cluster has none. Default: what the options of ovnkube say.",
)
@with_writing
@with_mode
@with_activity
@with_layer2_legacy
@IsolationOption
@option_group("rows", _Rows)
@option_group("options", _Options, with_overrides)
@with_loop_options
@click.version_option(package_name="ovnguard")
def command(rows: _Rows, frr: FrrFileOptions, options: _Options, loop: LoopOptions) -> int:
    """Keep one node's Northbound database and FRR configuration as the cluster's networks require.

    An audit, the default, compares the zone of OVN-Kubernetes with the plan, as the command `audit` does, and reports
    drift that lasts for a minute in its log and as Events about the Node.
    """
    node = rows.node
    check_name(node, "node", "--node")
    of_writers = {"--record": options.record, "--cni-conf-dir": options.cni_conf_dir}
    check_mode(options.mode, {**frr.of_writers, **of_writers, **options.writing.given})
    allowed = options.writing.options(audit=options.mode == AUDIT)
    given = options.given_network(audit=allowed.audit)
    if options.report is not None:
        check_name(options.report, "namespace", "--report")
    passwords, wake = frr.passwords(), Debouncer()
    store = rows.open(wake, audit=allowed.audit)
    write_frr = frr.writer(node, rows.store)
    client = loop.start()
    informer = Informer(client, (*ZONE_RESOURCES, *passwords), wake.notify)
    view = DefaultNetworkView(informer.view, given) if allowed.audit else informer.view
    parts = _parts(node, options, allowed, store, write_frr, client, view)
    listen_to_signals(wake)
    _log.info("zone %s: watching %s, mode %s", node, client.server, options.mode)
    with closing(store), loop.observed(client) as (health, metrics):
        if options.activity.dynamic and not allowed.audit:
            first_pod = FirstPodMetric(metrics.registry)
            follower = ZoneActivity(node, options.activity.grace, heard=wake.heard, metrics=first_pod)
            parts = replace(parts, activity=follower)
        if frr.frr_conf is not None:
            bgp = BgpLoop(node, frr.bgp(write_frr, BgpMetrics(metrics.registry)))
            parts = replace(parts, frr=bgp.write, bgp=bgp)
        zone = ZoneLoop(node, parts)
        if parts.auditor is not None:
            follow_drift(metrics.registry, parts.auditor.count)
        elif not allowed.audit:
            follow_writer(metrics.registry, lambda: zone.held_deletions, lambda: len(zone.refusals))
        try:
            between = keep(zone.tick, informer, wake, loop.resync, zone.due, health, metrics)
        except ForeignRowsError as error:
            click.echo(f"error: zone {node}: {error}", err=True)
            return Exit.USAGE
        if not between:
            _log.warning("zone %s: interrupted in the middle of a step; the next start completes it", node)
    _log.info("zone %s: stopped", node)
    return Exit.OK


def _parts(
    node: str,
    options: _Options,
    allowed: WriteOptions,
    store: ZoneStore,
    write_frr: Callable[[str], bool],
    client: KubernetesClient,
    view: LiveView,
) -> ZoneLoopParts:
    now = partial(datetime.now, UTC)
    recorder, announcer = Recorder(client, DECLARING_RESOURCES, now), EventRecorder(client, node, now)
    reporter = StatusWriter(recorder, announcer)
    dynamic, report = options.activity.dynamic, options.report
    # A zone with rows of another writer does not change the node.
    switches = options.layer2_legacy and not allowed.audit and allowed.only is None
    parts = ZoneLoopParts(
        view,
        judge_live(dynamic=dynamic),
        store,
        write_frr,
        reporter,
        # An audit also asks the cluster whether OVN-Kubernetes allocates dynamically.
        Settings(isolation=options.isolation, dynamic=dynamic or None, layer2_legacy=options.layer2_legacy),
        options=allowed,
        host=HostLoop(Machine(node), audit=allowed.audit, only=allowed.only) if options.host else None,
        records=options.record,
        overrides=options.overrides,
        layer2=Layer2Switch(recorder, reporter) if switches else None,
        publisher=None if report is None else ReportPublisher(client, report, node, now),
    )
    if not allowed.audit:
        concerns = (partial(_allocates, allowed), partial(_reports, allowed))
        parts = replace(parts, addresser=PodAddresser(AddresserParts(PodRecords(client), announcer, *concerns)))
    if options.cni_conf_dir is not None:
        missing = partial(missing_plugin, options.cni_conf_dir)
        parts = replace(parts, lacking=partial(unprepared_node, missing_plugin=missing))
    if isinstance(store, NorthboundStore):
        parts = replace(parts, lag=store.lag, auditor=ZoneAuditor(store, node) if allowed.audit else None)
    return parts


def _allocates(allowed: WriteOptions, network: Network) -> bool:
    """Whether the zone gives pods addresses in the network."""
    return is_of_zone(network) and allowed.permits(network.name)


def _reports(allowed: WriteOptions, network: Network) -> bool:
    """Whether the zone reports pods of the network that wait for an address."""
    return allowed.permits(network.name)
