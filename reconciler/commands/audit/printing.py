"""The report of an audit in every format: a first screen, then each node."""

import json
from collections.abc import Iterator
from importlib.metadata import version
from typing import Final

import click

from ovnguard.reconciler.commands.audit.findings import PROGRAM, findings_report, requirement
from ovnguard.reconciler.commands.audit.report import AuditReport
from ovnguard.reconciler.commands.audit.stated import release_note
from ovnguard.reconciler.commands.audit.zone_texts import audit_as_json, audit_as_lines, headline, line_mark
from ovnguard.reconciler.commands.output import echo_lines, print_failures, print_findings
from ovnguard.reconciler.commands.page_content import audit_page, findings_of, store_findings, unchecked_of
from ovnguard.reconciler.plan.comparison.audit import ZoneAudit
from ovnguard.reconciler.plan.comparison.row_differences import printable
from ovnguard.reconciler.plan.inputs.cluster_options import may_explain_drift
from ovnguard.reconciler.plan.render.as_text import Line, titled_nodes
from ovnguard.reconciler.plan.render.folding import FoldedText, folded_texts
from ovnguard.reconciler.plan.render.page import Finding
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.network.list_text import counted
from ovnguard.validators.report import as_junit, as_sarif

FORMATS: Final = ("text", "json", "html", "sarif", "junit")
_HALF: Final = 50


def print_report(report: AuditReport, output: str, *, strict: bool) -> int:
    """Print a report in one of the `FORMATS`, and return the exit code."""
    if output == "json":
        click.echo(json.dumps(_as_json(report), indent=2))
    elif output == "html":
        click.echo(_page(report))
    elif output == "sarif":
        click.echo(
            as_sarif.render(findings_report(report, graded=True), requirement, version("ovnguard"), PROGRAM), nl=False
        )
    elif output == "junit":
        click.echo(as_junit.render(findings_report(report, graded=False), PROGRAM), nl=False)
    else:
        echo_lines(_as_lines(report))
    print_findings(report.notes, report.errors, [each for _, each in report.unchecked])
    too_little = strict and report.judged < _HALF
    code = print_failures(report.failures)
    return code or (Exit.OK if report.is_as_planned and not too_little else Exit.INVALID)


def _summary(report: AuditReport) -> Iterator[str]:
    """The first screen."""
    release = f"release {report.release}" if report.release else "no object names the release"
    counts = (
        counted(len(report.nodes), "node"),
        counted(len(report.networks), "network"),
        counted(len(report.zones), "Northbound database"),
    )
    yield f"{report.place}: {release}; {', '.join(counts)}"
    equal, explained = (sum(each) for each in zip((0, 0), *map(_counts, report.zones.values()), strict=True))
    yield (
        f"{counted(equal, 'row')} as planned, {counted(explained, 'difference')} explained, {len(report.drifts):,} "
        f"without a rule, {report.unjudged:,} not judged"
    )
    yield from filter(None, [release_note(report.release)])
    yield from may_explain_drift(report.options)
    yield from (f"  {each.severity.name.lower()}: {each.sentence}" for each in report.worst)
    yield from (f"  packets: {text}" for text in report.packets)


def _counts(zone: ZoneAudit) -> tuple[int, int]:
    return zone.equal, zone.explained


def _share(report: AuditReport) -> str:
    return f"{report.judged} % of the rows were judged."


def _by_node(report: AuditReport) -> list[FoldedText]:
    zones = report.zones.items()
    return folded_texts({node: [headline(each), *(line.text for line in audit_as_lines(each))] for node, each in zones})


def _as_lines(report: AuditReport) -> Iterator[Line]:
    yield from map(Line, map(printable, _summary(report)))
    for nodes, (headed, *lines) in _by_node(report):
        yield Line(f"{titled_nodes(nodes)}: {headed}")
        yield from (Line(text, line_mark(text)) for text in lines)
    yield Line(_share(report))


def _as_json(report: AuditReport) -> JsonObject:
    return {
        "release": report.release,
        "releaseIsCompared": not release_note(report.release),
        "worst": [{"severity": each.severity.name.lower(), "text": each.sentence} for each in report.worst],
        "packets": list(report.packets),
        "nodes": {node: audit_as_json(zone) for node, zone in report.zones.items()},
        "judgedPercent": report.judged,
        "mayExplainDrift": list(report.options),
        "errors": report.errors,
    }


def _page(report: AuditReport) -> str:
    findings = [*findings_of(report.notes, report.errors), *store_findings({}, report.failures)]
    findings += [Finding("note", text) for text in may_explain_drift(report.options)]
    summary = [text.strip() for text in (*_summary(report), _share(report))]
    unchecked = unchecked_of(tuple(report.unchecked))
    return audit_page(summary, findings, unchecked, _by_node(report), report.pictures, _as_json(report))
