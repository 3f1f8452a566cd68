"""`ovnguard-reconciler plan` and `apply`: networks and nodes from manifests, no cluster."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import click

from reconciler.apply.files.file_store import FileStore
from reconciler.apply.store_errors import StoreCorruptError, StoreError, StoreUnusableError
from reconciler.apply.zone_store import TLSFiles, check_remote
from reconciler.commands.host_state import (
    HostOption,
    HostState,
    apply_host,
    host_to_json,
    hosts_as_text,
    planned_host,
    tell_host,
)
from reconciler.commands.manifests import Inputs, plan_manifests, read_manifests
from reconciler.commands.options import PLACE, tls_files, with_tls
from reconciler.commands.output import Teller, remarks, show, unreadable
from reconciler.commands.targets import Applied, against, apply_to_databases, apply_to_files, connect, held_in
from reconciler.plan.diff import diff
from reconciler.plan.render.as_json import zones_to_json
from reconciler.plan.render.as_text import changes_as_text, zone_as_text
from reconciler.plan.rows import Operation, ZonePlan
from validators.commandline.program import Exit

_PLAN_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler plan -f networks/ --nodes nodes/
  ovnguard-reconciler plan -f cudn.yaml -f default.yaml --nodes nodes/ -o mermaid
  ovnguard-reconciler plan -f networks/ --nodes nodes/ --node worker-a -o frr > frr.conf
  ovnguard-reconciler plan -f networks/ --nodes nodes/ --node worker-a -o host   what the node itself would hold
  ovnguard-reconciler plan -f networks/ --nodes nodes/ --node worker-a -o nbctl   as commands for an empty database
  ovnguard-reconciler plan -f networks/ --nodes nodes/ --store state/    what apply would change

\b
Exit codes: 0 ok, 1 a network was refused or cannot be planned, 2 wrong call or input that cannot be read: a manifest, a
file of --store that is not one of a store, a folder of the wrong kind or without permission; 3 a fault of this program.
"""
_APPLY_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler apply -f networks/ --nodes nodes/ --store state/
  ovnguard-reconciler apply -f networks/ --nodes nodes/ --nb-db worker-a=tcp:172.18.0.2:6641 --frr-dir frr/

\b
Exit codes: 0 applied (also when nothing had to change), 1 applied, but a network was refused or cannot be planned and
stays as it was, 2 wrong call, no network at all without --allow-empty, or something that cannot be read or written: a
manifest, a file of --store that is not one of a store, a folder of the wrong kind or without permission; 3 a database
cannot be reached or refuses, another process holds the store, or a fault of this program.
"""
_OUTPUTS: Final = ("text", "json", "nbctl", "mermaid", "svg", "frr", "host")
# How many of the given paths a message names.
_NAMED: Final = 3
_EMPTY: Final = "the plan is empty and would delete every row of ours; --allow-empty if that is meant"
_F = TypeVar("_F", bound=Callable[..., object])


def with_inputs(command: _F) -> _F:
    """Add the options that say where networks and nodes are described."""
    networks = click.option(
        "-f", "--filename", "files", multiple=True, required=True, metavar="PATH", help="Networks and pods. - is stdin."
    )
    nodes = click.option("--nodes", multiple=True, required=True, metavar="PATH", help="Nodes of the cluster.")
    return networks(nodes(command))


@click.command("plan", epilog=_PLAN_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_inputs
@click.option("-o", "--output", type=click.Choice(_OUTPUTS), default="text")
@click.option("--node", metavar="NAME", help="This node's zone only.")
@click.option("--store", type=PLACE, metavar="DIR", help="Show the difference to this folder.")
@click.option("-v", "--verbose", is_flag=True, help="List every row, not only how many each table has.")
def plan_command(
    files: tuple[str, ...],
    nodes: tuple[str, ...],
    output: str,
    node: str | None,
    store: Path | None,
    verbose: bool,
) -> int:
    """Print what every node's zone would hold; nothing is written.

    Networks that are refused are reported and left out. PATH is a file, a folder or -. Rows are counted by table, and
    listed with -v, with --node, and where --store needs few changes.
    """
    manifests = read_manifests(files, nodes)
    if manifests.unreadable:
        return unreadable(manifests)
    if node is not None and node not in manifests.node_names:
        raise click.UsageError(f"--node: no node {node} in --nodes")
    if output == "nbctl" and store is not None:
        raise click.UsageError(
            "commands are against databases with nothing of ours; `diff --store DIR -o nbctl` compares"
        )
    if not manifests.has_networks:
        click.echo(f"warning: {_no_networks(files)}", err=True)
    try:
        inputs = plan_manifests(manifests, held_in(FileStore(store)) if store is not None else {}, node)
        zones, operations = _changes(inputs, store, node)
    except StoreError as error:
        return failed(error)
    if output == "json":
        hosts = {zone.node: host_to_json(planned_host(inputs, zone.node)) for zone in zones}
        value = zones_to_json(zones, operations, hosts)
        click.echo(json.dumps({**value, "notes": inputs.notes, "errors": inputs.errors}, indent=2))
        return Exit.INVALID if inputs.errors else Exit.OK
    if output == "host":
        click.echo(hosts_as_text(inputs, tuple(zone.node for zone in zones)), nl=False)
    else:
        show(output, zones, _texts(zones, operations, store, whole=verbose or node is not None), one=node is not None)
    remarks(inputs)
    return Exit.INVALID if inputs.errors else Exit.OK


@click.command("apply", epilog=_APPLY_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_inputs
@click.option("--store", type=PLACE, metavar="DIR", help="Folder of files, made when needed.")
@click.option("--nb-db", multiple=True, metavar="NODE=REMOTE", help="A node's live Northbound database. Repeatable.")
@with_tls
@click.option("--frr-dir", type=PLACE, metavar="DIR", help="With --nb-db: write DIR/NODE.conf.")
@HostOption
@click.option("--allow-empty", is_flag=True, help="Apply even when no network is described: all our rows go.")
@click.option("-v", "--verbose", is_flag=True, help="List every row that changes, however many they are.")
def apply_command(  # noqa: PLR0913, PLR0917 - one parameter per option, passed by name
    files: tuple[str, ...],
    nodes: tuple[str, ...],
    store: Path | None,
    nb_db: tuple[str, ...],
    nb_private_key: Path | None,
    nb_certificate: Path | None,
    nb_ca_cert: Path | None,
    frr_dir: Path | None,
    host: str | None,
    allow_empty: bool,
    verbose: bool,
) -> int:
    """Bring a folder of files, or live Northbound databases, to the plan, and say what changed.

    Rows of a node that is no longer described are removed from the folder. Live networks keep the tunnel keys, and
    while they are valid the transit subnets, that their rows hold.
    """
    _check_places(store, nb_db, frr_dir, host)
    tls = tls_files(nb_private_key, nb_certificate, nb_ca_cert)
    remotes = dict(remote_of(text, tls) for text in nb_db)
    manifests = read_manifests(files, nodes)
    if manifests.unreadable:
        return unreadable(manifests)
    if unknown := sorted(remotes.keys() - manifests.node_names):
        raise click.UsageError(f"--nb-db: no node {unknown[0]} in --nodes")
    check_host(host, manifests.node_names)
    if not manifests.has_networks and not allow_empty:
        raise click.UsageError(f"{_no_networks(files)}: {_EMPTY}")
    teller = Teller(verbose=verbose)
    planner = partial(plan_manifests, manifests)
    try:
        if store is not None:
            applied = apply_to_files(planner, FileStore(store), teller)
        else:
            applied = apply_to_databases(planner, connect(remotes, tls), frr_dir, teller)
    except StoreError as error:
        return failed(error)
    return max(_conclude(applied, teller), _host(applied.inputs, host))


def _check_places(store: Path | None, nb_db: Sequence[str], frr_dir: Path | None, host: str | None) -> None:
    """Raise click.UsageError unless the options name one place for rows, or none and this machine."""
    if (store is None) is (not nb_db) and (nb_db or host is None):
        raise click.UsageError("name one place to apply to: --store DIR or --nb-db NODE=REMOTE")
    if store is not None and frr_dir is not None:
        raise click.UsageError("--frr-dir goes with --nb-db; a store has a folder of its own for FRR")


def check_host(host: str | None, known: Collection[str]) -> None:
    """Raise click.UsageError unless ``host`` is a node that is described, or None."""
    if host is not None and host not in known:
        raise click.UsageError(f"--host: no node {host} in --nodes")


def _host(inputs: Inputs, node: str | None) -> int:
    """Apply to this machine, if it is a node, and return the exit code."""
    if node is None:
        return Exit.OK
    state = apply_host(inputs, node)
    tell_host(state, "changed")
    return exit_of_host(state)


def exit_of_host(state: HostState) -> int:
    """Return the exit code of what could not be done to this machine."""
    if state.error is not None:
        return exit_of(state.error)
    return Exit.INTERNAL if state.failures else Exit.OK


def _no_networks(files: Sequence[str]) -> str:
    shown = ", ".join(files[:_NAMED]) + (f" and {len(files) - _NAMED} more" if len(files) > _NAMED else "")
    return f"no networks among {shown}"


def _conclude(applied: Applied, teller: Teller) -> int:
    """Sum up, and return the exit code."""
    inputs, failures = applied.inputs, applied.failures
    teller.sum_up(complete=not failures)
    remarks(inputs)
    for node, failure in failures.items():
        click.echo(f"error: node {node}: {failure}", err=True)
    if failures:
        return max(exit_of(failure) for failure in failures.values())
    return Exit.INVALID if inputs.errors else Exit.OK


def _changes(
    inputs: Inputs, store: Path | None, node: str | None
) -> tuple[Sequence[ZonePlan], dict[str, Sequence[Operation]]]:
    """The zones to show, and what would change in ``store``, or in an empty one."""
    if store is not None:
        return against(inputs, FileStore(store), node)
    return inputs.plan.zones, {zone.node: diff((), zone.rows) for zone in inputs.plan.zones}


def _texts(
    zones: Sequence[ZonePlan], operations: Mapping[str, Sequence[Operation]], store: Path | None, *, whole: bool
) -> list[str]:
    """One text per zone; without ``whole``, changes are listed only where they are few and not the rows again."""
    if store is None and not whole:
        return [zone_as_text(zone, operations[zone.node], "") for zone in zones]
    return [
        zone_as_text(zone, operations[zone.node], changes_as_text(operations[zone.node], whole=whole)) for zone in zones
    ]


def remote_of(text: str, tls: TLSFiles | None) -> tuple[str, str]:
    """Return node and remote of ``NODE=REMOTE``; raise click.BadParameter for what is none."""
    node, equals, remote = text.partition("=")
    if not equals or not node:
        raise click.BadParameter(f"{text!r} is not NODE=REMOTE", param_hint="--nb-db")
    try:
        check_remote(remote, tls)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--nb-db") from error
    return node, remote


def failed(error: StoreError) -> int:
    """Print the error and return the exit code."""
    click.echo(f"error: {error}", err=True)
    return exit_of(error)


def exit_of(error: StoreError) -> Exit:
    """Return the exit code: what the caller named cannot be read or written, or what it leads to does not work now."""
    return Exit.USAGE if isinstance(error, (StoreCorruptError, StoreUnusableError)) else Exit.INTERNAL
