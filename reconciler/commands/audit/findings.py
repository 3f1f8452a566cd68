"""An audit as findings, for the formats that other tools read: one subject for each node."""

from collections.abc import Iterator
from typing import Final

from ovnguard.reconciler.commands.audit.report import AuditReport
from ovnguard.reconciler.plan.comparison.row_differences import Difference, Side
from ovnguard.reconciler.plan.comparison.severities import Severity as Drift
from ovnguard.reconciler.plan.comparison.severities import meaning_of
from ovnguard.validators.report.findings import BAD_INPUT, Finding, Report, Severity, Subject

PROGRAM: Final = "ovnguard-reconciler"
_WORDS: Final = {Side.PLANNED: "missing", Side.OBSERVED: "foreign", Side.BOTH: "changed"}
_GRADES: Final = {Drift.MEDIUM: Severity.WARNING, Drift.LOW: Severity.NOTE}


def requirement(rule: str) -> str:
    """Return what the rule with an id (``ACL-missing``) requires."""
    table, _, word = rule.rpartition("-")
    return f"no row of {table} is {word}" if table else ""


def findings_report(report: AuditReport, *, graded: bool) -> Report:
    """Return an audit as a report of findings. ``graded``: a drift of less severity is a warning or a note, not an
    error.
    """
    subjects = {node: Subject(report.place, 1, "Node", "", node) for node in (*report.zones, *report.failures)}
    found = (*_drifts(report, subjects, graded), *_faults(report, subjects))
    errors = sum(each.severity is Severity.ERROR for each in found)
    warnings = sum(each.severity is Severity.WARNING for each in found)
    return Report(1, len(subjects), errors, warnings, found, judged=tuple(subjects.values()))


def _drifts(report: AuditReport, subjects: dict[str, Subject], graded: bool) -> Iterator[Finding]:
    for node, each in report.drifts:
        meaning = meaning_of(each, node)
        severity = _GRADES.get(meaning.severity, Severity.ERROR) if graded else Severity.ERROR
        text = f"{meaning.severity.name.lower()}: {meaning.sentence}{_column(each)}"
        yield _finding(subjects[node], "Drift", text, f"{each.table}-{_WORDS[each.side]}", severity)


def _column(each: Difference) -> str:
    return f" ({each.column}: {each.observed or '(none)'} -> {each.planned or '(none)'})" if each.column else ""


def _faults(report: AuditReport, subjects: dict[str, Subject]) -> Iterator[Finding]:
    """Zones that were not compared, and databases that cannot be read."""
    for node, zone in report.zones.items():
        if zone.fault:
            yield _finding(subjects[node], "Drift", zone.fault, "", Severity.ERROR)
    for node, failure in report.failures.items():
        yield _finding(subjects[node], BAD_INPUT, str(failure), "", Severity.ERROR)


def _finding(subject: Subject, reason: str, text: str, rule: str, severity: Severity) -> Finding:
    return Finding(subject, 1, 1, "", reason, text, rule, severity)
