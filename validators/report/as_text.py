"""The report for people: one finding a line, file and line first, so that editors can jump there."""

from collections.abc import Iterator

from validators.report.findings import Finding, Report, Severity

_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}


def render(report: Report, *, colour: bool) -> str:
    """Return the report as text with a final newline; ``colour`` adds ANSI colours."""
    lines = [_line(finding, colour=colour) for finding in report.findings]
    lines.append(_summary(report))
    return "\n".join(lines) + "\n"


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


def _summary(report: Report) -> str:
    return ", ".join(_counts(report))


def _counts(report: Report) -> Iterator[str]:
    yield _plural(report.files, "file")
    yield _plural(report.objects, "object") + " judged"
    yield _plural(report.count(Severity.ERROR), "error")
    yield _plural(report.count(Severity.WARNING), "warning")


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
