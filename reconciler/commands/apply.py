"""`ovnguard-reconciler apply`: apply the plan of manifests to a folder of files or live databases, once."""

import sys
from functools import partial
from pathlib import Path
from typing import Final

import click

from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.commands.grouped import ReconcilerCommand
from ovnguard.reconciler.commands.host_state import apply_host, compare_host, print_host, with_kernel_routes
from ovnguard.reconciler.commands.manifests import ManifestOptions, with_manifests
from ovnguard.reconciler.commands.options import PATH, Target, with_target
from ovnguard.reconciler.commands.output import (
    NO_CHANGES,
    closing_line,
    done_line,
    print_changes,
    print_failure,
    print_failures,
    print_foreign,
    print_remarks,
)
from ovnguard.reconciler.commands.planned_manifests import PlannedManifests, plan_manifests
from ovnguard.reconciler.commands.targets import Proposal, apply_to_databases, apply_to_files, changes_of_files
from ovnguard.reconciler.commands.unused_rows import with_unused
from ovnguard.reconciler.plan.render.as_text import unplanned_text
from ovnguard.validators.commandline.program import Exit

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler apply -f networks/ --nodes nodes/ --store state/
  ovnguard-reconciler apply -f networks/ --nodes nodes/ --store state/ --dry-run    the changes, and nothing is written
  ovnguard-reconciler apply -f networks/ --nodes nodes/ --nb-db worker-a=unix:/var/run/ovn/ovnnb_db.sock

\b
Exit codes: 0 applied (also when nothing had to change), 1 applied, but a network was refused or cannot be planned and
stays as it was, or the answer was not yes, 2 wrong call, no network at all without --allow-empty, or something that
cannot be read or written: a manifest, a file of --store that is not one of a store, a folder of the wrong kind or
without permission; 3 a database cannot be reached or refuses, another process holds the store, or an internal error.
"""
_EMPTY: Final = "the plan is empty and would delete every row of ovnguard; add --allow-empty to do that"


@click.command("apply", cls=ReconcilerCommand, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_manifests
@with_target("apply to", "Folder of files; it is created when needed.")
@click.option("--frr-dir", type=PATH, metavar="DIR", help="With --nb-db: write DIR/NODE.conf.")
@click.option("--allow-empty", is_flag=True, help="Apply even without networks: all rows of ovnguard are deleted.")
@click.option("--yes", is_flag=True, help="Do not ask; without a terminal, apply never asks.")
@click.option("--dry-run", is_flag=True, help="Print the changes and write nothing.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="List the rows of every node, the columns of new ones, and every rule that was not checked.",
)
@click.version_option(package_name="ovnguard")
def command(
    inputs: ManifestOptions,
    target: Target,
    frr_dir: Path | None,
    allow_empty: bool,
    yes: bool,
    dry_run: bool,
    verbose: bool,
) -> int:
    """Bring a folder of files, or live Northbound databases, to the plan, and print what changes.

    At a terminal it asks before it writes. Until the answer, a folder stays locked for other processes; a database does
    not, and the last line counts what was changed there.

    Rows of a node without a manifest are removed from the folder. A live network keeps the tunnel keys that its rows
    contain, and its transit subnets as long as they are valid. A folder also contains the objects that make routes,
    without passwords.
    """
    if target.store is not None and frr_dir is not None:
        raise click.UsageError("--frr-dir needs --nb-db; a store has its own folder for FRR")
    if target.remotes and frr_dir is None:
        click.echo("note: FRR is left alone; --frr-dir DIR writes its configuration", err=True)
    manifests = inputs.read()
    target.check_nodes(manifests.node_names)
    if not manifests.has_networks and not allow_empty:
        raise click.UsageError(f"{inputs.no_networks}: {_EMPTY}")
    folder = target.file_store()
    confirm = partial(_confirmed, verbose=verbose, yes=yes, dry_run=dry_run)
    try:
        planner = partial(plan_manifests, with_kernel_routes(manifests, target.host))
        if folder is not None and dry_run:
            applied = changes_of_files(planner, folder)
            confirm(applied)
        elif folder is not None:
            applied = apply_to_files(planner, folder, confirm)
        else:
            applied = apply_to_databases(planner, target.databases(exclusive=not dry_run), frr_dir, confirm)
    except StoreError as error:
        return print_failure(error)
    code = _conclude(applied, verbose=verbose)
    if not applied.is_confirmed and not dry_run:
        return max(code, Exit.INVALID)
    return max(code, _do_host(applied.planned, target.host, yes=yes, dry_run=dry_run))


def _confirmed(applied: Proposal, *, verbose: bool, yes: bool, dry_run: bool) -> bool:
    """Print the changes; return whether to write, which a user at a terminal decides."""
    print_changes(applied.zones, applied.objects, whole=verbose, columns=verbose, fold=not verbose)
    if dry_run or not applied.is_empty:
        click.echo(closing_line(applied.zones, applied.objects, applied.planned.unplanned))
    if dry_run:
        return False
    return applied.is_empty or _agreed(yes=yes)


def _agreed(*, yes: bool) -> bool:
    if yes or not at_terminal():
        return True
    answer = click.prompt("Apply these changes? Only yes applies them", default="no", show_default=False, err=True)
    return str(answer).strip().lower() == "yes"


def at_terminal() -> bool:
    """Whether a person can read a question and answer it."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _do_host(planned: PlannedManifests, node: str | None, *, yes: bool, dry_run: bool) -> int:
    """Apply to this machine, or compare it, if it is a node, and return the exit code."""
    if node is None:
        return Exit.OK
    desired = with_unused(planned, node)
    if dry_run or (at_terminal() and not yes):
        state = compare_host(desired, node)
        print_host(state, "differ")
        if dry_run or not state.operations:
            return state.exit_of_failures
        if not _agreed(yes=yes):
            click.echo("Nothing was applied to this machine.")
            return Exit.INVALID
    state = apply_host(desired, node)
    print_host(state, "changed")
    return state.exit_of_failures


def _conclude(applied: Proposal, *, verbose: bool) -> int:
    """Print what was done, notes and errors, and return the exit code.

    "no changes" requires that no node failed, because the changes of a failed node are unknown.
    """
    done = done_line(applied.zones, applied.objects)
    if applied.is_confirmed and not (applied.failures and done == NO_CHANGES):
        click.echo("; ".join(filter(None, (done, unplanned_text(applied.planned.unplanned)))))
    elif not applied.is_confirmed:
        click.echo("Nothing was applied.")
    print_foreign(applied.foreign)
    print_remarks(applied.planned, verbose=verbose)
    return print_failures(applied.failures) or (Exit.OK if applied.planned.is_whole else Exit.INVALID)
