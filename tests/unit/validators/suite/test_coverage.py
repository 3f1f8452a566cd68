"""Coverage: what no case of a suite has both accepted and refused."""

import json
from pathlib import Path

import pytest

from ovnguard.validators.commandline.program import Exit
from ovnguard.validators.suite.coverage import cover
from ovnguard.validators.suite.runner import plan_suites
from tests.support.paths import ROOT
from tests.unit.validators.suite.test_mutation import CRD, case, suite


def test_rules_and_bounds_need_both_ways(tmp_path: Path) -> None:
    found = cover(plan_suites([suite(tmp_path, case("small"))], crds=[tmp_path]))
    assert found.report.passed
    assert [tuple(gap)[1:] for gap in found.gaps] == [
        ("a.b[*].x-kubernetes-validations[0]", "rule never held in an accepted request: too small"),
        ("a.b[*].x-kubernetes-validations[0]", "rule never refused with its exact text: too small"),
        ("size.x-kubernetes-validations[0]", "rule never refused with its exact text: too big"),
        ("a.b", "maxItems 3: no accepted object has a value"),
        ("a.b", "maxItems 3 never refused a value with its exact text"),
    ]
    assert {gap.crd for gap in found.gaps} == {"things.example.com/v1"}


def test_nothing_is_missing(tmp_path: Path) -> None:
    cases = [
        case("fits", "", {"size": 1, "a.b": [4]}),
        case("big", "too big", {"size": 9}),
        case("small", "too small", {"a.b": [3]}),
        case("many", "Too many: 4: must have at most 3 items", {"a.b": [4, 5, 6, 7]}),
    ]
    found = cover(plan_suites([suite(tmp_path, *cases)], crds=[tmp_path]))
    assert (found.report.passed, found.gaps) == (True, ())


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    from ovnguard.validators.cli.suite_command import test

    code = test.main(list(words), standalone_mode=False)
    return code, capsys.readouterr().out


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(suite(tmp_path, case("small"), case("big", "too big", {"size": 9})))
    code, text = run(capsys, folder, "--crds", folder, "--coverage")
    assert code == Exit.OK
    assert text.splitlines()[0] == "things.example.com/v1"
    assert text.splitlines()[-1] == "coverage: 4 gaps"
    code, text = run(capsys, folder, "--crds", folder, "--mutate")
    assert text.splitlines()[-1] == "8 mutants: 1 refused, 7 survived; 0 more are no valid rules"
    assert "  5 is 6: accepted by all suites; 2 cases ran the rule" in text.splitlines()
    assert "  negated: accepted by all suites; no case runs the rule" in text.splitlines()


def test_the_json_report_has_both_analyses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import jsonschema

    schema = json.loads((ROOT / "docs/schemas/suite-report-v1.json").read_text())
    folder = str(suite(tmp_path, case("small")))
    for option, key in (("--coverage", "gaps"), ("--mutate", "mutants")):
        _, text = run(capsys, folder, "--crds", folder, option, "-o", "json")
        jsonschema.validate(json.loads(text), schema)
        assert key in json.loads(text)
    assert CRD["kind"] == "CustomResourceDefinition"


def test_verbose_lists_passed_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(suite(tmp_path, case("small")))
    assert "passed: onCreate: small" in run(capsys, folder, "--crds", folder, "-v")[1]
    assert "passed: onCreate: small" not in run(capsys, folder, "--crds", folder)[1]
