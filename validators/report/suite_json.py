"""The JSON report on rule suites; its schema is published in docs/schemas/suite-report-v1.json."""

import json

from validators.report.findings import API_VERSION
from validators.suite.suite import CaseOutcome, SuiteReport, TextForm


def render(report: SuiteReport) -> str:
    """Return the report as indented JSON text with a final newline."""
    document = {
        "apiVersion": API_VERSION,
        "summary": {
            "cases": len(report.cases),
            "passed": report.count(CaseOutcome.PASSED),
            "failed": report.count(CaseOutcome.FAILED),
            "errored": report.count(CaseOutcome.ERRORED),
            "text_exact": report.texts(TextForm.EXACT),
            "text_legacy": report.texts(TextForm.LEGACY),
        },
        "cases": [
            {
                "suite": case.suite,
                "crd_file": case.crd_file,
                "case": case.case,
                "phase": case.phase,
                "passed": case.passed,
                "message": case.message,
            }
            for case in report.cases
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
