"""`-o html`: what `plan` and `diff` say, as one page."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ovnguard.reconciler.apply.files.object_file import StoredChanges
from ovnguard.reconciler.apply.foreign_rows import ForeignRow
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.commands.output import closing_line, foreign_notes, object_lines
from ovnguard.reconciler.commands.planned_manifests import PlannedManifests
from ovnguard.reconciler.plan.render.as_json import changes_to_json
from ovnguard.reconciler.plan.render.as_text import node_list, routing_as_lines, titled_nodes
from ovnguard.reconciler.plan.render.changes import ZoneChange, frr_changes, network_changes
from ovnguard.reconciler.plan.render.folding import FoldedText
from ovnguard.reconciler.plan.render.page import Block, Finding, Page, page_as_html
from ovnguard.reconciler.plan.render.pictures import Facts, Pictures, inserted_rows, pictures
from ovnguard.reconciler.plan.rows.row import ZonePlan
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.unchecked import Unchecked, summary
from ovnguard.validators.network.list_text import counted

# Up to this number of changes, a page has the columns of new rows.
MOST_WITH_COLUMNS: Final = 5000
MOST_ROWS: Final = 20_000


@dataclass(frozen=True, slots=True)
class Changes:
    """What a page is about: the changes of zones, of stored ``objects`` and of this machine, and other findings."""

    title: str
    zones: Sequence[ZoneChange]
    objects: StoredChanges | None = None
    others: Sequence[Finding] = ()
    host: Sequence[Block] = ()


def change_page(
    planned: PlannedManifests, changes: Changes, plans: Sequence[ZonePlan], value: Callable[[], JsonObject]
) -> str:
    """Return a page about what changes, with pictures of ``plans``.

    ``value`` makes the JSON behind a page of up to `MOST_ROWS` changes; that of a larger one is what the page shows.
    """
    # a page shows the addresses of every node: it has no -v
    zones, objects = [replace(zone, own=()) for zone in changes.zones], changes.objects
    rows = sum(len(zone.operations) for zone in zones)
    networks = network_changes(zones, most=None, columns_of_new=rows <= MOST_WITH_COLUMNS)
    frr = frr_changes(zones)
    errors = [str(each["message"]) for each in planned.errors]
    drawn = pictures(plans, picture_facts(planned, changes.zones))
    page = Page(
        title=changes.title,
        summary=(closing_line(zones, objects, planned.unplanned), _nodes_text([zone.node for zone in zones])),
        findings=(*findings_of(planned.notes, planned.errors), *changes.others),
        unchecked=unchecked_of(planned.unchecked),
        networks=networks,
        overview=drawn.whole,
        pictures=drawn.networks,
        frr=[Block(f"FRR configuration of {node_list(each.nodes, whole=True)}", each.lines) for each in frr],
        host=changes.host,
        objects=_object_blocks(planned, objects, errors),
        json=json.dumps(value() if rows <= MOST_ROWS else changes_to_json(networks, frr), indent=2),
    )
    return page_as_html(page)


def audit_page(
    summary: Sequence[str],
    findings: Sequence[Finding],
    unchecked: Sequence[str],
    found: Sequence[FoldedText],
    drawn: Pictures | None,
    value: JsonObject,
) -> str:
    """Return a page about an audit; the first line of each text is its headline."""
    page = Page(
        title="Audit of OVN-Kubernetes zones",
        summary=[*summary, *(f"{titled_nodes(nodes)}: {lines[0]}" for nodes, lines in found)],
        findings=findings,
        unchecked=unchecked,
        networks=None,
        overview=drawn.whole if drawn else None,
        pictures=drawn.networks if drawn else {},
        audits=[
            Block(f"{titled_nodes(nodes, whole=True)}: {lines[0]}", lines[1:]) for nodes, lines in found if lines[1:]
        ],
        json=json.dumps(value, indent=2),
    )
    return page_as_html(page)


def picture_facts(planned: PlannedManifests, zones: Iterable[ZoneChange] = ()) -> Facts:
    """Return what pictures of a plan show besides its rows: ``zones`` say which rows are new."""
    new = inserted_rows((zone.node, zone.operations) for zone in zones)
    return Facts(planned.guesses, planned.namespaces(), new)


def findings_of(notes: Iterable[str], errors: Iterable[JsonObject]) -> Iterator[Finding]:
    """Yield errors, then notes; an error ends with the id of the rule that refuses, if one does."""
    for error in errors:
        field = f"{error['field']}: " if error["field"] else ""
        place = f"{error['file']}:{error['line']}:{error['column']}"
        yield Finding("error", f"{field}{error['message']}", place, str(error["rule"]))
    yield from (Finding("note", note) for note in notes)


def unchecked_of(unchecked: Sequence[tuple[str, Unchecked]]) -> list[str]:
    """Return a line about all rules that were not checked, then one line for each, with the name of its network."""
    if not unchecked:
        return []
    whole = summary([each for _, each in unchecked])
    return [whole, *(f"network {name}: {each.text}" for name, each in unchecked)]


def store_findings(
    foreign: Mapping[str, Sequence[ForeignRow]], failures: Mapping[str, StoreError]
) -> Iterator[Finding]:
    """Yield errors of nodes, and notes about rows of other writers."""
    yield from (Finding("error", f"node {node}: {failure}") for node, failure in failures.items())
    yield from (Finding("note", text) for text in foreign_notes(foreign))


def _nodes_text(nodes: Sequence[str]) -> str:
    return (
        f"{counted(len(nodes), 'node')} compared: {node_list(nodes, whole=True)}." if nodes else "No node is planned."
    )


def _object_blocks(planned: PlannedManifests, objects: StoredChanges | None, errors: Iterable[str]) -> list[Block]:
    changes = [line.text for line in object_lines(objects, whole=True)] if objects else []
    routing = [line.text for line in routing_as_lines(planned.plan.routing, errors)]
    blocks = (Block("Changes of stored objects", changes), Block("Objects that make routes", routing))
    return [block for block in blocks if block.lines]
