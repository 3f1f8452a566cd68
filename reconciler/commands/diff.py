"""`ovnguard-reconciler diff`: what `apply` would change in a folder of files, live databases or this machine."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Final

import click

from ovnguard.reconciler.apply.ovn.nbctl import nbctl_script
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.apply.zone_store import ZoneStore
from ovnguard.reconciler.commands.grouped import ReconcilerCommand
from ovnguard.reconciler.commands.host_state import (
    HostState,
    compare_host,
    print_host,
    print_host_remarks,
    with_kernel_routes,
)
from ovnguard.reconciler.commands.manifests import ManifestOptions, with_manifests
from ovnguard.reconciler.commands.options import Target, with_target
from ovnguard.reconciler.commands.output import (
    closing_line,
    objects_diff_to_json,
    print_changes,
    print_failure,
    print_failures,
    print_foreign,
    print_remarks,
)
from ovnguard.reconciler.commands.page_content import Changes, change_page, store_findings
from ovnguard.reconciler.commands.planned_manifests import plan_manifests
from ovnguard.reconciler.commands.targets import Planner, Proposal, changes_of_databases, changes_of_files, closing_all
from ovnguard.reconciler.commands.unused_rows import with_unused
from ovnguard.reconciler.plan.host.host_diff import host_as_text
from ovnguard.reconciler.plan.render.as_json import operation_to_json
from ovnguard.reconciler.plan.render.page import Block
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.commandline.program import Exit

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler diff -f networks/ --nodes nodes/ --nb-db worker-a=unix:/var/run/ovn/ovnnb_db.sock
  ovnguard-reconciler diff -f networks/ --nodes nodes/ --store state/ -o nbctl > change.sh
  ovnguard-reconciler diff -f networks/ --nodes nodes/ --store state/ -o html > diff.html

\b
Exit codes: 0 no difference, 1 differences, or a network that was refused or cannot be planned, 2 wrong call or input
that cannot be read, 3 a database cannot be reached, or an internal error.
"""


def _moved(_: click.Context, __: click.Parameter, given: bool) -> None:
    if given:
        raise click.UsageError("diff --audit is now `ovnguard-reconciler audit`, with the same -f, --nodes and --nb-db")


@click.command("diff", cls=ReconcilerCommand, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_manifests
@with_target("compare with", "Folder of files.")
@click.option("--audit", is_flag=True, hidden=True, expose_value=False, callback=_moved)
@click.option("-o", "--output", type=click.Choice(["text", "json", "nbctl", "html"]), default="text")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="List the rows of every node, the columns of new ones, and every rule that was not checked.",
)
@click.version_option(package_name="ovnguard")
def command(inputs: ManifestOptions, target: Target, output: str, verbose: bool) -> int:
    """Show what apply would change; nothing is written, and no lock is taken.

    Nodes whose changes differ only by their names and addresses are one entry; -v lists the rows of each.
    -o nbctl prints a shell script of ovn-nbctl commands that do the same as apply; -o html is one page, with pictures
    of the plan of the compared nodes. Rows of other writers do not count; `audit` compares those, too.
    """
    manifests = inputs.read()
    target.check_nodes(manifests.node_names)
    try:
        compared = _compared(partial(plan_manifests, with_kernel_routes(manifests, target.host)), target)
    except StoreError as error:
        return print_failure(error)
    state = None if target.host is None else compare_host(with_unused(compared.planned, target.host), target.host)
    _print(compared, state, output, verbose=verbose)
    return max(_conclude(compared, verbose=verbose), Exit.OK if state is None else state.exit_of_comparison)


def _compared(plan: Planner, target: Target) -> Proposal:
    folder = target.file_store()
    if folder is not None:
        return changes_of_files(plan, folder)
    stores: Mapping[str, ZoneStore] = target.databases(exclusive=False)
    with closing_all(stores):
        return changes_of_databases(plan, stores)


def _print(compared: Proposal, state: HostState | None, output: str, *, verbose: bool) -> None:
    shown = {zone.node for zone in compared.zones}
    zones = [zone for zone in compared.planned.plan.zones if zone.node in shown]
    if output == "json":
        click.echo(json.dumps(_as_json(compared, state), indent=2))
    elif output == "html":
        others = list(store_findings(compared.foreign, compared.failures))
        host = [] if state is None else [Block(f"host {state.node}", host_as_text(state.operations).splitlines())]
        about = Changes("Difference from the plan", compared.zones, compared.objects, others, host)
        click.echo(change_page(compared.planned, about, zones, partial(_as_json, compared, state)))
    elif output == "nbctl":
        for zone in compared.zones:
            click.echo(f"# ---- node {zone.node}\n{nbctl_script(zone.operations, zone.observed)}", nl=False)
    elif compared.zones or compared.failures or state is None:
        # a machine has no rows
        print_changes(compared.zones, compared.objects, whole=True, columns=verbose, fold=not verbose)
        click.echo(closing_line(compared.zones, compared.objects, compared.planned.unplanned))
    if state is not None and output == "text":
        print_host(state, "differ")
    elif state is not None:
        print_host_remarks(state)


def _as_json(compared: Proposal, state: HostState | None) -> JsonObject:
    nodes = {zone.node: [operation_to_json(each) for each in zone.operations] for zone in compared.zones}
    hosts = {} if state is None else {"hosts": {state.node: [str(each) for each in state.operations]}}
    objects = {} if compared.objects is None else {"objects": objects_diff_to_json(compared.objects)}
    return {"nodes": nodes, **objects, **hosts, "errors": compared.planned.errors}


def _conclude(compared: Proposal, *, verbose: bool) -> int:
    print_foreign(compared.foreign)
    print_remarks(compared.planned, verbose=verbose)
    return print_failures(compared.failures) or (
        Exit.OK if compared.is_empty and compared.planned.is_whole else Exit.INVALID
    )
