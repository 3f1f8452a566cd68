"""Results of rule suites in the Test Anything Protocol, version 14 (testanything.org)."""

import json
from collections.abc import Iterator

from ovnguard.validators.report.visible_text import visible
from ovnguard.validators.suite.suite import CaseResult, SuiteReport


def render(report: SuiteReport) -> str:
    """Return the report as TAP text with a final newline; a YAML block below a failed line has the details."""
    lines = ["TAP version 14", f"1..{len(report.cases)}"]
    for number, case in enumerate(report.cases, 1):
        lines += _case(number, case)
    return "\n".join(lines) + "\n"


def _case(number: int, case: CaseResult) -> Iterator[str]:
    yield f"{'ok' if case.passed else 'not ok'} {number} - {_description(case)}"
    if case.passed:
        return
    place = {"severity": case.outcome.value, "file": case.file, "line": case.line}
    yield "  ---"
    # JSON scalars are one-line YAML scalars, except for surrogate pairs, which YAML does not support.
    entries = {"message": case.message, **place}
    yield from (f"  {key}: {visible(json.dumps(value, ensure_ascii=False))}" for key, value in entries.items())
    yield "  ..."


def _description(case: CaseResult) -> str:
    text = " ".join(part for part in (case.suite, case.crd_file and f"[{case.crd_file}]", case.phase) if part)
    if case.case:
        text = f"{text}: {case.case}"
    return visible(" ".join(text.replace("\\", "\\\\").replace("#", "\\#").split()))
