"""`ovnguard-reconciler diff` and `verify`: what live databases hold beside the plan, and whether packets arrive."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import click

from reconciler.apply.files.file_store import FileStore
from reconciler.apply.ovn.nbctl import nbctl_script
from reconciler.apply.ovn.ovn_nb import NorthboundStore
from reconciler.apply.ovn.ovn_trace import Finding, run_probe
from reconciler.apply.retention import without_deletes_of
from reconciler.apply.store_errors import StoreError
from reconciler.apply.zone_store import ZoneStore
from reconciler.commands.host_state import HostOption, HostState, compare_host, complain_of_host, tell_host
from reconciler.commands.manifests import Inputs, Manifests, plan_manifests, read_manifests
from reconciler.commands.options import PLACE, tls_files, with_tls
from reconciler.commands.output import remarks, unreadable
from reconciler.commands.plan_apply import check_host, exit_of, exit_of_host, failed, remote_of, with_inputs
from reconciler.commands.targets import connect
from reconciler.plan.diff import diff
from reconciler.plan.live_allocations import Held, held_by
from reconciler.plan.probes import networks_of, probes_of
from reconciler.plan.render.as_json import operation_to_json
from reconciler.plan.render.as_text import operations_as_text
from reconciler.plan.render.mermaid import picture
from reconciler.plan.render.svg import drawing
from reconciler.plan.rows import Operation, Row
from validators.base.json_types import JsonObject
from validators.commandline.program import Exit

_DIFF_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler diff -f networks/ --nodes nodes/ --nb-db worker-a=unix:/var/run/ovn/ovnnb_db.sock
  ovnguard-reconciler diff -f networks/ --nodes nodes/ --store state/ -o nbctl > change.sh

\b
Exit codes: 0 no difference, 1 differences, or a network that was refused or cannot be planned, 2 wrong call or input
that cannot be read, 3 a database cannot be reached, or a fault of this program.
"""
_VERIFY_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler verify -f networks/ --nodes nodes/ --node worker-a \\
      --nb-db unix:/var/run/ovn/ovnnb_db.sock --sb-db unix:/var/run/ovn/ovnsb_db.sock
  ovnguard-reconciler verify ... --network cluster_udn_blue -o json

\b
Exit codes: 0 rows are as planned and every packet arrives, 1 they are not, 2 wrong call or input that cannot be read,
3 a database or ovn-trace cannot be reached, or a fault of this program.
"""


@dataclass(slots=True)
class _Compared:
    """Rows that were read, and what would make them the plan's, by node; nodes that failed have neither."""

    inputs: Inputs
    observed: dict[str, Sequence[Row]] = field(default_factory=dict)
    operations: dict[str, Sequence[Operation]] = field(default_factory=dict)
    failures: dict[str, StoreError] = field(default_factory=dict)


@click.command("diff", epilog=_DIFF_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_inputs
@click.option("--store", type=PLACE, metavar="DIR", help="A folder of files.")
@click.option("--nb-db", multiple=True, metavar="NODE=REMOTE", help="A node's live Northbound database. Repeatable.")
@with_tls
@HostOption
@click.option("-o", "--output", type=click.Choice(["text", "json", "nbctl", "mermaid", "svg"]), default="text")
def diff_command(  # noqa: PLR0913, PLR0917 - one parameter per option, passed by name
    files: tuple[str, ...],
    nodes: tuple[str, ...],
    store: Path | None,
    nb_db: tuple[str, ...],
    nb_private_key: Path | None,
    nb_certificate: Path | None,
    nb_ca_cert: Path | None,
    host: str | None,
    output: str,
) -> int:
    """Show what apply would change; nothing is written, and no lock is taken.

    -o nbctl prints a shell script of ovn-nbctl commands that do the same as apply, -o mermaid and svg draw the plan of
    the compared nodes.
    """
    if (store is None) is (not nb_db) and (nb_db or host is None):
        raise click.UsageError("name one place to compare with: --store DIR or --nb-db NODE=REMOTE")
    tls = tls_files(nb_private_key, nb_certificate, nb_ca_cert)
    remotes = dict(remote_of(text, tls) for text in nb_db)
    manifests = read_manifests(files, nodes)
    if manifests.unreadable:
        return unreadable(manifests)
    if unknown := sorted(remotes.keys() - manifests.node_names):
        raise click.UsageError(f"--nb-db: no node {unknown[0]} in --nodes")
    check_host(host, manifests.node_names)
    if store is not None:
        folder = FileStore(store)
        stores: Mapping[str, ZoneStore] = {
            node: folder.zone(node) for node in sorted({*manifests.node_names, *folder.nodes()})
        }
    else:
        stores = connect(remotes, tls, exclusive=False)
    try:
        compared = _compare(partial(plan_manifests, manifests), stores)
    finally:
        for each in stores.values():
            each.close()
    state = None if host is None else compare_host(compared.inputs, host)
    _show(compared, state, output)
    return max(_conclude(compared), Exit.OK if state is None else _exit_of(state))


def _exit_of(state: HostState) -> int:
    return exit_of_host(state) or (Exit.OK if state.is_planned else Exit.INVALID)


def _compare(plan: Callable[[Mapping[str, Held]], Inputs], stores: Mapping[str, ZoneStore]) -> _Compared:
    observed: dict[str, Sequence[Row]] = {}
    failures: dict[str, StoreError] = {}
    for node, store in stores.items():
        try:
            observed[node] = store.read()
        except StoreError as error:
            failures[node] = error
    compared = _Compared(plan(held_by(row for rows in observed.values() for row in rows)), observed, {}, failures)
    choose = without_deletes_of(compared.inputs.frozen)
    planned = {zone.node: zone.rows for zone in compared.inputs.plan.zones}
    gone = observed.keys() - compared.inputs.node_names
    for node, rows in observed.items():
        if node in planned or node in gone:
            compared.operations[node] = choose(diff(rows, planned.get(node, ())), rows)
    return compared


def _show(compared: _Compared, state: HostState | None, output: str) -> None:
    zones = [zone for zone in compared.inputs.plan.zones if zone.node in compared.operations]
    if output == "json":
        nodes = {node: [operation_to_json(each) for each in steps] for node, steps in compared.operations.items()}
        hosts = {} if state is None else {"hosts": {state.node: [str(each) for each in state.operations]}}
        click.echo(json.dumps({"nodes": nodes, **hosts, "errors": compared.inputs.errors}, indent=2))
    elif output == "mermaid":
        click.echo(picture(zones), nl=False)
    elif output == "svg":
        click.echo(drawing(zones), nl=False)
    else:
        for node, steps in compared.operations.items():
            if output == "nbctl":
                click.echo(f"# ---- node {node}\n{nbctl_script(steps, compared.observed[node])}", nl=False)
            else:
                click.echo(f"node {node}: {f'{len(steps)} rows differ' if steps else 'as planned'}")
                click.echo(operations_as_text(steps), nl=False)
    if state is not None and output == "text":
        tell_host(state, "differ")
    elif state is not None:
        complain_of_host(state)


def _conclude(compared: _Compared) -> int:
    remarks(compared.inputs)
    for node, failure in compared.failures.items():
        click.echo(f"error: node {node}: {failure}", err=True)
    if compared.failures:
        return max(exit_of(failure) for failure in compared.failures.values())
    return Exit.INVALID if compared.inputs.errors or any(compared.operations.values()) else Exit.OK


@click.command("verify", epilog=_VERIFY_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_inputs
@click.option("--node", required=True, metavar="NAME", help="The node whose zone this is.")
@click.option("--nb-db", required=True, metavar="REMOTE", help="Its Northbound database.")
@click.option("--sb-db", required=True, metavar="REMOTE", help="Its Southbound database, for ovn-trace.")
@with_tls
@click.option("--network", metavar="NAME", help="Packets of this network only.")
@HostOption
@click.option("--ovn-trace", "program", default="ovn-trace", show_default=True, metavar="PATH")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text")
def verify_command(  # noqa: PLR0913, PLR0917 - one parameter per option, passed by name
    files: tuple[str, ...],
    nodes: tuple[str, ...],
    node: str,
    nb_db: str,
    sb_db: str,
    nb_private_key: Path | None,
    nb_certificate: Path | None,
    nb_ca_cert: Path | None,
    network: str | None,
    host: str | None,
    program: str,
    output: str,
) -> int:
    """Follow packets through a zone and say in words where one stops.

    Compares the rows with the plan, then traces from a pod of every network (without pods, from the node's management
    port) to its gateway, to other pods and other nodes' subnets, to the outside, and through its egress nodes.
    """
    manifests = read_manifests(files, nodes)
    if manifests.unreadable:
        return unreadable(manifests)
    if node not in manifests.node_names:
        raise click.UsageError(f"--node: no node {node} in --nodes")
    if host not in (None, node):
        raise click.UsageError(f"--host: this is about node {node}")
    tls = tls_files(nb_private_key, nb_certificate, nb_ca_cert)
    _, remote = remote_of(f"{node}={nb_db}", tls)
    try:
        with closing(NorthboundStore(remote, tls=tls)) as store:
            verified = _verify(
                manifests, node, network, store, partial(run_probe, program=_found(program), southbound=sb_db)
            )
    except StoreError as error:
        return failed(error)
    state = None if host is None else compare_host(verified.inputs, host)
    _tell(verified, state, output)
    remarks(verified.inputs)
    rows = Exit.OK if verified.is_well else Exit.INVALID
    return max(rows, Exit.OK if state is None else _exit_of(state))


@dataclass(frozen=True, slots=True)
class _Verified:
    inputs: Inputs
    operations: Sequence[Operation]
    findings: tuple[Finding, ...]
    silent: tuple[str, ...]

    @property
    def is_well(self) -> bool:
        return not self.operations and not self.inputs.errors and all(each.reached for each in self.findings)


def _verify(
    manifests: Manifests, node: str, network: str | None, store: NorthboundStore, trace: Callable[..., Finding]
) -> _Verified:
    observed = store.read()
    inputs = plan_manifests(manifests, held_by(observed), node)
    rows: Sequence[Row] = next((zone.rows for zone in inputs.plan.zones if zone.node == node), ())
    operations = without_deletes_of(inputs.frozen)(diff(observed, rows), observed)
    planned = networks_of(rows)
    if network is not None and network not in planned:
        raise click.UsageError(f"--network: the plan of node {node} has no network {network}")
    wanted = planned if network is None else {network}
    probes = [probe for probe in probes_of(rows, store.guests()) if probe.network in wanted]
    silent = sorted(wanted - {probe.network for probe in probes})
    return _Verified(inputs, operations, tuple(trace(probe) for probe in probes), tuple(silent))


def _tell(verified: _Verified, state: HostState | None, output: str) -> None:
    if output == "json":
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
        value: JsonObject = {
            "rowsThatDiffer": [operation_to_json(each) for each in verified.operations],
            "probes": findings,
            "withoutProbes": list(verified.silent),
        }
        if state is not None:
            value["hostDiffers"] = [str(each) for each in state.operations]
            complain_of_host(state)
        click.echo(json.dumps({**value, "errors": verified.inputs.errors}, indent=2))
        return
    if state is not None:
        tell_host(state, "differ")
    differ = len(verified.operations)
    click.echo(f"rows: {f'{differ} differ from the plan' if differ else 'as planned'}")
    click.echo(operations_as_text(verified.operations), nl=False)
    for name in dict.fromkeys(each.probe.network for each in verified.findings):
        click.echo(f"network {name}:")
        for finding in verified.findings:
            if finding.probe.network == name:
                click.echo(f"  {finding}")
    for name in verified.silent:
        click.echo(f"network {name}:\n  no packet to follow: it has no gateway and fewer than two pods here")


def _found(program: str) -> str:
    return shutil.which(program) or program
