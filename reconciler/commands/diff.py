"""`ovnguard-reconciler diff`: what `apply` would change in a folder of files, live databases or this machine."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import click

from reconciler.apply.files.object_file import StoredChanges
from reconciler.apply.ovn.nbctl import nbctl_script
from reconciler.apply.store_errors import StoreError
from reconciler.apply.zone_store import ZoneStore
from reconciler.commands.audit import AuditOption, audit_databases, check_audit
from reconciler.commands.host_state import HostState, compare_host, print_host, print_host_remarks
from reconciler.commands.manifests import PlannedManifests, plan_manifests, read_manifests
from reconciler.commands.options import Target, with_inputs, with_target
from reconciler.commands.output import (
    objects_diff_as_text,
    objects_diff_to_json,
    print_failure,
    print_failures,
    print_remarks,
    print_unreadable,
)
from reconciler.commands.targets import Planner, differences, object_changes_in
from reconciler.plan.live_allocations import live_allocations
from reconciler.plan.render.as_json import operation_to_json
from reconciler.plan.render.as_text import operations_as_text
from reconciler.plan.render.mermaid import picture
from reconciler.plan.render.svg import drawing
from reconciler.plan.rows import Operation, Row
from reconciler.plan.settings import Settings
from validators.commandline.program import Exit

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler diff -f networks/ --nodes nodes/ --nb-db worker-a=unix:/var/run/ovn/ovnnb_db.sock
  ovnguard-reconciler diff -f networks/ --nodes nodes/ --store state/ -o nbctl > change.sh
  ovnguard-reconciler diff --audit -f cluster.yaml --nodes cluster.yaml --nb-db worker-a=ssl:10.0.0.2:6641 ...

\b
Exit codes: 0 no difference, 1 differences (with --audit: those without a rule in docs/rows.md), or a network that was
refused or cannot be planned, 2 wrong call or input that cannot be read, 3 a database cannot be reached, or an internal
error.
"""


@dataclass(slots=True)
class _Comparison:
    """Observed rows and the operations that bring them to the plan, by node; failed nodes have neither.

    ``objects`` are the changes of the objects in a store, None for databases.
    """

    planned: PlannedManifests
    observed: dict[str, Sequence[Row]] = field(default_factory=dict)
    operations: dict[str, Sequence[Operation]] = field(default_factory=dict)
    failures: dict[str, StoreError] = field(default_factory=dict)
    objects: StoredChanges | None = None


@click.command("diff", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_inputs
@with_target("compare with", "Folder of files.")
@AuditOption
@click.option("-o", "--output", type=click.Choice(["text", "json", "nbctl", "mermaid", "svg"]), default="text")
@click.version_option(package_name="ovnguard")
def command(
    files: tuple[str, ...],
    nodes: tuple[str, ...],
    no_cache: bool,
    settings: Settings,
    target: Target,
    is_audit: bool,
    output: str,
) -> int:
    """Show what apply would change; nothing is written, and no lock is taken.

    -o nbctl prints a shell script of ovn-nbctl commands that do the same as apply; -o mermaid and -o svg draw the plan
    of the compared nodes. With --audit, the rows of other writers count: see docs/audit.md.
    """
    if is_audit:
        check_audit(target, output)
    manifests = read_manifests(files, nodes, cached=not no_cache, settings=settings)
    if manifests.unreadable:
        return print_unreadable(manifests)
    target.check_nodes(manifests.node_names)
    if is_audit:
        return audit_databases(manifests, target, output)
    folder = target.file_store()
    if folder is not None:
        known = sorted({*manifests.node_names, *folder.nodes()})
        stores: Mapping[str, ZoneStore] = {node: folder.zone(node) for node in known}
    else:
        stores = target.databases(exclusive=False)
    try:
        compared = _compare(partial(plan_manifests, manifests), stores)
    finally:
        for each in stores.values():
            each.close()
    if folder is not None:
        try:
            compared.objects = object_changes_in(folder, compared.planned)
        except StoreError as error:
            return print_failure(error)
    state = None if target.host is None else compare_host(compared.planned.desired, target.host)
    _print(compared, state, output)
    return max(_conclude(compared), Exit.OK if state is None else state.exit_of_comparison)


def _compare(plan: Planner, stores: Mapping[str, ZoneStore]) -> _Comparison:
    observed: dict[str, Sequence[Row]] = {}
    failures: dict[str, StoreError] = {}
    for node, store in stores.items():
        try:
            observed[node] = store.read()
        except StoreError as error:
            failures[node] = error
    manifests = plan(live_allocations(row for rows in observed.values() for row in rows))
    compared = _Comparison(manifests, observed, {}, failures)
    planned = {zone.node: zone.rows for zone in compared.planned.plan.zones}
    gone = observed.keys() - compared.planned.node_names
    for node, rows in observed.items():
        if node in planned or node in gone:
            compared.operations[node] = differences(compared.planned, node, rows, planned.get(node, ()))
    return compared


def _print(compared: _Comparison, state: HostState | None, output: str) -> None:
    zones = [zone for zone in compared.planned.plan.zones if zone.node in compared.operations]
    if output == "json":
        nodes = {node: [operation_to_json(each) for each in steps] for node, steps in compared.operations.items()}
        hosts = {} if state is None else {"hosts": {state.node: [str(each) for each in state.operations]}}
        objects = {} if compared.objects is None else {"objects": objects_diff_to_json(compared.objects)}
        click.echo(json.dumps({"nodes": nodes, **objects, **hosts, "errors": compared.planned.errors}, indent=2))
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
        if compared.objects and output == "text":
            click.echo(objects_diff_as_text(compared.objects, whole=True), nl=False)
    if state is not None and output == "text":
        print_host(state, "differ")
    elif state is not None:
        print_host_remarks(state)


def _conclude(compared: _Comparison) -> int:
    print_remarks(compared.planned)
    differ = compared.planned.errors or any(compared.operations.values()) or compared.objects
    return print_failures(compared.failures) or (Exit.INVALID if differ else Exit.OK)
