"""The JSON report on rule suites; its schema is published in docs/schemas/suite-report-v1.json."""

import json
from typing import TYPE_CHECKING

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.report.findings import API_VERSION
from ovnguard.validators.suite.analysed_report import AnalysedReport
from ovnguard.validators.suite.suite import CaseOutcome, TextForm

if TYPE_CHECKING:
    from ovnguard.validators.suite.mutation import Survivor


def render(analysed: AnalysedReport) -> str:
    """Return the report as indented JSON text with a final newline."""
    report = analysed.report
    document: JsonObject = {
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
                "file": case.file,
                "line": case.line,
            }
            for case in report.cases
        ],
    }
    if analysed.gaps is not None:
        document["gaps"] = [gap._asdict() for gap in analysed.gaps]
    if analysed.killed is not None:
        document["mutants"] = {
            "refused": analysed.killed,
            "invalid": analysed.invalid,
            "cut_rules": analysed.cut,
            "survivors": [_survivor(each) for each in analysed.survivors],
        }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _survivor(each: "Survivor") -> JsonObject:
    return {
        "crd": each.crd,
        "location": each.location,
        "rule": each.rule,
        "change": each.mutant.change,
        "mutant": each.mutant.rule,
        "cases": each.cases,
    }
