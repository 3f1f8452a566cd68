"""`ovnguard-reconciler run`: keep one node's zone as planned."""

import logging
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import click

from reconciler.apply.files.file_store import FileStore
from reconciler.apply.foreign_rows import ForeignRowsError
from reconciler.apply.frr.bgp_state import read_bgp
from reconciler.apply.host.host_routes import Machine
from reconciler.apply.kube import Recorder
from reconciler.apply.kube_report import ReportPublisher
from reconciler.apply.ovn.ovn_nb import MAX_TRANSACTION, NorthboundStore
from reconciler.apply.zone_store import TLSFiles, ZoneStore
from reconciler.commands.activity_options import ActivityOptions, with_activity
from reconciler.commands.frr_options import FrrOptions, with_frr
from reconciler.commands.layer2_options import ON, with_layer2_legacy
from reconciler.commands.loop_options import LoopOptions, with_loop_options
from reconciler.commands.mode_options import AUDIT, Writing, check_mode, with_mode, with_writing
from reconciler.commands.options import PATH, IsolationOption, check_encrypted, tls_files, with_tls
from reconciler.loop.activity.zone_activity import ZoneActivity
from reconciler.loop.inputs.plan_inputs import DECLARING_PARTS, DECLARING_RESOURCES, INPUT_RESOURCES, passwords_in
from reconciler.loop.layer2.layer2_switch import Layer2Switch
from reconciler.loop.process.debounce import Debouncer
from reconciler.loop.process.events import EventRecorder
from reconciler.loop.process.lifecycle import judge_live, keep, listen_to_signals
from reconciler.loop.status.status_writer import StatusWriter
from reconciler.loop.zone.bgp_loop import BUDGET, BgpLoop, BgpParts
from reconciler.loop.zone.host_loop import HostLoop
from reconciler.loop.zone.zone_auditor import ZoneAuditor
from reconciler.loop.zone.zone_loop import ZoneLoop, ZoneLoopParts
from reconciler.plan.rows.settings import Settings
from validators.cluster.live_view import Informer
from validators.cluster.resources import Part, Resource
from validators.commandline.program import Exit
from validators.network.declared.node_values import valid_name
from validators.network.ovnkube_settings.routed_isolation import Isolation

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


@click.command(epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--node", required=True, metavar="NAME", help="The node of the zone.")
@click.option(
    "--nb-db",
    metavar="REMOTE",
    help="Northbound database: unix:PATH, tcp:IP:PORT or ssl:IP:PORT; list the members of a cluster with commas.",
)
@click.option("--store", type=PATH, metavar="DIR", help="Write rows to a folder of files instead of a database.")
@with_tls
@click.option(
    "--frr-conf",
    type=PATH,
    metavar="FILE",
    help="Write FRR's configuration to this file, apply the difference with vtysh and restore it.",
)
@click.option("--frr-dir", type=PATH, metavar="DIR", help="Write DIR/NODE.conf instead, and load nothing.")
@click.option("--frr-reload", default="", metavar="CMD", help="Run CMD to load the file after vtysh accepts it.")
@with_frr
@click.option(
    "--frr-secrets",
    metavar="NAMESPACE",
    help="Read the passwords of sessions from the Secrets of this namespace, the one of the FRRConfigurations.",
)
@click.option(
    "--bgp-convergence-budget",
    "budget",
    type=click.FloatRange(0, min_open=True),
    default=BUDGET,
    show_default=True,
    metavar="SECONDS",
    help="How long BGP sessions or routes may be missing before that counts as a failure.",
)
@click.option(
    "--host", is_flag=True, help="This machine is the node: maintain its network state, import its BGP routes."
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
@with_writing
@with_mode
@with_activity
@with_layer2_legacy
@IsolationOption
@with_loop_options
@click.version_option(package_name="ovnguard")
def command(  # noqa: PLR0913, PLR0917 - one parameter per option, passed by name
    node: str,
    loop: LoopOptions,
    nb_db: str | None,
    store: Path | None,
    nb_private_key: Path | None,
    nb_certificate: Path | None,
    nb_ca_cert: Path | None,
    insecure_nb: bool,
    frr_conf: Path | None,
    frr_dir: Path | None,
    frr_reload: str,
    frr: FrrOptions,
    frr_secrets: str | None,
    budget: float,
    host: bool,
    record: bool,
    report: str | None,
    mode: str,
    writing: Writing,
    max_transaction: int | None,
    activity: ActivityOptions,
    layer2_legacy: str,
    isolation: Isolation | None,
) -> int:
    """Keep one node's Northbound database and FRR configuration as the cluster's networks require.

    An audit, the default, compares the zone of OVN-Kubernetes with the plan, as `diff --audit` does, and reports drift
    that lasts for a minute in its log and as Events about the Node.
    """
    if not valid_name(node):
        raise click.BadParameter(f"{node!r} is not a valid node name", param_hint="--node")
    frr_options = {"--frr-conf": frr_conf, "--frr-dir": frr_dir, "--frr-reload": frr_reload, **frr.given}
    frr_options["--frr-secrets"] = frr_secrets
    check_mode(mode, {**frr_options, "--record": record, **writing.given})
    options = writing.options(audit=mode == AUDIT)
    whole = not options.audit and options.only is None
    if report is not None and not valid_name(report):
        raise click.BadParameter(f"{report!r} is not a valid namespace name", param_hint="--report")
    passwords = _passwords(frr_secrets, frr_conf or frr_dir)
    wake = Debouncer()
    tls = tls_files(nb_private_key, nb_certificate, nb_ca_cert)
    check_encrypted(nb_db or "", insecure=insecure_nb)
    rows = _store(node, nb_db, store, partial(_database, tls, wake, max_transaction or MAX_TRANSACTION, options.audit))
    write_frr = _frr(node, store, frr, frr_conf, frr_dir, frr_reload)
    client = loop.start()
    informer = Informer(client, (*DECLARING_PARTS, *INPUT_RESOURCES, *passwords), wake.notify)
    now = partial(datetime.now, UTC)
    recorder = Recorder(client, DECLARING_RESOURCES, now)
    reporter = StatusWriter(recorder, EventRecorder(client, node, now))
    own = HostLoop(Machine(node), audit=options.audit, only=options.only) if host else None
    parts = ZoneLoopParts(
        informer.view,
        judge_live(dynamic=activity.dynamic),
        rows,
        write_frr,
        reporter,
        # An audit also asks the cluster whether OVN-Kubernetes allocates dynamically.
        Settings(isolation=isolation, dynamic=activity.dynamic or None, layer2_legacy=layer2_legacy == ON),
        options=options,
        host=own,
        records=record,
        # A zone with rows of another writer does not change the node.
        layer2=Layer2Switch(recorder, reporter) if layer2_legacy == ON and whole else None,
        publisher=None if report is None else ReportPublisher(client, report, node, now),
    )
    if isinstance(rows, NorthboundStore):
        parts = replace(parts, lag=rows.lag, auditor=ZoneAuditor(rows, node) if options.audit else None)
    listen_to_signals(wake)
    _log.info("zone %s: watching %s, mode %s", node, client.server, mode)
    with closing(rows), loop.observed() as (health, metrics):
        if activity.dynamic and not options.audit:
            follower = ZoneActivity(node, activity.grace, heard=wake.heard, metrics=metrics)
            parts = replace(parts, activity=follower)
        if frr_conf is not None:
            bgp = BgpLoop(node, replace(_bgp(frr, frr_conf, write_frr, budget), metrics=metrics))
            parts = replace(parts, frr=bgp.write, bgp=bgp)
        zone = ZoneLoop(node, parts)
        try:
            between = keep(zone.tick, informer, wake, loop.resync, zone.due, health)
        except ForeignRowsError as error:
            click.echo(f"error: zone {node}: {error}", err=True)
            return Exit.USAGE
        if not between:
            _log.warning("zone %s: interrupted in the middle of a step; the next start completes it", node)
    _log.info("zone %s: stopped", node)
    return Exit.OK


def _store(node: str, nb_db: str | None, folder: Path | None, database: Callable[[str], NorthboundStore]) -> ZoneStore:
    if (nb_db is None) == (folder is None):
        raise click.UsageError("name one place for the rows: --nb-db REMOTE or --store DIR")
    if folder is not None:
        return FileStore(folder).zone(node)
    assert nb_db is not None
    try:
        return database(nb_db)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--nb-db") from error


def _database(tls: TLSFiles | None, wake: Debouncer, max_transaction: int, audit: bool, remote: str) -> NorthboundStore:
    """The live database; a writer takes its lock, and both are notified of changes by others."""
    return NorthboundStore(
        remote,
        tls=tls,
        cancelled=wake.stopping,
        exclusive=not audit,
        notify=wake.notify,
        max_transaction=max_transaction,
    )


def _bgp(frr: FrrOptions, conf: Path, write: Callable[[str], bool], budget: float) -> BgpParts:
    if not frr.is_here:
        unread = f"{conf}: what FRR runs is not verified: vtysh: no such program; install FRR or name it with --vtysh"
        return BgpParts(write, unread=unread, budget=budget)
    return BgpParts(write, partial(read_bgp, frr.vtysh()), budget=budget)


def _passwords(namespace: str | None, place: Path | None) -> list[tuple[Resource, Part]]:
    """What is watched for passwords; they are read only for a file of FRR."""
    if namespace is None:
        return []
    if place is None:
        raise click.UsageError("--frr-secrets needs --frr-conf or --frr-dir")
    if not valid_name(namespace):
        raise click.BadParameter(f"{namespace!r} is not a valid namespace name", param_hint="--frr-secrets")
    return [passwords_in(namespace)]


def _frr(
    node: str, store: Path | None, frr: FrrOptions, conf: Path | None, folder: Path | None, reload: str
) -> Callable[[str], bool]:
    if conf is not None and folder is not None:
        raise click.UsageError("name one place for FRR: --frr-conf FILE or --frr-dir DIR")
    if conf is not None:
        return frr.file(conf, reload, local=True).write
    if folder is not None:
        return frr.file(folder / f"{node}.conf", reload, local=False).write
    if reload or any(frr.given.values()):
        name = "--frr-reload" if reload else next(name for name, value in frr.given.items() if value)
        raise click.UsageError(f"{name} needs --frr-conf or --frr-dir")
    if store is not None:
        return partial(FileStore(store).write_frr, node)
    return lambda _: False
