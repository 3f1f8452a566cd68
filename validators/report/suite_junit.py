"""Results of rule suites as JUnit XML, one ``testsuite`` for each suite under each CRD file.

Source of the format: Jenkins' xunit plugin (``junit-10.xsd``).
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from ovnguard.validators.report.xml_text import attribute, content
from ovnguard.validators.suite.suite import CaseOutcome, CaseResult, SuiteReport

_TAGS: Final = {CaseOutcome.FAILED: "failure", CaseOutcome.ERRORED: "error"}


def render(report: SuiteReport) -> str:
    """Return the report as an XML document with a final newline."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites{_counts(report.cases)}>"]
    for _, cases in groupby(report.cases, key=lambda case: (case.suite, case.crd_file)):
        lines += _suite(list(cases))
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _suite(cases: list[CaseResult]) -> Iterator[str]:
    first = cases[0]
    name = f"{first.suite} [{first.crd_file}]" if first.crd_file else first.suite
    yield f"  <testsuite name={attribute(name)}{_counts(cases)}>"
    for case in cases:
        yield from _case(case, name)
    yield "  </testsuite>"


def _case(case: CaseResult, suite: str) -> Iterator[str]:
    name = f"{case.phase}: {case.case}" if case.phase else "the suite"
    place = f" file={attribute(case.file)} line={attribute(str(case.line))}"
    opening = f"    <testcase classname={attribute(suite)} name={attribute(name)}{place}"
    if case.passed:
        yield f"{opening}/>"
        return
    tag = _TAGS[case.outcome]
    yield f"{opening}>"
    yield f"      <{tag} message={attribute(case.message)}>{content(case.message)}</{tag}>"
    yield "    </testcase>"


def _counts(cases: Iterable[CaseResult]) -> str:
    outcomes = [case.outcome for case in cases]
    failures, errors = outcomes.count(CaseOutcome.FAILED), outcomes.count(CaseOutcome.ERRORED)
    return f' tests="{len(outcomes)}" failures="{failures}" errors="{errors}"'
