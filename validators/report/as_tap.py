"""The report in the Test Anything Protocol, version 14 (testanything.org): one line for each object."""

import json
from collections.abc import Iterator, Sequence

from ovnguard.validators.report.findings import Finding, Report, Severity, Subject
from ovnguard.validators.report.visible_text import visible


def render(report: Report) -> str:
    """Return the report as TAP text with a final newline; a YAML block below an object has its findings."""
    cases = report.by_subject()
    lines = ["TAP version 14", f"1..{len(cases)}"]
    for number, (subject, findings) in enumerate(cases, 1):
        lines += _case(number, subject, findings)
    return "\n".join(lines) + "\n"


def _case(number: int, subject: Subject, findings: Sequence[Finding]) -> Iterator[str]:
    refused = any(each.severity is Severity.ERROR for each in findings)
    title = f"{subject.title} {subject.file}:{subject.line}".strip().replace("\\", "\\\\").replace("#", "\\#")
    yield f"{'not ok' if refused else 'ok'} {number} - {visible(' '.join(title.split()))}"
    if not findings:
        return
    yield "  ---"
    yield "  findings:"
    for finding in findings:
        # JSON scalars are one-line YAML scalars, except for surrogate pairs, which YAML does not support
        entries = {
            "severity": finding.severity.value,
            "message": finding.text,
            "line": finding.line,
            "column": finding.column,
            "rule": finding.rule,
        }
        texts = [f"{key}: {visible(json.dumps(value, ensure_ascii=False))}" for key, value in entries.items()]
        yield f"    - {texts[0]}"
        yield from (f"      {text}" for text in texts[1:])
    yield "  ..."
