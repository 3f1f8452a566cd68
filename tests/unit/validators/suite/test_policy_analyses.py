"""Coverage and mutants of policies: what no case shows both ways, and which broken expressions no case refuses."""

from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.cli import suite_command
from ovnguard.validators.suite.coverage import cover
from ovnguard.validators.suite.mutants import mutants_of
from ovnguard.validators.suite.mutation import mutate
from ovnguard.validators.suite.runner import plan_suites
from tests.unit.validators.suite.test_policy_judge import KNOWN, LARGE, MINE, NAME, SMALL, binding, folder_of

ACCEPTED = {"object": SMALL, **KNOWN, "expectedAuditAnnotations": {"size": "5"}}
REFUSED = {"object": LARGE, **KNOWN, "expectedDenial": "too large"}
PERMITTED = {"object": LARGE, **MINE}
CHANGED = {"object": SMALL, "oldObject": {**SMALL, "kept": 1}, **KNOWN, "expectedDenial": "kept is fixed"}
ALL = {"onCreate": [ACCEPTED, REFUSED, PERMITTED], "onUpdate": [CHANGED]}
NEVER = "never denied or warned with its exact text: "


@pytest.mark.parametrize(
    ("tests", "gaps"),
    [
        (ALL, []),
        (
            {"onCreate": [ACCEPTED]},
            [
                ("spec.validations[0]", f"{NEVER}too large"),
                ("spec.validations[1]", f"{NEVER}kept is fixed"),
                ("spec.matchConditions[0]", "never kept a request from the validations: not-mine"),
            ],
        ),
        (
            {"onCreate": [PERMITTED]},
            [
                # the condition keeps the request from the validations
                ("spec.validations[0]", "never held: too large"),
                ("spec.validations[0]", f"{NEVER}too large"),
                ("spec.validations[1]", "never held: kept is fixed"),
                ("spec.validations[1]", f"{NEVER}kept is fixed"),
                ("spec.matchConditions[0]", "never held: not-mine"),
                ("spec.auditAnnotations[0]", "no case expects a value"),
            ],
        ),
    ],
)
def test_what_no_case_shows(tmp_path: Path, tests: dict[str, Any], gaps: list[tuple[str, str]]) -> None:
    found = cover(plan_suites([folder_of(tmp_path, tests)]))
    assert found.report.passed
    assert [tuple(gap) for gap in found.gaps] == [(NAME, *gap) for gap in gaps]


def test_what_a_failed_case_shows_does_not_count(tmp_path: Path) -> None:
    failed = {**REFUSED, "expectedWarnings": ["x"]}
    found = cover(plan_suites([folder_of(tmp_path, {**ALL, "onCreate": [ACCEPTED, failed, PERMITTED]})]))
    assert not found.report.passed
    assert [tuple(gap)[1:] for gap in found.gaps] == [("spec.validations[0]", f"{NEVER}too large")]


def test_a_warning_shows_a_validation_as_a_denial_does(tmp_path: Path) -> None:
    cases = [ACCEPTED, {"object": LARGE, **KNOWN, "expectedWarnings": ["too large"]}]
    found = cover(plan_suites([folder_of(tmp_path, {"onCreate": cases}, binding("Warn"))]))
    assert [gap.location for gap in found.gaps] == ["spec.validations[1]", "spec.matchConditions[0]"]


def test_mutants_of_every_kind_of_expression(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path,
        ALL,
        variables=[{"name": "most", "expression": "has(object.most) ? object.most : 5"}],
        validations=[
            {
                "expression": "object == null || object.size <= variables.most",
                "messageExpression": "object.size > 5 ? 'too large' : 'small'",
            },
            {"expression": "object == null || object.?kept == oldObject.?kept", "message": "kept is fixed"},
        ],
    )
    found = mutate(plan_suites([folder]))
    assert found.report.passed
    assert [(each.location, each.mutant.change, each.cases) for each in found.survivors] == [
        ("spec.validations[0].expression", "without object == null", 4),
        ("spec.validations[1].expression", "without object == null", 4),
        ("spec.validations[1].expression", "object and oldObject swapped", 4),
        ("spec.validations[0].messageExpression", "> is >=", 4),
        ("spec.validations[0].messageExpression", "5 is 4", 4),
    ]
    assert mutate(plan_suites([folder]), jobs=2) == found


def test_object_and_old_object_change_places() -> None:
    found = [mutant.rule for mutant in mutants_of("object.a < oldObject.a") if mutant.change.endswith("swapped")]
    assert found == ["oldObject.a < object.a"]


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = folder_of(tmp_path, {"onCreate": [ACCEPTED]})

    def run(*words: str) -> list[str]:
        assert suite_command.test.main([str(folder), *words], standalone_mode=False) == 0
        return capsys.readouterr().out.splitlines()

    assert run("--coverage") == [
        NAME,
        "  spec.validations[0]: never denied or warned with its exact text: too large",
        "  spec.validations[1]: never denied or warned with its exact text: kept is fixed",
        "  spec.matchConditions[0]: never kept a request from the validations: not-mine",
        "1 suite, 1 run, 1 case: 1 passed, 0 failed, 0 errored",
        "coverage: 3 gaps",
    ]
    assert run("--mutate", "-o", "json")[2:8] == [
        '  "summary": {',
        '    "cases": 1,',
        '    "passed": 1,',
        '    "failed": 0,',
        '    "errored": 0,',
        '    "text_exact": 1,',
    ]
    assert '<testcase classname="tests/size/suite.yaml [policy.yaml]" name="onCreate: "' in run("-o", "junit")[3]
