"""The report on rule suites for people: every case that failed or had an error, then the counts."""

from collections.abc import Iterator
from itertools import groupby

from ovnguard.validators.report.visible_text import visible
from ovnguard.validators.suite.analysed_report import AnalysedReport
from ovnguard.validators.suite.suite import CaseOutcome, CaseResult, SuiteReport, TextForm


def render(analysed: AnalysedReport, *, verbose: bool = False) -> str:
    """Return the report as text with a final newline; ``verbose`` lists passed cases, too, and the chosen CRD files."""
    report = analysed.report
    lines = [*_chosen(report)] if verbose else []
    lines += [line for case in report.cases if verbose or not case.passed for line in _case(case)]
    lines += [*_gaps(analysed), *_survivors(analysed)]
    return "\n".join([*lines, _summary(report), *_counts(analysed)]) + "\n"


def _chosen(report: SuiteReport) -> Iterator[str]:
    """The CRD files of every suite that runs with several of them."""
    for file, cases in groupby(report.cases, key=lambda case: case.file):
        chosen = dict.fromkeys(case.crd_file for case in cases if case.crd_file)
        if len(chosen) > 1:
            yield visible(f"{file}: runs with {len(chosen)} CRD files of the name: {', '.join(chosen)}")


def _gaps(analysed: AnalysedReport) -> Iterator[str]:
    for crd, gaps in groupby(analysed.gaps or (), key=lambda gap: gap.crd):
        yield visible(crd)
        yield from (visible(f"  {gap.location or 'the object'}: {gap.missing}") for gap in gaps)


def _survivors(analysed: AnalysedReport) -> Iterator[str]:
    for (crd, location, rule), survivors in groupby(analysed.survivors, key=lambda each: each[:3]):
        yield visible(f"{crd}: {location}: {rule}")
        for each in survivors:
            runs = f"{_count(each.cases, 'case')} ran the rule" if each.cases else "no case runs the rule"
            yield visible(f"  {each.mutant.change}: accepted by all suites; {runs}")


def _counts(analysed: AnalysedReport) -> Iterator[str]:
    if analysed.gaps is not None:
        yield f"coverage: {_count(len(analysed.gaps), 'gap')}"
    if analysed.killed is not None:
        survived = len(analysed.survivors)
        mutants = _count(analysed.killed + survived, "mutant")
        results = f"{analysed.killed:,} refused, {survived:,} survived"
        yield f"{mutants}: {results}; {analysed.invalid:,} more are no valid rules"
        if analysed.cut:
            yield f"{_count(analysed.cut, 'rule')} had more mutants than were tried"


def _case(case: CaseResult) -> Iterator[str]:
    name = ": ".join(part for part in (case.outcome.value, case.phase, case.case) if part)
    crd = f"  [{case.crd_file}]" if case.crd_file else ""
    yield visible(f"{case.file}:{case.line}: {name}{crd}")
    yield from (f"    {visible(line)}" for line in case.message.splitlines())


def _summary(report: SuiteReport) -> str:
    passed = f"{report.count(CaseOutcome.PASSED):,} passed"
    if legacy := report.texts(TextForm.LEGACY):
        passed += f" ({legacy:,} of them in the words of an older server)"
    runs = f"{_count(report.suites, 'suite')}, {_count(report.runs, 'run')}, {_count(len(report.cases), 'case')}"
    failed, errored = report.count(CaseOutcome.FAILED), report.count(CaseOutcome.ERRORED)
    return f"{runs}: {passed}, {failed:,} failed, {errored:,} errored"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"
