import json
from xml.etree import ElementTree

import jsonschema
import pytest
import yaml

from ovnguard.validators.report import suite_json, suite_junit, suite_tap, suite_text
from ovnguard.validators.suite.analysed_report import AnalysedReport
from ovnguard.validators.suite.suite import CaseOutcome, CaseResult, SuiteReport, TextForm
from tests.support.paths import ROOT

FILE = "v1/tests/foos.example.com/a.yaml"
HARD = 'refuses <&> "x" \x01 # \\ \u2028\ud83d'.encode("utf-8", "replace").decode() + " \U0001f600"
SHOWN = HARD.replace("\x01", "\\x01").replace("\u2028", "\\u2028")
REPORT = SuiteReport(
    (
        CaseResult(FILE, "v1/a.yaml", "one", "onCreate", CaseOutcome.PASSED, "", TextForm.EXACT, f"api/{FILE}", 5),
        CaseResult(
            FILE, "v1/a.yaml", HARD, "onUpdate", CaseOutcome.FAILED, "no\n<yes>", TextForm.NONE, f"api/{FILE}", 9
        ),
        CaseResult(FILE, "v1/b.yaml", "one", "onCreate", CaseOutcome.PASSED, "", TextForm.LEGACY, f"api/{FILE}", 5),
        CaseResult("v1/tests/foos.example.com/b.yaml", "", "", "", CaseOutcome.ERRORED, "bad\x00", file="b.yaml"),
    )
)
EMPTY = SuiteReport(())


def test_json() -> None:
    document = json.loads(suite_json.render(AnalysedReport(REPORT)))
    assert document["summary"] == {
        "cases": 4,
        "passed": 2,
        "failed": 1,
        "errored": 1,
        "text_exact": 1,
        "text_legacy": 1,
    }
    assert document["cases"][1] == {
        "suite": FILE,
        "crd_file": "v1/a.yaml",
        "case": HARD,
        "phase": "onUpdate",
        "passed": False,
        "message": "no\n<yes>",
        "file": f"api/{FILE}",
        "line": 9,
    }


@pytest.mark.parametrize("report", [REPORT, EMPTY])
def test_json_keeps_to_its_schema(report: SuiteReport) -> None:
    schema = json.loads((ROOT / "docs/schemas/suite-report-v1.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(suite_json.render(AnalysedReport(report))), schema, jsonschema.Draft202012Validator)


def test_text() -> None:
    assert suite_text.render(AnalysedReport(REPORT)).splitlines() == [
        f"api/{FILE}:9: failed: onUpdate: {SHOWN}  [v1/a.yaml]",
        "    no",
        "    <yes>",
        "b.yaml:1: errored",
        "    bad\\x00",
        "2 suites, 2 runs, 4 cases: 2 passed (1 of them in the words of an older server), 1 failed, 1 errored",
    ]
    assert suite_text.render(AnalysedReport(EMPTY)) == "0 suites, 0 runs, 0 cases: 0 passed, 0 failed, 0 errored\n"


def test_junit_is_xml_whatever_the_texts_hold() -> None:
    root = ElementTree.fromstring(suite_junit.render(REPORT))
    assert root.attrib == {"tests": "4", "failures": "1", "errors": "1"}
    assert [(suite.get("name"), suite.get("tests")) for suite in root] == [
        (f"{FILE} [v1/a.yaml]", "2"),
        (f"{FILE} [v1/b.yaml]", "1"),
        ("v1/tests/foos.example.com/b.yaml", "1"),
    ]
    failed = root[0][1]
    assert failed.get("name") == "onUpdate: " + HARD.replace("\x01", "\\u0001")
    assert (failed.get("file"), failed.get("line")) == (f"api/{FILE}", "9")
    assert [(child.tag, child.get("message"), child.text) for child in failed] == [
        ("failure", "no\n<yes>", "no\n<yes>")
    ]
    assert [(child.tag, child.get("message")) for child in root[2][0]] == [("error", "bad\\u0000")]
    assert list(root[0][0]) == []


def test_tap() -> None:
    lines = suite_tap.render(REPORT).splitlines()
    assert lines[:3] == ["TAP version 14", "1..4", f"ok 1 - {FILE} [v1/a.yaml] onCreate: one"]
    assert lines[3].startswith(f'not ok 2 - {FILE} [v1/a.yaml] onUpdate: refuses <&> "x" \\x01 \\# \\\\')
    start, end = lines.index("  ---"), lines.index("  ...")
    assert yaml.safe_load("\n".join(lines[start + 1 : end])) == {
        "message": "no\n<yes>",
        "severity": "failed",
        "file": f"api/{FILE}",
        "line": 9,
    }
    assert lines[end + 1] == f"ok 3 - {FILE} [v1/b.yaml] onCreate: one"
    assert lines[end + 2] == "not ok 4 - v1/tests/foos.example.com/b.yaml"
    blocks = "\n".join(line for line in lines if line.startswith("  ") and line.strip() not in {"---", "..."})
    assert "\\ud8" not in blocks
    assert suite_tap.render(EMPTY) == "TAP version 14\n1..0\n"
