"""The versioned JSON report; its schema is published in docs/schemas/report-v1.json."""

import json

from validators.report.findings import API_VERSION, Report


def render(report: Report) -> str:
    """Return the report as indented JSON text with a final newline."""
    document = {
        "apiVersion": API_VERSION,
        "summary": {
            "files": report.files,
            "objects": report.objects,
            "errors": report.errors,
            "warnings": report.warnings,
        },
        "findings": [finding._asdict() for finding in report.findings],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
