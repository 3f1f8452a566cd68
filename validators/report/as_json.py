"""The versioned JSON report; its schema is published in docs/schemas/report-v1.json."""

import json

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.report.findings import API_VERSION, Finding, Report


def render(report: Report) -> str:
    """Return the report as indented JSON text with a final newline."""
    document = {
        "apiVersion": API_VERSION,
        "summary": {
            "files": report.files,
            "objects": report.objects,
            "errors": report.errors,
            "warnings": report.warnings,
            "notJudged": report.not_judged,
        },
        "findings": [_finding(finding) for finding in report.findings],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _finding(finding: Finding) -> JsonObject:
    subject = finding.subject
    return {
        "kind": subject.kind,
        "namespace": subject.namespace,
        "name": subject.name,
        "file": subject.file,
        "line": finding.line,
        "column": finding.column,
        "path": finding.path,
        "rule": finding.rule,
        "severity": finding.severity.value,
        "reason": finding.reason,
        "message": finding.message,
        "then": finding.is_later,
    }
