import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.suite_sample import GOOD, NAME, crd, foo, layout, suite, write
from tests.unit.validators.suite.test_policy_judge import KNOWN, LARGE, SMALL, folder_of

pytest_plugins = ["pytester"]
# Each test starts a pytest of its own, some two.
INSTALLED = any(point.value == "ovnguard.validators.suite.pytest_plugin" for point in entry_points(group="pytest11"))
PLUGIN = [] if INSTALLED else ["-p", "ovnguard.validators.suite.pytest_plugin"]
FILE = f"example/v1/tests/{NAME}/0.yaml"


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    pytester.syspathinsert(ROOT)
    return pytester.runpytest_subprocess(*PLUGIN, "-p", "no:randomly", "-p", "no:cacheprovider", *arguments)


def test_cases_are_tests(pytester: pytest.Pytester) -> None:
    layout(pytester.path, GOOD, crds={"a.yaml": crd(), "b.yaml": crd(11)})
    result = run(pytester, "-v")
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(
        [
            f"{FILE}::onCreate: defaults [[]a.yaml[]] PASSED*",
            f"{FILE}::onCreate: too large [[]b.yaml[]] FAILED*",
            f"{FILE}:10: failed: the object is accepted; expected was the error *",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert "judge_case" not in result.stdout.str()


def test_cases_of_policies_are_tests(pytester: pytest.Pytester) -> None:
    cases = [{"name": "small", "object": SMALL, **KNOWN}, {"name": "large", "object": LARGE, **KNOWN}]
    folder = folder_of(pytester.path, {"onCreate": cases})
    (folder / "mine").mkdir()
    (folder / "policy.yaml").rename(folder / "mine" / "policy.yaml")
    pytester.makeini("[pytest]\nrule_suite_policies = mine\n")
    result = run(pytester, "-v")
    result.assert_outcomes(passed=1, failed=1)
    file = "tests/size/suite.yaml"
    result.stdout.fnmatch_lines(
        [
            f"{file}::onCreate: small [[]policy.yaml[]] PASSED*",
            f"{file}:*: failed: the request is denied: too large",
        ]
    )


def test_settings(pytester: pytest.Pytester) -> None:
    layout(pytester.path, suite([{"name": "one", "initial": foo(spec={"size": 11, "mode": "A"})}]))
    write(pytester.path / "mine" / "foos.yaml", crd(11))
    pytester.makeini("[pytest]\nrule_suite_crds = mine\nrule_suite_kubernetes = 1.31\n")
    run(pytester, "example").assert_outcomes(passed=1)


def test_an_option_wins_over_its_setting(pytester: pytest.Pytester) -> None:
    layout(pytester.path, suite([{"name": "one", "initial": foo(spec={"size": 11, "mode": "A"})}]))
    write(pytester.path / "mine" / "foos.yaml", crd(11))
    pytester.makeini("[pytest]\nrule_suite_crds = absent\nrule_suite_kubernetes = new\n")
    options = ["--rule-suite-crds", "mine", "--rule-suite-kubernetes", "1.31"]
    run(pytester, "example", *options).assert_outcomes(passed=1)
    result = run(pytester, "example", "--rule-suite-kubernetes", "1.20")
    result.stdout.fnmatch_lines(["--rule-suite-kubernetes: 1.20 is not one of 1.29 to 1.37"])


def test_the_options_are_in_the_help(pytester: pytest.Pytester) -> None:
    run(pytester, "--help").stdout.fnmatch_lines(
        [
            "ovnguard: rule suites (tests/NAME/[*].yaml):",
            "*--rule-suite-crds=PATH*",
            "*--rule-suite-policies=PATH*",
            "*--rule-suite-feature-gates=DIR*",
            "*--rule-suite-kubernetes=VERSION*",
        ]
    )


def test_a_suite_that_cannot_be_run_is_an_error_and_hides_no_other(pytester: pytest.Pytester) -> None:
    layout(pytester.path, {"name": "Foo"}, GOOD)
    result = run(pytester, "-v")
    result.assert_outcomes(errors=1, passed=3)
    result.stdout.fnmatch_lines([f"{FILE}::cannot be run ERROR*", f"{FILE}:1: crdName must be given"])
    assert "Traceback" not in result.stdout.str()


def test_a_damaged_crd_file_is_an_error_and_hides_no_other(pytester: pytest.Pytester) -> None:
    folder = layout(pytester.path, GOOD) / "example/v1/zz_generated.crd-manifests"
    (folder / "bad.yaml").write_text(f"name: {NAME}\na: [")
    result = run(pytester, "-v")
    result.assert_outcomes(errors=1, passed=3)
    result.stdout.fnmatch_lines([f"{FILE}::cannot be run [[]bad.yaml[]] ERROR*"])


@pytest.mark.parametrize(
    ("version", "message"),
    [("1.20", "rule_suite_kubernetes: 1.20 is not one of 1.29 to 1.37"), ("new", "rule_suite_kubernetes: *'new'*")],
)
def test_a_version_that_is_not_known(pytester: pytest.Pytester, version: str, message: str) -> None:
    layout(pytester.path, GOOD)
    pytester.makeini(f"[pytest]\nrule_suite_kubernetes = {version}\n")
    result = run(pytester)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])


def test_a_suite_that_is_named_itself_may_lie_anywhere(pytester: pytest.Pytester) -> None:
    write(pytester.path / "crd.yaml", crd())
    write(pytester.path / "my-suite.yml", GOOD)
    write(pytester.path / "other.yaml", {"name": "not a suite"})
    pytester.makeini("[pytest]\nrule_suite_crds = crd.yaml\n")
    run(pytester, "my-suite.yml").assert_outcomes(passed=3)
    assert run(pytester, "other.yaml").ret == pytest.ExitCode.USAGE_ERROR
    run(pytester).assert_outcomes()


def test_selection_by_keyword_and_by_name(pytester: pytest.Pytester) -> None:
    layout(pytester.path, GOOD)
    run(pytester, "-k", "onUpdate or large").assert_outcomes(passed=2, deselected=1)
    run(pytester, f"{FILE}::onCreate: too large [foos.yaml]").assert_outcomes(passed=1)


def test_it_costs_nothing_where_there_is_no_suite(pytester: pytest.Pytester) -> None:
    write(pytester.path / "tests" / "golden" / "a.yaml", {"name": "not a suite"})
    pytester.makepyfile("""
        import sys

        def test_modules():
            ours = {name for name in sys.modules if name.split(".")[0] in ("ovnguard", "yaml", "jsonschema", "celpy")}
            assert ours == {
                "ovnguard",
                "ovnguard.validators",
                "ovnguard.validators.suite",
                "ovnguard.validators.suite.pytest_plugin",
                "ovnguard.validators.suite.suite_paths",
            }
    """)
    run(pytester).assert_outcomes(passed=1)


def test_the_entry_point_names_the_plugin() -> None:
    declared = (ROOT / "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\novnguard = "ovnguard.validators.suite.pytest_plugin"\n' in declared
    names = "*sorted(n for n in sys.modules if n.startswith('ovnguard.validators.suite.'))"
    code = f"import sys, ovnguard.validators.suite.pytest_plugin; print({names})"
    completed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert completed.stdout.split() == [
        "ovnguard.validators.suite.pytest_plugin",
        "ovnguard.validators.suite.suite_paths",
    ]
    assert Path(ROOT / "validators/suite/pytest_plugin.py").is_file()
