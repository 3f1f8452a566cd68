"""The report for people: one finding per line, with file and line first, so that editors can open it."""

from collections.abc import Iterator

from validators.base.unchecked import summary
from validators.report.findings import Finding, Report, Severity

_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}


def render(report: Report, *, colour: bool, quiet: bool = False, verbose: bool = False) -> str:
    """Return the report as text, each line with a line end; ``colour`` adds ANSI colours.

    The lines after the findings count them and the rules that were not checked. ``quiet`` omits both lines; ``verbose``
    omits only the second, because it lists the unchecked rules among the findings.
    """
    lines = [_line(finding, colour=colour) for finding in report.findings]
    if not quiet:
        lines.append(", ".join(_counts(report)))
        if report.unchecked and not verbose:
            lines.append(f"{summary(report.unchecked)} (-v lists them)")
    return "".join(f"{line}\n" for line in lines)


def _line(finding: Finding, *, colour: bool) -> str:
    severity = finding.severity.value
    if colour:
        severity = f"\x1b[{_COLOURS[finding.severity]}m{severity}\x1b[0m"
    parts = [f"{finding.file}:{finding.line}:{finding.column}: {severity}: "]
    if finding.field:
        parts.append(f"{finding.field}: ")
    parts.append(finding.message)
    if finding.rule:
        parts.append(f"  [{finding.rule}]")
    return "".join(parts)


def _counts(report: Report) -> Iterator[str]:
    yield _plural(report.files, "file")
    yield _plural(report.objects, "object") + " judged"
    yield _plural(report.errors, "error")
    yield _plural(report.warnings, "warning")


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
