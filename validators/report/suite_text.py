"""The report on rule suites for people: every case that failed or had an error, then the counts."""

from collections.abc import Iterator

from validators.suite.suite import CaseOutcome, CaseResult, SuiteReport, TextForm


def render(report: SuiteReport) -> str:
    """Return the report as text with a final newline."""
    lines = [line for case in report.cases if not case.passed for line in _case(case)]
    return "\n".join([*lines, _summary(report)]) + "\n"


def _case(case: CaseResult) -> Iterator[str]:
    name = ": ".join(part for part in (case.outcome.value, case.phase, case.case) if part)
    crd = f"  [{case.crd_file}]" if case.crd_file else ""
    yield visible(f"{case.file}:{case.line}: {name}{crd}")
    yield from (f"    {visible(line)}" for line in case.message.splitlines())


def visible(text: str) -> str:
    """Return the text with control and invisible characters escaped: suites may come from untrusted sources."""
    if text.isprintable():
        return text
    return "".join(rune if rune.isprintable() else rune.encode("unicode_escape").decode() for rune in text)


def _summary(report: SuiteReport) -> str:
    passed = f"{report.count(CaseOutcome.PASSED)} passed"
    if legacy := report.texts(TextForm.LEGACY):
        passed += f" ({legacy} of them in the words of an older server)"
    runs = f"{_count(report.suites, 'suite')}, {_count(report.runs, 'run')}, {_count(len(report.cases), 'case')}"
    failed, errored = report.count(CaseOutcome.FAILED), report.count(CaseOutcome.ERRORED)
    return f"{runs}: {passed}, {failed} failed, {errored} errored"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
