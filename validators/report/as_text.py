"""The report for people: findings by object, with the source line of every error."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final
from unicodedata import combining, east_asian_width

from ovnguard.validators.base.unchecked import summary
from ovnguard.validators.report.findings import Finding, Report, Severity, Subject
from ovnguard.validators.report.visible_text import visible

SourceLine = Callable[[str, int], str | None]
"""Returns a line of a file by its number, None where it is unknown."""

_COLOURS: Final = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}
_BOLD: Final = "1"
_WIDTH: Final = 100
MOST_FINDINGS: Final = 100
"""How many findings of one object are shown."""
MOST_EQUAL: Final = 10
"""How many objects with equal findings are shown one by one."""
_LONGEST_VALUE: Final = 80


def no_source(_file: str, _line: int) -> None:
    """Return None: no line is known."""


def render(
    report: Report, *, colour: bool, quiet: bool = False, verbose: bool = False, source: SourceLine = no_source
) -> str:
    """Return the report as text, each line with a line end; ``colour`` adds ANSI colours.

    Objects without findings do not appear. After `MOST_FINDINGS` of one object a line counts the others. Of a finding
    that more than `MOST_EQUAL` objects have, only the first one appears, unless ``verbose``. The last lines
    count the findings, the objects that were not judged, and the rules that were not checked. ``quiet`` omits these
    lines; ``verbose`` omits the last one, because it lists the unchecked rules among the findings.
    """
    lines: list[str] = []
    blocks = [
        (subject, tuple(_parts(tuple(found))))
        for subject, found in groupby(report.findings, key=lambda finding: finding.subject)
    ]
    alike = {} if verbose else _alike(blocks)
    for subject, parts in blocks:
        shown = [part for part in parts if alike.get(_key(part), (subject,))[0] == subject]
        if not shown:
            continue
        title = f"{subject.title}  {subject.file}:{subject.line}" if subject.kind else subject.file
        lines.append(_painted(visible(title), _BOLD, colour=colour))
        lines += _lines(shown, alike, colour=colour, source=source)
    if not quiet:
        listed = "" if verbose else " (-v lists them)"
        lines.append(", ".join(_counts(report)))
        if report.not_judged:
            objects, kinds = _plural(report.not_judged, "object"), _plural(report.kinds_not_judged, "kind")
            were = "was" if report.not_judged == 1 else "were"
            lines.append(f"{objects} of {kinds} {were} not judged{listed}")
        if report.by_type:
            were = "was" if report.by_type == 1 else "were"
            objects = _plural(report.by_type, "object")
            lines.append(
                f"{objects} of built-in kinds {were} judged by type: values are left to the API server{listed}"
            )
        if report.proposed:
            fit = "fits" if report.proposed == 1 else "fit"
            objects = _plural(report.proposed, "object")
            lines.append(f"{objects} {fit} only the proposed API; clusters run the released one{listed}")
        lines += _skipped(report.skipped, verbose=verbose)
        if report.unchecked and not verbose:
            lines.append(f"{summary(report.unchecked)} (-v lists them)")
    return "".join(f"{line}\n" for line in lines)


Part = tuple[Finding, ...]
"""An error or a warning with the notes that follow it."""


def _parts(findings: Sequence[Finding]) -> Iterator[Part]:
    """The parts of an object's findings; notes without an error or a warning before them are a part as well."""
    starts = [at for at, finding in enumerate(findings) if at == 0 or finding.severity is not Severity.NOTE]
    yield from (tuple(findings[start:end]) for start, end in zip(starts, [*starts[1:], len(findings)], strict=True))


def _key(part: Part) -> tuple[object, ...]:
    """What equal parts of different objects share: all but the position, and the name and namespace of the object."""
    subject = part[0].subject
    # the longer one first, which may contain the other
    words = sorted(filter(None, (subject.name, subject.namespace)), key=len, reverse=True)

    def own(text: str) -> str:
        for word in words:
            text = text.replace(word, "<own>")
        return text

    return tuple(
        (each.label, each.path, each.rule, *map(own, (each.message, each.value, each.detail))) for each in part
    )


def _alike(blocks: Sequence[tuple[Subject, Sequence[Part]]]) -> dict[tuple[object, ...], tuple[Subject, ...]]:
    """The objects of each part that more than `MOST_EQUAL` objects have."""
    found: dict[tuple[object, ...], dict[Subject, None]] = {}
    for subject, parts in blocks:
        for part in parts if subject.kind else ():
            found.setdefault(_key(part), {})[subject] = None
    return {key: tuple(subjects) for key, subjects in found.items() if len(subjects) > MOST_EQUAL}


def _lines(
    parts: Sequence[Part],
    alike: Mapping[tuple[object, ...], Sequence[Subject]],
    *,
    colour: bool,
    source: SourceLine,
) -> Iterator[str]:
    """The findings of an object, at most `MOST_FINDINGS`; below a part, how many objects more have it."""
    number = 0
    for part in parts:
        for finding in part[: max(MOST_FINDINGS - number, 0)]:
            yield _line(finding, colour=colour)
            if finding.severity is Severity.ERROR:
                yield from _source_lines(finding, source)
        number += len(part)
        if len(same := alike.get(_key(part), ())) > 1:
            first, last = same[1].title, same[-1].title
            yield f"  and {len(same) - 1:,} more objects, from {first} to {last} (-v lists them)"
    if number > MOST_FINDINGS:
        yield f"  and {number - MOST_FINDINGS:,} more"


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
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"
