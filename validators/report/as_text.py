"""The report for people: findings by object, with the source line of every error."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final
from unicodedata import combining, east_asian_width

from validators.base.unchecked import summary
from validators.report.findings import Finding, Report, Severity
from validators.report.visible_text import visible

SourceLine = Callable[[str, int], str | None]
"""Returns a line of a file by its number, None where it is unknown."""

_COLOURS: Final = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}
_BOLD: Final = "1"
_WIDTH: Final = 100
MOST_FINDINGS: Final = 100
"""How many findings of one object are shown."""
_LONGEST_VALUE: Final = 80


def no_source(_file: str, _line: int) -> None:
    """Return None: no line is known."""


def render(
    report: Report, *, colour: bool, quiet: bool = False, verbose: bool = False, source: SourceLine = no_source
) -> str:
    """Return the report as text, each line with a line end; ``colour`` adds ANSI colours.

    Objects without findings do not appear. After `MOST_FINDINGS` of one object a line counts the others. The last lines
    count the findings, the objects that were not judged, and the rules that were not checked. ``quiet`` omits these
    lines; ``verbose`` omits the last one, because it lists the unchecked rules among the findings.
    """
    lines: list[str] = []
    for subject, found in groupby(report.findings, key=lambda finding: finding.subject):
        findings = tuple(found)
        title = f"{subject.title}  {subject.file}:{subject.line}" if subject.kind else subject.file
        lines.append(_painted(visible(title), _BOLD, colour=colour))
        for finding in findings[:MOST_FINDINGS]:
            lines.append(_line(finding, colour=colour))
            if finding.severity is Severity.ERROR:
                lines += _source_lines(finding, source)
        if len(findings) > MOST_FINDINGS:
            lines.append(f"  and {len(findings) - MOST_FINDINGS} more")
    if not quiet:
        lines.append(", ".join(_counts(report)))
        if report.not_judged:
            objects, kinds = _plural(report.not_judged, "object"), _plural(report.kinds_not_judged, "kind")
            were = "was" if report.not_judged == 1 else "were"
            lines.append(f"{objects} of {kinds} {were} not judged{'' if verbose else ' (-v lists them)'}")
        lines += _skipped(report.skipped, verbose=verbose)
        if report.unchecked and not verbose:
            lines.append(f"{summary(report.unchecked)} (-v lists them)")
    return "".join(f"{line}\n" for line in lines)


def _skipped(files: Sequence[str], *, verbose: bool) -> Iterator[str]:
    if files:
        were = "was" if len(files) == 1 else "were"
        yield f"{_plural(len(files), 'file')} of other tools {were} skipped{':' if verbose else ' (-v lists them)'}"
        yield from (f"  {file}" for file in files if verbose)


def _line(finding: Finding, *, colour: bool) -> str:
    severity = _painted(finding.label, _COLOURS[finding.severity], colour=colour)
    about = ": ".join(part for part in (finding.path, _cut(finding.value)) if part)
    text = finding.detail or ("" if finding.value else finding.message)
    if text and about:
        text = f"{text} ({about})"
    rule = f"  [{finding.rule}]" if finding.rule else ""
    shown = "\n      ".join(map(visible, (text or about).split("\n")))
    return f"  {finding.line}:{finding.column}: {severity}: {shown}{rule}"


def _painted(text: str, code: str, *, colour: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colour else text


def _cut(text: str) -> str:
    """A long text without its middle."""
    if len(text) <= _LONGEST_VALUE:
        return text
    half = (_LONGEST_VALUE - 3) // 2
    return f"{text[:half]}...{text[-half:]}"


def _source_lines(finding: Finding, source: SourceLine) -> Iterator[str]:
    """The line of the finding, and a caret below its field; of a long line the part around the field."""
    line = source(finding.file, finding.line)
    at = finding.column - 1
    if line is None or at > len(line):
        return
    start = 0 if len(line) <= _WIDTH or at < _WIDTH // 2 else at - _WIDTH // 2
    shown = line[start : start + _WIDTH]
    if not shown.strip():
        return
    number = str(finding.line)
    yield f"    {number} | {''.join(each if each.isprintable() else ' ' for each in shown)}".rstrip()
    yield f"    {' ' * len(number)} | {' ' * _columns(line[start:at])}^"


def _columns(text: str) -> int:
    """The width of a text on a terminal, where East Asian characters take two columns and accents none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)


def _counts(report: Report) -> Iterator[str]:
    yield _plural(report.files, "file")
    yield _plural(report.objects, "object") + " judged"
    yield _plural(report.errors, "error")
    yield _plural(report.warnings, "warning")
    if report.ignored:
        yield f"{report.ignored} ignored"


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
