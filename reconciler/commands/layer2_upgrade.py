"""`ovnguard-reconciler layer2-upgrade`: which nodes use transit routers, and which can change next, from manifests."""

import copy
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import click

from ovnguard.reconciler.commands.grouped import ReconcilerCommand
from ovnguard.reconciler.commands.manifests import ManifestOptions, Manifests, with_manifests
from ovnguard.reconciler.commands.options import check_node
from ovnguard.reconciler.commands.output import closing_line, print_changes, print_remarks
from ovnguard.reconciler.commands.planned_manifests import PlannedManifests, plan_manifests
from ovnguard.reconciler.commands.proposed import plan_change
from ovnguard.reconciler.plan.numbers.layer2_addresses import TRANSIT_ROUTER_VERSION
from ovnguard.reconciler.plan.render.changes import ZoneChange
from ovnguard.reconciler.plan.topology.layer2_upgrade import Standing, standing_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.layer2_pods import layer2_pods
from ovnguard.validators.network.cluster_view import NODE, ObjectsView
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.declared.node import TOPOLOGY_VERSION, node_of
from ovnguard.validators.network.list_text import counted

_EPILOG: Final = """\b
Examples:
  ovnguard-reconciler layer2-upgrade -f live/ --nodes live/
  ovnguard-reconciler layer2-upgrade -f live/ --nodes live/ --node worker-b   what the change of this node changes
  kubectl get nodes,pods,namespaces,clusteruserdefinednetworks,userdefinednetworks,net-attach-def -A -o yaml |
      ovnguard-reconciler layer2-upgrade -f - --nodes -

\b
Exit codes: 0 ok, 1 a network was refused or cannot be planned, 2 wrong call or input that cannot be read, 3 an internal
error.
"""
_STATES: Final = {True: "transit router", False: "before transit routers"}


@click.command(
    "layer2-upgrade", cls=ReconcilerCommand, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]}
)
@with_manifests
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text")
@click.option("--node", metavar="NAME", help="Show the rows that the change of this node changes, in every zone.")
@click.option("-v", "--verbose", is_flag=True, help="List every row.")
@click.version_option(package_name="ovnguard")
def command(inputs: ManifestOptions, output: str, node: str | None, verbose: bool) -> int:
    """Print how far the nodes have come with the Layer2 topology of transit routers, and what keeps the others.

    A node changes as a whole, when none of its pods is on a primary Layer2 network; nothing is written.
    """
    manifests = inputs.read()
    check_node(node, manifests.node_names, "--node")
    zones: Sequence[ZoneChange] = ()
    if node is None:
        planned = plan_manifests(manifests, {})
    else:
        planned, zones = plan_change(manifests, _with_upgraded(manifests, node), None)
    found = _standings(manifests, planned)
    if output == "json":
        click.echo(json.dumps(_as_json(found, zones, planned), indent=2))
        return Exit.INVALID if planned.errors else Exit.OK
    click.echo(_as_text(found), nl=False)
    if node is not None:
        click.echo()
        print_changes(zones, whole=verbose, fold=not verbose)
        click.echo(closing_line(zones))
    print_remarks(planned, verbose=verbose)
    return Exit.INVALID if planned.errors else Exit.OK


def _standings(manifests: Manifests, planned: PlannedManifests) -> Sequence[Standing]:
    """Where each node is, by name."""
    view = ObjectsView([document.value for document in manifests.documents])
    inventory = inventory_of(view)
    networks = planned.desired.judged.ready
    keyed = {network.name for network in networks if network.tunnel_keys}
    nodes = sorted(manifests.nodes, key=lambda node: node.name)
    return [standing_of(node, networks, keyed, layer2_pods(inventory, node.name)) for node in nodes]


def _with_upgraded(manifests: Manifests, node: str) -> Manifests:
    """The manifests as they are when the zone of ``node`` has recorded its change."""

    def changed(document: Document) -> Document:
        if group_kind_of(document.value) != NODE or document.value["metadata"]["name"] != node:
            return document
        value: JsonObject = copy.deepcopy(document.value)
        annotations = value["metadata"].get("annotations") or {}
        value["metadata"]["annotations"] = {**annotations, TOPOLOGY_VERSION: TRANSIT_ROUTER_VERSION}
        return document._replace(value=value)

    documents = tuple(map(changed, manifests.documents))
    parsed = tuple((each, node_of(each.value)) for each in documents if group_kind_of(each.value) == NODE)
    return replace(manifests, documents=documents, parsed=parsed)


def _next(standing: Standing) -> str:
    """What has to happen now."""
    if standing.upgraded:
        return ""
    return "; ".join(standing.reasons) or "changes as soon as its zone's process runs"


def _as_text(found: Sequence[Standing]) -> str:
    width = max(len(each.node) for each in found)
    lines = [f"{each.node:{width}}  {_STATES[each.upgraded]:22}  {_next(each)}".rstrip() for each in found]
    done = sum(each.upgraded for each in found)
    verb = "uses" if done == 1 else "use"
    lines += ["", f"{done:,} of {counted(len(found), 'node')} {verb} transit routers."]
    if ready := [each.node for each in found if each.is_ready]:
        lines.append(f"Can change now: {', '.join(ready)}.")
    waiting = [each.node for each in found if each.reasons]
    if waiting and not ready:
        lines.append(f"Drain next: {waiting[0]}.")
    return "\n".join(lines) + "\n"


def _as_json(found: Sequence[Standing], zones: Sequence[ZoneChange], planned: PlannedManifests) -> JsonObject:
    nodes = [
        {"node": each.node, "upgraded": each.upgraded, "ready": each.is_ready, "reasons": list(each.reasons)}
        for each in found
    ]
    changes = {
        zone.node: {op: sum(each.op == op for each in zone.operations) for op in ("insert", "update", "delete")}
        for zone in zones
    }
    return {"nodes": nodes, "changes": changes, "notes": planned.all_notes, "errors": planned.errors}
