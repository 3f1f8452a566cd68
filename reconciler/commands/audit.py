"""`--audit` of `diff` and `verify`: zones that OVN-Kubernetes maintains next to the plan. Nothing is written."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Final

import click

from reconciler.apply.store_errors import StoreError
from reconciler.commands.manifests import Manifests
from reconciler.commands.options import Target
from reconciler.commands.output import echo_lines, print_failures, print_remarks
from reconciler.commands.page_content import audit_page, store_findings
from reconciler.commands.picture_program import pictures
from reconciler.commands.planned_manifests import plan_manifests
from reconciler.plan.comparison.audit import NetworkAudit, ZoneAudit
from reconciler.plan.comparison.row_differences import Difference, Side, printable
from reconciler.plan.inputs.cluster_options import may_explain_drift
from reconciler.plan.render.as_text import Line, Mark, column_text, titled_nodes
from reconciler.plan.render.changes import ColumnChange, folded_texts
from reconciler.plan.render.page import Finding
from reconciler.plan.rows.row import Row
from reconciler.plan.zone_audit import audit_zone, expired_networks
from validators.base.json_types import JsonObject
from validators.commandline.program import Exit
from validators.network.list_text import counted

AuditOption = click.option(
    "--audit",
    "is_audit",
    is_flag=True,
    help="Compare a zone that OVN-Kubernetes maintains: all rows and columns, whoever wrote them.",
)
_WORDS: Final[Mapping[Side, str]] = {Side.PLANNED: "missing", Side.OBSERVED: "foreign", Side.BOTH: "changed"}
_SIGNS: Final[Mapping[Side, str]] = {Side.PLANNED: "-", Side.OBSERVED: "+", Side.BOTH: "~"}
_MARKS: Final = {"+ ": Mark.INSERT, "~ ": Mark.UPDATE, "- ": Mark.DELETE}


def check_audit(target: Target, output: str) -> None:
    """Raise click.UsageError for options that an audit does not have."""
    if target.store is not None or target.host is not None:
        other = "--store" if target.store is not None else "--host"
        raise click.UsageError(f"--audit compares live databases (--nb-db NODE=REMOTE), not {other}")
    if output not in ("text", "json", "html"):
        raise click.UsageError(f"--audit has no output {output}: text, json or html")


def audit_databases(manifests: Manifests, target: Target, output: str) -> int:
    """Compare the databases of ``target`` with the plan, print the result and return the exit code."""
    observed: dict[str, Sequence[Row]] = {}
    failures: dict[str, StoreError] = {}
    for node, store in target.databases(exclusive=False).items():
        with closing(store):
            try:
                observed[node] = store.read_everything()
            except StoreError as error:
                failures[node] = error
    planned = plan_manifests(manifests, {}, tuple(target.remotes))
    desired, now = planned.desired, datetime.now(UTC)
    found = {
        node: audit_zone(desired, node, rows, expired_networks(desired, node, now)) for node, rows in observed.items()
    }
    value: JsonObject = {"nodes": {node: audit_as_json(each) for node, each in found.items()}, "errors": planned.errors}
    value |= {"mayExplainDrift": list(planned.unplanned_options)}
    texts = {node: [headline(each), *(line.text for line in audit_as_lines(each))] for node, each in found.items()}
    if output == "json":
        click.echo(json.dumps(value, indent=2))
    elif output == "html":
        zones = [zone for zone in planned.plan.zones if zone.node in found]
        head = [Finding("note", text) for text in may_explain_drift(planned.unplanned_options)]
        others = [*head, *store_findings({}, failures)]
        click.echo(audit_page(planned, folded_texts(texts), pictures(zones), others, value))
    else:
        echo_lines(map(Line, may_explain_drift(planned.unplanned_options)))
        for nodes, (headed, *lines) in folded_texts(texts):
            click.echo(f"{titled_nodes(nodes)}: {headed}")
            echo_lines(Line(text, _mark(text)) for text in lines)
    print_zone_notes(observed)
    print_remarks(planned)
    is_as_planned = not planned.errors and all(each.is_as_planned for each in found.values())
    return print_failures(failures) or (Exit.OK if is_as_planned else Exit.INVALID)


def print_zone_notes(observed: Mapping[str, Sequence[Row]]) -> None:
    """Print a note for each database that names another zone than the node that it was given for."""
    for node, rows in observed.items():
        names = [str(row.columns.get("name", "")) for row in rows if row.table == "NB_Global"]
        for other in (name for name in names if name not in ("", node)):
            click.echo(f"note: node {node}: the database is that of zone {other}", err=True)


def audit_as_lines(found: ZoneAudit) -> Iterator[Line]:
    """Yield an audit for people."""
    if found.fault:
        yield Line(f"  drift: {found.fault}")
        return
    for each in found.networks:
        yield from _network_lines(each)
    counts = (("rows of other controllers", found.others), ("rows of networks that are not planned", found.unplanned))
    yield from (Line(f"  {title}: {_counted(numbers)}") for title, numbers in counts if numbers)


def audit_as_json(found: ZoneAudit) -> JsonObject:
    """Return an audit as a JSON value; rules are those of docs/rows.md."""
    networks: JsonObject = {
        each.network: {"drift": [_difference_json(drift) for drift in each.drift], "explained": dict(each.explained)}
        for each in found.networks
    }
    value: JsonObject = {"rowsAsPlanned": found.equal, "networks": networks}
    value |= {"otherControllers": dict(found.others), "unplannedNetworks": dict(found.unplanned)}
    value |= {"notCollected": dict(found.uncollected)} if found.uncollected else {}
    return value | ({"fault": found.fault} if found.fault else {})


def headline(found: ZoneAudit) -> str:
    """Return one line about a zone."""
    if found.fault:
        return "not compared"
    explained = sum(sum(each.explained.values()) for each in found.networks)
    drift = f"{counted(found.drift, 'difference')} without a rule" if found.drift else "no drift"
    return f"{counted(found.equal, 'row')} as planned, {counted(explained, 'difference')} explained, {drift}"


def _network_lines(found: NetworkAudit) -> Iterator[Line]:
    """Rows that one side has, and of rows of both the columns, from the observed to the planned value."""
    yield Line(f"  network {printable(found.network)}:")
    last = ""
    for each in found.drift:
        title = printable(f"{each.table} {each.identity}")
        word = "" if each.side is Side.BOTH else f": {_WORDS[each.side]}"
        if word or title != last:
            yield Line(f"    {_SIGNS[each.side]} {title}{word}")
        if each.side is Side.BOTH:
            change = ColumnChange(printable(each.column), printable(each.observed), printable(each.planned))
            yield Line(f"        {column_text(change)}")
        last = title
    if found.explained:
        yield Line(f"    explained by docs/rows.md: {_counted(found.explained)}")


def _mark(text: str) -> Mark:
    """The colour of a line by its sign."""
    return _MARKS.get(text[4:6], Mark.PLAIN)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{printable(name)} {count}" for name, count in sorted(counts.items()))


def _difference_json(each: Difference) -> JsonObject:
    value: JsonObject = {"difference": _WORDS[each.side], "table": each.table, "row": each.identity}
    if each.column:
        value["column"] = each.column
    sides = (("observed", Side.OBSERVED, each.observed), ("planned", Side.PLANNED, each.planned))
    return value | {key: text for key, side, text in sides if each.side in (Side.BOTH, side)}
