"""`ovnguard-reconciler apply`: apply the plan of manifests to a folder of files or live databases, once."""

from functools import partial
from pathlib import Path
from typing import Final

import click

from reconciler.apply.store_errors import StoreError
from reconciler.commands.host_state import apply_host, print_host
from reconciler.commands.manifests import no_networks, plan_manifests, read_manifests
from reconciler.commands.options import PATH, Target, with_inputs, with_target
from reconciler.commands.output import ChangePrinter, print_failure, print_failures, print_remarks, print_unreadable
from reconciler.commands.targets import Applied, apply_to_databases, apply_to_files
from reconciler.plan.desired_state import DesiredState
from reconciler.plan.settings import Settings
from validators.commandline.program import Exit

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler apply -f networks/ --nodes nodes/ --store state/
  ovnguard-reconciler apply -f networks/ --nodes nodes/ --nb-db worker-a=unix:/var/run/ovn/ovnnb_db.sock

\b
Exit codes: 0 applied (also when nothing had to change), 1 applied, but a network was refused or cannot be planned and
stays as it was, 2 wrong call, no network at all without --allow-empty, or something that cannot be read or written: a
manifest, a file of --store that is not one of a store, a folder of the wrong kind or without permission; 3 a database
cannot be reached or refuses, another process holds the store, or an internal error.
"""
_EMPTY: Final = "the plan is empty and would delete every row of ovnguard; add --allow-empty to do that"


@click.command("apply", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_inputs
@with_target("apply to", "Folder of files; it is created when needed.")
@click.option("--frr-dir", type=PATH, metavar="DIR", help="With --nb-db: write DIR/NODE.conf.")
@click.option("--allow-empty", is_flag=True, help="Apply even without networks: all rows of ovnguard are deleted.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="List every row that changes, and every rule that was not checked.",
)
@click.version_option(package_name="ovnguard")
def command(  # noqa: PLR0913, PLR0917 - one parameter per option, passed by name
    files: tuple[str, ...],
    nodes: tuple[str, ...],
    no_cache: bool,
    settings: Settings,
    target: Target,
    frr_dir: Path | None,
    allow_empty: bool,
    verbose: bool,
) -> int:
    """Bring a folder of files, or live Northbound databases, to the plan, and print what changed.

    Rows of a node without a manifest are removed from the folder. A live network keeps the tunnel keys that its rows
    contain, and its transit subnets as long as they are valid. A folder also contains the objects that make routes,
    without passwords.
    """
    if target.store is not None and frr_dir is not None:
        raise click.UsageError("--frr-dir needs --nb-db; a store has its own folder for FRR")
    if target.remotes and frr_dir is None:
        click.echo("note: FRR is left alone; --frr-dir DIR writes its configuration", err=True)
    manifests = read_manifests(files, nodes, cached=not no_cache, settings=settings)
    if manifests.unreadable:
        return print_unreadable(manifests)
    target.check_nodes(manifests.node_names)
    if not manifests.has_networks and not allow_empty:
        raise click.UsageError(f"{no_networks(files)}: {_EMPTY}")
    printer = ChangePrinter(verbose=verbose)
    planner, folder = partial(plan_manifests, manifests), target.file_store()
    try:
        if folder is not None:
            applied = apply_to_files(planner, folder, printer)
        else:
            applied = apply_to_databases(planner, target.databases(), frr_dir, printer)
    except StoreError as error:
        return print_failure(error)
    return max(_conclude(applied, printer, verbose=verbose), _apply_host(applied.planned.desired, target.host))


def _apply_host(desired: DesiredState, node: str | None) -> int:
    """Apply to this machine, if it is a node, and return the exit code."""
    if node is None:
        return Exit.OK
    state = apply_host(desired, node)
    print_host(state, "changed")
    return state.exit_of_failures


def _conclude(applied: Applied, printer: ChangePrinter, *, verbose: bool) -> int:
    """Print totals, notes and errors, and return the exit code."""
    printer.print_totals(applied.objects, complete=not applied.failures)
    print_remarks(applied.planned, verbose=verbose)
    return print_failures(applied.failures) or (Exit.INVALID if applied.planned.errors else Exit.OK)
