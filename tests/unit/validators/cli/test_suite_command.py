import json
import sys
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from ovnguard.validators.cli import main as program
from ovnguard.validators.cli import suite_command
from ovnguard.validators.suite.runner import run_suites
from tests.support.paths import ROOT
from tests.support.soak import limit
from tests.support.suite_sample import GOOD, NAME, crd, layout, write


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return layout(tmp_path, GOOD)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(suite_command.test, [*arguments], standalone_mode=True, prog_name="test")


def returned(*arguments: str) -> tuple[int, str]:
    """What the command returns, which is the exit code, and what it writes."""
    result = CliRunner().invoke(suite_command.test, [*arguments], standalone_mode=False)
    assert result.exception is None, result.output
    return result.return_value, result.stdout


def test_every_output(root: Path) -> None:
    assert returned(".") == (0, "1 suite, 1 run, 3 cases: 3 passed, 0 failed, 0 errored\n")
    code, text = returned(".", "-o", "json")
    schema = json.loads((ROOT / "docs/schemas/suite-report-v1.json").read_text())
    jsonschema.validate(json.loads(text), schema, jsonschema.Draft202012Validator)
    assert (code, json.loads(text)["summary"]["passed"]) == (0, 3)
    assert returned(".", "-o", "junit")[1].startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="3"')
    assert returned(".", "-o", "tap", "-j", "2")[1].startswith("TAP version 14\n1..3\nok 1 - ")


def test_verbose_names_the_crd_files_of_a_suite_with_several(root: Path) -> None:
    write(root / "mine/a.yaml", crd())
    write(root / "mine/b.yaml", crd())
    code, text = returned(".", "--crds", "mine", "-v")
    suite = f"example/v1/tests/{NAME}/0.yaml"
    assert code == 0
    assert text.splitlines()[:2] == [
        f"{suite}: runs with 2 CRD files of the name: mine/a.yaml, mine/b.yaml",
        f"{suite}:6: passed: onCreate: defaults  [mine/a.yaml]",
    ]
    assert "runs with" not in returned(".", "--crds", "mine")[1]
    assert "runs with" not in returned(".", "-v")[1]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["test", "--covrage", "."], "--coverage"),
        (["cost", "--bundeld"], "--bundled"),
        (["explain", "--outptu", "x"], "--output"),
        (["completion", "--hepl"], "--help"),
    ],
)
def test_an_unknown_option_gets_a_suggestion(
    arguments: list[str], hint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(monkeypatch, *arguments) == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith(f"No such option '{arguments[1]}'. Did you mean '{hint}'?")


def test_a_case_that_does_not_pass_is_exit_code_1(root: Path) -> None:
    write(root / "mine/foos.yaml", crd(11))
    code, text = returned(".", "--crds", "mine", "-k", "large")
    assert code == 1
    assert text.splitlines()[0] == (f"example/v1/tests/{NAME}/0.yaml:10: failed: onCreate: too large  [mine/foos.yaml]")


def test_a_suite_that_cannot_be_read_is_exit_code_1(root: Path) -> None:
    file = root / f"example/v1/tests/{NAME}/1.yaml"
    file.write_text("crdName: [")
    code, text = returned(".")
    assert code == 1
    assert f"{NAME}/1.yaml:1: errored\n" in text


def test_the_version_of_the_server(root: Path) -> None:
    assert returned(".", "--kubernetes-version", "v1.31.4")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent"], "Error: absent: no such file or folder"),
        ([".", "-k", "a and"], "Error: Invalid value for -k: write texts joined by and, or, not and parentheses"),
        ([".", "-k", "nothing"], "Error: -k 'nothing' selects no case"),
        (
            [".", "--kubernetes-version", "1.28"],
            "Error: Invalid value for '--kubernetes-version': 1.28 is not one of 1.29 to 1.37",
        ),
        (
            [".", "--kubernetes-version", "new"],
            "Error: Invalid value for '--kubernetes-version': 'new' is not a Kubernetes version such as '1.35'",
        ),
        ([".", "--crds", "absent"], "absent: no such file or folder"),
        ([".", "--feature-gates", "absent"], "absent: no such folder"),
        ([".", "-j", "0"], "Error: Invalid value for '-j' / '--jobs': 0 is not in the range 1<=x<=256."),
        ([], "Error: Missing argument 'PATH...'."),
    ],
)
def test_wrong_calls(root: Path, arguments: list[str], message: str) -> None:
    result = call(*arguments)
    assert result.exit_code != 0
    assert message in result.output
    assert "Traceback" not in result.output


def test_both_analyses_of_a_run_coverage_first(root: Path) -> None:
    definition = crd()
    spec = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["x-kubernetes-validations"] = [{"rule": "self.size != 50"}]
    write(root / "mine/a.yaml", definition)
    code, text = returned(".", "--crds", "mine", "--coverage", "--mutate")
    assert code == 0
    titles = [line for line in text.splitlines() if not line.startswith(" ")]
    assert titles == [
        "foos.example.com/v1",
        "foos.example.com/v1: spec.x-kubernetes-validations[0]: self.size != 50",
        "1 suite, 1 run, 3 cases: 3 passed, 0 failed, 0 errored",
        "coverage: 5 gaps",
        "3 mutants: 1 refused, 2 survived; 0 more are no valid rules",
    ]
    document = json.loads(returned(".", "--crds", "mine", "--mutate", "--coverage", "-o", "json")[1])
    for option, key in (("--coverage", "gaps"), ("--mutate", "mutants")):
        alone = json.loads(returned(".", "--crds", "mine", option, "-o", "json")[1])
        assert alone.keys() ^ document.keys() == {"gaps", "mutants"} - {key}
        assert alone[key] == document[key]
    result = call(".", "--mutate", "--coverage", "-o", "tap")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (
        2,
        "Error: --coverage has no tap report; use -o text or -o json",
    )


def test_warnings_go_to_stderr(root: Path) -> None:
    write(root / f"example/v1/tests/{NAME}/0.yaml", {**GOOD, "onUpdate": []})
    result = CliRunner().invoke(suite_command.test, ["."], standalone_mode=False)
    assert "the key 'onUpdate' has no effect" in result.stderr
    assert "onUpdate" not in result.stdout


def test_a_flood_of_warnings_is_cut(root: Path) -> None:
    path = write(root / f"example/v1/tests/{NAME}/0.yaml", GOOD)
    with path.open("a") as stream:
        stream.write("name: Foo\n" * 150)
    result = CliRunner().invoke(suite_command.test, ["."], standalone_mode=False)
    lines = result.stderr.splitlines()
    assert len(lines) == 101
    assert lines[0].endswith("duplicate key 'name'; the last one counts")
    assert lines[-1] == "warning: and 50 more"
    assert result.return_value == 0


def run_main(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["kubectl-ovn_preflight", *arguments])
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_test_is_a_sub_command_and_a_path_of_that_name_is_not(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(monkeypatch, "test", ".") == 0
    assert capsys.readouterr().out == "1 suite, 1 run, 3 cases: 3 passed, 0 failed, 0 errored\n"
    assert run_main(monkeypatch, "test") == 2
    assert "Usage: kubectl ovn-preflight test [OPTIONS] PATH..." in capsys.readouterr().err
    write(root / "test", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}})
    assert run_main(monkeypatch, "./test") == 0
    assert "1 object of built-in kinds was judged by type" in capsys.readouterr().out


def test_the_preflight_names_the_sub_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(monkeypatch, "--help") == 0
    assert "kubectl ovn-preflight test PATH..." in capsys.readouterr().out


@limit(180)
def test_the_bundled_suites_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    report = run_suites([ROOT / "crd_schemas" / "common"])
    assert report.passed, [case.message for case in report.cases if not case.passed]
    assert report.suites >= 3
    assert {case.crd_file for case in report.cases} >= {
        "k8s.cni.cncf.io/v1/network-attachment-definitions.yaml",
        "k8s.ovn.org/v1/userdefinednetworks.yaml",
    }
