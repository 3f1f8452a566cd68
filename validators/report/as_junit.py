"""The report as JUnit XML: one ``testsuite`` for each file, one ``testcase`` for each object.

Sources of the format: Jenkins' xunit plugin (``junit-10.xsd``); GitLab documentation, "Unit test reports", for ``file``
(``line`` goes with it; the XSD has neither). An object with an error has a ``failure``; a file that could not be read,
or an object without a required schema, has an ``error``. Warnings and notes are in ``system-out``.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from ovnguard.validators.report.findings import BAD_INPUT, NOT_JUDGED, Finding, Report, Severity, Subject
from ovnguard.validators.report.xml_text import attribute, content

_NO_VERDICT: Final = frozenset((BAD_INPUT, NOT_JUDGED))


def render(report: Report, program: str = "ovn-preflight") -> str:
    """Return the report as an XML document with a final newline."""
    cases = report.by_subject()
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites name={attribute(program)}{_counts(cases)}>"]
    for file, found in groupby(cases, key=lambda case: case[0].file):
        lines += _suite(file, list(found))
    return "\n".join([*lines, "</testsuites>"]) + "\n"


_Case = tuple[Subject, Sequence[Finding]]


def _suite(file: str, cases: Sequence[_Case]) -> Iterator[str]:
    yield f"  <testsuite name={attribute(file)}{_counts(cases)}>"
    for subject, findings in cases:
        yield from _case(subject, findings)
    yield "  </testsuite>"


def _case(subject: Subject, findings: Sequence[Finding]) -> Iterator[str]:
    place = f"file={attribute(subject.file)} line={attribute(str(subject.line))}"
    opening = f"    <testcase classname={attribute(subject.file)} name={attribute(subject.title or 'the file')} {place}"
    if not findings:
        yield f"{opening}/>"
        return
    yield f"{opening}>"
    for finding in findings:
        if finding.severity is Severity.ERROR:
            tag = _tag(finding)
            yield f"      <{tag} type={attribute(finding.rule or finding.reason)} message={attribute(finding.text)}>"
            yield f"{content(f'{finding.place}: {finding.text}')}</{tag}>"
    others = [each for each in findings if each.severity is not Severity.ERROR]
    if others:
        texts = "\n".join(f"{each.place}: {each.severity}: {each.text}" for each in others)
        yield f"      <system-out>{content(texts)}</system-out>"
    yield "    </testcase>"


def _tag(finding: Finding) -> str:
    return "error" if finding.reason in _NO_VERDICT else "failure"


def _counts(cases: Iterable[_Case]) -> str:
    tags = [{_tag(each) for each in findings if each.severity is Severity.ERROR} for _, findings in cases]
    errors = sum("error" in each for each in tags)
    failures = sum(bool(each) for each in tags) - errors
    return f' tests="{len(tags)}" failures="{failures}" errors="{errors}"'
