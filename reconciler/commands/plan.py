"""`ovnguard-reconciler plan`: the desired content of every zone, from manifests, without a cluster."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import click

from ovnguard.reconciler.apply.files.file_store import FileStore
from ovnguard.reconciler.apply.files.object_file import StoredChanges
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.commands.grouped import ReconcilerCommand
from ovnguard.reconciler.commands.host_state import host_to_json, hosts_as_text, planned_host
from ovnguard.reconciler.commands.manifests import ManifestOptions, Manifests, with_manifests
from ovnguard.reconciler.commands.options import PATH, check_node
from ovnguard.reconciler.commands.output import (
    closing_line,
    echo_lines,
    objects_diff_to_json,
    print_changes,
    print_failure,
    print_remarks,
    print_zones,
)
from ovnguard.reconciler.commands.page_content import Changes, change_page, picture_facts
from ovnguard.reconciler.commands.planned_manifests import PlannedManifests, plan_manifests, unallocated
from ovnguard.reconciler.commands.proposed import plan_change, with_change
from ovnguard.reconciler.commands.targets import changes_in, object_changes_in, planned_over, zone_change
from ovnguard.reconciler.plan.render.as_json import (
    guesses_to_json,
    mark_guesses,
    objects_as_yaml,
    routing_to_json,
    zones_to_json,
)
from ovnguard.reconciler.plan.render.as_text import routing_as_lines, unplanned_text
from ovnguard.reconciler.plan.render.changes import ZoneChange
from ovnguard.reconciler.plan.render.pictures import whole_picture
from ovnguard.reconciler.plan.rows.row import ZonePlan
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.network.list_text import shortlist

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler plan -f networks/ --nodes nodes/
  ovnguard-reconciler plan -f networks/ --nodes nodes/ -o html > plan.html    one page, with pictures
  ovnguard-reconciler plan -f networks/ --nodes nodes/ -o svg > plan.svg      its picture alone
  ovnguard-reconciler plan -f networks/ --nodes nodes/ --node worker-a -o frr > frr.conf
  ovnguard-reconciler plan -f networks/ --nodes nodes/ --node worker-a -o host   what the node itself should contain
  ovnguard-reconciler plan -f networks/ --nodes nodes/ --node worker-a -o nbctl   as commands for an empty database
  ovnguard-reconciler plan -f networks/ --nodes nodes/ -o yaml    the objects that make routes, without passwords
  ovnguard-reconciler plan -f networks/ --nodes nodes/ --store state/    what apply would change
  ovnguard-reconciler plan -f live/ --nodes live/ --change blue.yaml   what a new or changed object would change

\b
Exit codes: 0 ok, 1 a network was refused or is not planned, 2 wrong call or input that cannot be read: a manifest, a
file of --store that is not one of a store, a folder of the wrong kind or without permission; 3 an internal error.
"""
_OUTPUTS: Final = ("text", "json", "yaml", "nbctl", "svg", "frr", "host", "html")
# What goes to a database or a node contains no guesses.
_EXACT: Final = ("nbctl", "frr", "host")


@click.command("plan", cls=ReconcilerCommand, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@with_manifests
@click.option("-o", "--output", type=click.Choice(_OUTPUTS), default="text")
@click.option("--node", metavar="NAME", help="Plan the zone of this node only.")
@click.option("--store", type=PATH, metavar="DIR", help="Show the difference from this folder.")
@click.option(
    "--change",
    multiple=True,
    metavar="PATH",
    help="Show the difference that these objects make, new or in place of those of -f. Repeatable.",
)
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="List the rows of every node, the columns of new ones, and every rule that was not checked.",
)
@click.version_option(package_name="ovnguard")
def command(
    inputs: ManifestOptions, output: str, node: str | None, store: Path | None, change: tuple[str, ...], verbose: bool
) -> int:
    """Print what every node's zone should contain; nothing is written.

    Networks that are refused are reported and not planned. A Layer3 network of which no node has subnets gets the next
    free ones, marked (guess), but not with --store, -o nbctl, -o frr or -o host. PATH is a file, a folder or -. Rows
    are counted by table; -v and --node list them, and so do --store and --change when few change.
    """
    if change and store is not None:
        raise click.UsageError("--change compares with the plan of -f, not with --store")
    manifests = replace(inputs.read(), guesses=store is None and output not in _EXACT)
    check_node(node, manifests.node_names, "--node")
    if output == "nbctl" and (store is not None or change):
        raise click.UsageError(
            "-o nbctl prints commands for empty databases; use `diff --store DIR -o nbctl` to compare"
        )
    changed = with_change(manifests, change) if change else None
    if not manifests.has_networks:
        click.echo(f"warning: {inputs.no_networks}", err=True)
    try:
        planned, zones = _planned(manifests, changed, store, node)
        # the plan of one node has only that node's part of the objects
        objects = object_changes_in(FileStore(store), planned) if store is not None and node is None else None
    except StoreError as error:
        return print_failure(error)
    value = partial(_as_json, planned, zones, objects)
    if output == "json":
        click.echo(json.dumps(value(), indent=2))
    elif output == "html":
        about = Changes("Plan of OVN-Kubernetes networks", zones, objects)
        click.echo(change_page(planned, about, planned.plan.zones, value))
    elif output == "svg":
        click.echo(whole_picture(planned.plan.zones, picture_facts(planned, zones)))
    elif output == "text":
        print_changes(zones, objects, whole=verbose or node is not None, columns=verbose, fold=not verbose)
        errors, counting = [str(each["message"]) for each in planned.errors], store is None and changed is None
        echo_lines(routing_as_lines(planned.plan.routing, errors, counting=counting))
        click.echo(closing_line(zones, objects, planned.unplanned))
    else:
        _print_file(output, planned, zones, one=node is not None)
    if output not in ("json", "html"):
        print_remarks(planned, verbose=verbose)
    return Exit.OK if planned.is_whole else Exit.INVALID


def _print_file(output: str, planned: PlannedManifests, zones: Sequence[ZoneChange], *, one: bool) -> None:
    """Print a form that other programs read. The part of ``one`` zone has no heading."""
    if output == "yaml":
        click.echo(objects_as_yaml(planned.plan.routing, planned.guesses), nl=False)
    elif output == "host":
        click.echo(hosts_as_text(planned.desired, tuple(zone.node for zone in zones)), nl=False)
    else:
        print_zones(output, planned, one=one)
    lacking = unallocated(planned) if output in _EXACT else ()
    if lacking:
        reason = f"-o {output} contains no guesses, and no node has host subnets of {shortlist(lacking)}"
        click.echo(f"note: {unplanned_text(lacking)}: {reason}", err=True)


def _as_json(planned: PlannedManifests, zones: Sequence[ZoneChange], objects: StoredChanges | None) -> JsonObject:
    planned_zones = {zone.node: zone for zone in planned.plan.zones}
    plans = [planned_zones.get(zone.node, ZonePlan(zone.node, (), "")) for zone in zones]
    hosts = {zone.node: host_to_json(planned_host(planned.desired, zone.node)) for zone in zones}
    operations = {zone.node: zone.operations for zone in zones}
    value = {**zones_to_json(plans, operations, hosts), **routing_to_json(planned.plan.routing)}
    if objects is not None:
        value["objects"] = objects_diff_to_json(objects)
    for node, zone in value["nodes"].items():
        zone["left_out"] = planned.desired.left_out_on(node).as_json()
    mark_guesses(value, zones)
    found = {"guessed": guesses_to_json(planned.guesses), "not_planned": list(planned.unplanned)}
    return {**value, **found, "notes": planned.all_notes, "errors": planned.errors}


def _planned(
    manifests: Manifests, changed: Manifests | None, store: Path | None, node: str | None
) -> tuple[PlannedManifests, Sequence[ZoneChange]]:
    """The plan, and the changes of ``store``, of the plan before ``changed``, or of nothing."""
    if changed is not None:
        return plan_change(manifests, changed, node)
    wanted = None if node is None else (node,)
    if store is not None:
        folder = FileStore(store)
        planned = planned_over(folder, lambda held: plan_manifests(manifests, held, wanted))
        return planned, changes_in(folder, planned, node)
    planned = plan_manifests(manifests, {}, wanted)
    return planned, [zone_change(planned, zone.node, (), zone.rows, ("", zone.frr)) for zone in planned.plan.zones]
