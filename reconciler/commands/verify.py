"""`ovnguard-reconciler verify`: check that a zone's rows match the plan and that packets reach their destinations."""

import json
import shutil
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

import click

from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.apply.ovn.ovn_trace import ProbeResult, run_probe
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.commands.audit.zone_texts import audit_as_json, audit_as_lines, headline, print_zone_notes
from ovnguard.reconciler.commands.frr_options import VTYSH_OPTIONS, FrrOptions
from ovnguard.reconciler.commands.frr_state import FrrState, compare_frr, frr_to_json, print_frr, print_frr_error
from ovnguard.reconciler.commands.grouped import ReconcilerCommand
from ovnguard.reconciler.commands.host_state import (
    HostState,
    compare_host,
    print_host,
    print_host_remarks,
    with_kernel_routes,
)
from ovnguard.reconciler.commands.manifests import ManifestOptions, Manifests, with_manifests
from ovnguard.reconciler.commands.options import HostOption, TLSOptions, check_node, option_group, with_tls
from ovnguard.reconciler.commands.output import echo_lines, print_changes, print_failure, print_remarks
from ovnguard.reconciler.commands.planned_manifests import PlannedManifests, plan_manifests
from ovnguard.reconciler.commands.targets import zone_change
from ovnguard.reconciler.commands.unused_rows import with_unused
from ovnguard.reconciler.plan.comparison.audit import ZoneAudit
from ovnguard.reconciler.plan.inputs.cluster_options import may_explain_drift
from ovnguard.reconciler.plan.numbers.live_allocations import live_allocations
from ovnguard.reconciler.plan.probes.probe_packets import networks_of, probes_of
from ovnguard.reconciler.plan.probes.probe_rows import Endpoint
from ovnguard.reconciler.plan.render.as_json import operation_to_json
from ovnguard.reconciler.plan.render.as_text import Line
from ovnguard.reconciler.plan.render.changes import ZoneChange
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.zone_audit import audit_zone, expired_networks
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.commandline.program import Exit

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler verify -f networks/ --nodes nodes/ --node worker-a \\
      --nb-db unix:/var/run/ovn/ovnnb_db.sock --sb-db unix:/var/run/ovn/ovnsb_db.sock
  ovnguard-reconciler verify ... --network cluster_udn_blue -o json
  ovnguard-reconciler verify -f networks/ --nodes nodes/ --node worker-a --frr

\b
Exit codes: 0 rows are as planned (with --audit: or differ by a rule in docs/rows.md), every packet arrives, and no BGP
session or route is missing, 1 otherwise, 2 wrong call or input that cannot be read, 3 a database, ovn-trace or FRR
cannot be reached, or an internal error.
"""


@dataclass(frozen=True, slots=True)
class _Places:
    """What is verified: a zone in its databases, this machine as ``host``, and with ``reads_frr`` its FRR."""

    node: str
    nb_db: str | None
    sb_db: str | None
    tls: TLSOptions
    host: str | None
    reads_frr: bool
    frr: FrrOptions
    is_audit: bool

    def check(self, known: Collection[str]) -> None:
        """Raise click.UsageError for places that do not belong together, and for a node that is not ``known``."""
        check_node(self.node, known, "--node")
        if self.host not in (None, self.node):
            raise click.UsageError(f"--host: must be {self.node}, the node of --node")
        if self.is_audit and self.host is not None:
            raise click.UsageError("--audit compares the database alone, not --host")
        if (self.nb_db is None) != (self.sb_db is None) or (self.nb_db is None and not self.reads_frr):
            raise click.UsageError("name what to verify: --nb-db REMOTE and --sb-db REMOTE, --frr, or all three")
        named = next((name for name, value in self.frr.given.items() if value), None)
        if named is not None and not self.reads_frr:
            raise click.UsageError(f"{named} needs --frr")


@dataclass(frozen=True, slots=True)
class _Tracing:
    """Which network is traced, None for all, by which program."""

    network: str | None
    program: str


@click.command(
    "verify", cls=ReconcilerCommand, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]}
)
@with_manifests
@click.option("--node", required=True, metavar="NAME", help="The node of the zone.")
@click.option("--nb-db", metavar="REMOTE", help="Northbound database of the zone.")
@click.option("--sb-db", metavar="REMOTE", help="Southbound database of the zone, for ovn-trace.")
@with_tls
@click.option("--network", metavar="NAME", help="Trace packets of this network only.")
@HostOption
@click.option("--frr", "reads_frr", is_flag=True, help="FRR runs here: compare its sessions and routes with the plan.")
@option_group("frr", FrrOptions, *VTYSH_OPTIONS)
@click.option(
    "--audit",
    "is_audit",
    is_flag=True,
    help="Compare a zone that OVN-Kubernetes maintains: all rows and columns, whoever wrote them.",
)
@click.option("--ovn-trace", "program", default="ovn-trace", show_default=True, metavar="PATH")
@option_group("places", _Places)
@option_group("tracing", _Tracing)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text")
@click.version_option(package_name="ovnguard")
def command(inputs: ManifestOptions, places: _Places, tracing: _Tracing, output: str) -> int:
    """Trace packets through a zone and report where one is dropped.

    Compares the rows with the plan, then traces from a pod of every network (without pods, from the node's management
    port) to its gateway, to other pods and other nodes' subnets, to the outside, and through its egress nodes. With
    --frr, alone or in addition, it names missing BGP sessions and routes of this node and the likely cause. With
    --audit, the zone is OVN-Kubernetes' own, and the rows of all writers count: see docs/audit.md.
    """
    manifests = inputs.read()
    places.check(manifests.node_names)
    try:
        verified = _verified(with_kernel_routes(manifests, places.host), places, tracing)
    except StoreError as error:
        return print_failure(error)
    desired, node = verified.compared.planned.desired, places.node
    parts = _Parts(
        None if places.host is None else compare_host(with_unused(verified.compared.planned, node), node),
        compare_frr(desired, node, places.frr.vtysh()) if places.reads_frr else None,
    )
    _print(verified, parts, output)
    print_remarks(verified.compared.planned)
    return max(Exit.OK if verified.is_as_planned else Exit.INVALID, parts.exit_of_comparison)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What this machine has outside of the database, where it is asked."""

    host: HostState | None
    frr: FrrState | None

    @property
    def exit_of_comparison(self) -> int:
        return max((each.exit_of_comparison for each in (self.host, self.frr) if each is not None), default=Exit.OK)


@dataclass(frozen=True, slots=True)
class _Compared:
    """The plan of a zone, and how the zone differs: in ovnguard's rows, or with ``audit`` in all rows.

    ``absent`` are the planned networks that OVN-Kubernetes never starts; without ``is_read``, no database is named.
    """

    planned: PlannedManifests
    guests: Sequence[Endpoint] = ()
    change: ZoneChange = field(default_factory=partial(ZoneChange, ""))
    audit: ZoneAudit | None = None
    absent: frozenset[str] = frozenset()
    is_read: bool = True

    @property
    def is_as_planned(self) -> bool:
        return (
            not self.change.operations and not self.planned.errors and (self.audit is None or self.audit.is_as_planned)
        )

    def rows(self, node: str) -> Sequence[Row]:
        return next((zone.rows for zone in self.planned.plan.zones if zone.node == node), ())


@dataclass(frozen=True, slots=True)
class _Verification:
    compared: _Compared
    findings: tuple[ProbeResult, ...] = ()
    silent: tuple[str, ...] = ()

    @property
    def is_as_planned(self) -> bool:
        return self.compared.is_as_planned and all(each.reached for each in self.findings)


def _compared(manifests: Manifests, node: str, store: NorthboundStore) -> _Compared:
    observed = store.read()
    planned = plan_manifests(manifests, live_allocations(observed), (node,))
    compared = _Compared(planned, store.guests())
    return replace(compared, change=zone_change(planned, node, observed, compared.rows(node)))


def _audited(manifests: Manifests, node: str, store: NorthboundStore) -> _Compared:
    observed = store.read_everything()
    print_zone_notes({node: observed})
    planned = plan_manifests(manifests, {}, (node,))
    desired = planned.desired
    found = audit_zone(desired, node, observed, expired_networks(desired, node, datetime.now(UTC)))
    return _Compared(planned, audit=found, absent=desired.left_out_on(node).unstarted)


def _verified(manifests: Manifests, places: _Places, tracing: _Tracing) -> _Verification:
    """Compare and trace. Raises StoreError, and click.UsageError for remotes or a network that there are not."""
    files, node = places.tls.files(), places.node
    if places.nb_db is None or places.sb_db is None:
        return _Verification(_Compared(plan_manifests(manifests, {}, (node,)), is_read=False))
    _, remote = places.tls.remote_of(f"{node}={places.nb_db}")
    places.tls.check_encrypted(places.sb_db, "--sb-db")
    program = shutil.which(tracing.program) or tracing.program
    with closing(NorthboundStore(remote, tls=files)) as store:
        compared = (_audited if places.is_audit else _compared)(manifests, node, store)
        rows = compared.rows(node)
        networks = networks_of(rows) - compared.absent
        if tracing.network is not None and tracing.network not in networks:
            raise click.UsageError(f"--network: the plan of node {node} has no network {tracing.network}")
        wanted = networks if tracing.network is None else {tracing.network}
        probes = [probe for probe in probes_of(rows, compared.guests) if probe.network in wanted]
        silent = sorted(wanted - {probe.network for probe in probes})
        found = tuple(run_probe(probe, program=program, southbound=places.sb_db) for probe in probes)
        return _Verification(compared, found, tuple(silent))


def _print(verified: _Verification, parts: _Parts, output: str) -> None:
    if output == "json":
        _print_json(verified, parts)
        return
    if parts.host is not None:
        print_host(parts.host, "differ")
    if parts.frr is not None:
        print_frr(parts.frr)
    if verified.compared.is_read:
        _print_rows(verified.compared)
    for name in dict.fromkeys(each.probe.network for each in verified.findings):
        click.echo(f"network {name}:")
        for finding in verified.findings:
            if finding.probe.network == name:
                click.echo(f"  {finding}")
    for name in verified.silent:
        click.echo(f"network {name}:\n  no packet to follow: it has no gateway and fewer than two pods here")


def _print_rows(compared: _Compared) -> None:
    if compared.audit is not None:
        echo_lines(map(Line, may_explain_drift(compared.planned.unplanned_options)))
        click.echo(f"rows: {headline(compared.audit)}")
        echo_lines(audit_as_lines(compared.audit))
        return
    differ = len(compared.change.operations)
    verb = "differs" if differ == 1 else "differ"
    click.echo(f"rows: {f'{differ} {verb} from the plan' if differ else 'as planned'}")
    print_changes([compared.change], whole=True)


def _print_json(verified: _Verification, parts: _Parts) -> None:
    compared = verified.compared
    findings = [
        {
            "network": each.probe.network,
            "probe": each.probe.title,
            "reached": each.reached,
            "words": each.words,
            "path": each.path,
        }
        for each in verified.findings
    ]
    value: JsonObject = (
        {"rowsThatDiffer": [operation_to_json(each) for each in compared.change.operations]}
        if compared.audit is None
        else {
            "audit": audit_as_json(compared.audit),
            "mayExplainDrift": list(compared.planned.unplanned_options),
        }
    )
    value |= {"probes": findings, "withoutProbes": list(verified.silent)}
    if not compared.is_read:
        value = {}
    if parts.host is not None:
        value["hostDiffers"] = [str(each) for each in parts.host.operations]
        print_host_remarks(parts.host)
    if parts.frr is not None:
        value["frr"] = frr_to_json(parts.frr)
        print_frr_error(parts.frr)
    click.echo(json.dumps({**value, "errors": compared.planned.errors}, indent=2))
