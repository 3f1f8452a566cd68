from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.suite.keyword_filter import BadExpression
from ovnguard.validators.suite.runner import run_suites
from ovnguard.validators.suite.suite import CaseOutcome, SuiteReport, TextForm
from tests.support.suite_sample import GOOD, NAME, TOO_LARGE, crd, foo, layout, suite, write

FEATURE_SET = "release.openshift.io/feature-set"
PROFILE = "include.release.openshift.io/self-managed-high-availability"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(report: SuiteReport) -> list[tuple[str, str, str]]:
    return [(Path(case.suite).name, Path(case.crd_file).name, case.case) for case in report.cases]


def test_each_suite_runs_with_each_of_its_crd_files(root: Path) -> None:
    layout(root, GOOD, GOOD, crds={"a.yaml": crd(), "b.yaml": crd(11)})
    report = run_suites(["."])
    assert (report.suites, report.runs, len(report.cases), report.passed) == (2, 4, 12, False)
    assert rows(report)[:6] == [
        ("0.yaml", name, case) for name in ("a.yaml", "b.yaml") for case in ("defaults", "too large", "grows")
    ]
    assert [(case.case, Path(case.crd_file).name) for case in report.cases if not case.passed] == 2 * [
        ("too large", "b.yaml")
    ]
    first, failed = report.cases[0], report.cases[4]
    assert (first.suite, first.file) == (f"example/v1/tests/{NAME}/0.yaml", f"example/v1/tests/{NAME}/0.yaml")
    assert first.crd_file == "example/v1/zz_generated.crd-manifests/a.yaml"
    assert (failed.outcome, failed.line) == (CaseOutcome.FAILED, 10)
    assert failed.message == f"the object is accepted; expected was the error {TOO_LARGE!r}"


def test_paths_are_relative_to_the_path_that_was_given(root: Path) -> None:
    layout(root / "api", GOOD)
    case = run_suites(["api"]).cases[0]
    assert case.suite == f"example/v1/tests/{NAME}/0.yaml"
    assert case.file == f"api/example/v1/tests/{NAME}/0.yaml"
    assert run_suites([case.file]).cases[0].suite == case.file


def test_the_order_does_not_depend_on_the_number_of_processes(root: Path) -> None:
    broken: dict[str, Any] = {"crdName": "absent.example.com", "tests": {}}
    layout(root, GOOD, broken, GOOD, crds={f"{name}.yaml": crd(9 + number) for number, name in enumerate("abc")})
    one, three = run_suites(["."]), run_suites(["."], jobs=3)
    assert one == three
    assert len(one.cases) == 2 * 3 * 3 + 1


def test_progress_is_reported_and_ends_with_the_total(root: Path) -> None:
    layout(root, GOOD, GOOD)
    reported: list[tuple[int, int]] = []
    run_suites(["."], progress=lambda done, total: reported.append((done, total)))
    assert reported == [(3, 6), (6, 6)]


def test_selected_cases_only(root: Path) -> None:
    layout(root, GOOD)
    assert [case.case for case in run_suites(["."], keywords="onUpdate or LARGE").cases] == ["too large", "grows"]
    assert run_suites(["."], keywords="nothing").cases == ()
    with pytest.raises(BadExpression):
        run_suites(["."], keywords="and")


def test_feature_gates_choose_crd_files(root: Path) -> None:
    def gated(features: str) -> dict[str, Any]:
        return crd(10, **{PROFILE: "true", FEATURE_SET: features})

    layout(
        root,
        {**GOOD, "featureGates": ["New"]},
        {**GOOD, "featureGates": ["-New"]},
        {**GOOD, "featureGates": ["Unknown"]},
        GOOD,
        crds={"c.yaml": gated("CustomNoUpgrade"), "d.yaml": gated("Default"), "t.yaml": gated("TechPreviewNoUpgrade")},
    )
    for features, state in (("Default", "disabled"), ("TechPreviewNoUpgrade", "enabled")):
        write(
            root / f"payload-manifests/featuregates/{features}.yaml",
            {
                "metadata": {"annotations": {PROFILE: "x", FEATURE_SET: features}},
                "status": {"featureGates": [{state: [{"name": "New"}]}]},
            },
        )
    report = run_suites(["."])
    ran: dict[str, list[str]] = {}
    for case in report.cases:
        if case.case == "grows":
            ran.setdefault(Path(case.suite).stem, []).append(Path(case.crd_file).stem)
    assert ran == {"0": ["c", "t"], "1": ["d"], "2": ["c"], "3": ["c", "d", "t"]}
    errored = [case.message for case in report.cases if not case.passed]
    assert errored == [
        f"example/v1/zz_generated.crd-manifests/{name}.yaml: the FeatureGate manifests do not know the gate 'Unknown'"
        for name in "dt"
    ]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (["x"], "SUITE:1: a suite is a mapping with crdName or policyName, and tests"),
        (
            {"crdName": "absent.example.com", "tests": {}},
            "no CRD absent.example.com in example/v1/zz_generated.crd-manifests; name its folder with --crds",
        ),
        (
            {**GOOD, "version": None},
            f"SUITE: the CRD {NAME} has 2 versions (v0, v1); name one with 'version'",
        ),
    ],
)
def test_a_suite_that_cannot_be_run_is_one_errored_case(root: Path, document: Any, message: str) -> None:
    layout(root, document)
    file = f"example/v1/tests/{NAME}/0.yaml"
    (case,) = run_suites(["."]).cases
    assert (case.suite, case.crd_file, case.case, case.phase) == (file, "", "", "")
    assert (case.outcome, case.message) == (CaseOutcome.ERRORED, message.replace("SUITE", file))


def test_a_suite_that_no_crd_file_fits(root: Path) -> None:
    layout(root, {**GOOD, "featureGates": ["-New"]}, crds={"c.yaml": crd(10, **{FEATURE_SET: "CustomNoUpgrade"})})
    (case,) = run_suites(["."]).cases
    assert case.message == f"example/v1/tests/{NAME}/0.yaml: no CRD file of {NAME} fits the feature gates -New"


def test_a_version_that_the_crd_does_not_have(root: Path) -> None:
    layout(root, {**GOOD, "version": "v9"})
    messages = {(case.outcome, case.message) for case in run_suites(["."]).cases}
    assert messages == {
        (CaseOutcome.ERRORED, "example/v1/zz_generated.crd-manifests/foos.yaml: the CRD has no version 'v9'")
    }


def test_text_forms_are_counted_apart(root: Path) -> None:
    long = {"name": "long", "initial": foo(spec={"mode": "xxxx"})}
    older = {**long, "expectedError": "spec.mode: Too long: may not be longer than 3"}
    newer = {**long, "expectedError": "spec.mode: Too long: may not be more than 3 bytes"}
    source = crd()
    schema = source["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["spec"]["properties"]["mode"] = {"type": "string", "maxLength": 3}
    accepted = {"name": "short", "initial": foo(spec={"mode": "x"})}
    layout(root, suite([older, newer, accepted]), crds={"foos.yaml": source})
    report = run_suites(["."])
    assert (report.texts(TextForm.EXACT), report.texts(TextForm.LEGACY), report.count(CaseOutcome.PASSED)) == (2, 1, 3)
    # to a server of that time the old words are its own
    assert run_suites(["."], kubernetes="1.31", keywords="long").texts(TextForm.EXACT) == 1


def test_unusable_definitions_are_reported_and_hide_nothing(root: Path) -> None:
    folder = layout(root, GOOD, GOOD, crds={"a.yaml": crd(), "b.yaml": crd()}) / "example/v1"
    (folder / "zz_generated.crd-manifests/c.yaml").write_text(f"name: {NAME}\na: [")
    invalid = crd()
    invalid["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": {"type": "string"}}
    write(folder / "zz_generated.crd-manifests/d.yaml", invalid)
    bad = folder / "tests" / NAME
    for name, text in [
        ("2.yaml", "crdName: ["),
        ("3.yaml", "- a"),
        ("4.yaml", f"crdName: {NAME}\nversion: v9\ntests: {{onCreate: [{{initial: 'a: 1'}}]}}"),
        ("5.yaml", "crdName: absent.example.com"),
        ("6.yaml", ""),
        ("7.yaml", f"crdName: {NAME}"),
        ("8.yaml", "a: \x01"),
    ]:
        (bad / name).write_text(text)
    (bad / "9.yaml").symlink_to("9.yaml")
    (bad / "10.yaml").mkdir()
    report = run_suites(["."], jobs=2)
    assert report == run_suites(["."])
    passed = [case for case in report.cases if case.passed]
    assert [(case.suite[-6:], case.crd_file[-6:]) for case in passed] == [
        (suite_file, crd_file)
        for suite_file in ("0.yaml", "1.yaml")
        for crd_file in ("a.yaml", "b.yaml")
        for _ in "123"
    ]
    assert report.count(CaseOutcome.FAILED) == 0
    messages = {(case.suite[-6:], case.crd_file[-6:]): case.message for case in report.cases if not case.passed}
    prefix = f"example/v1/tests/{NAME}/"
    assert messages["0.yaml", "c.yaml"].endswith("c.yaml:3: malformed YAML: did not find expected node content")
    assert messages["0.yaml", "d.yaml"].startswith("the CRD is not valid: ")
    assert ("1.yaml", "d.yaml") not in messages
    assert messages["2.yaml", ""] == f"{prefix}2.yaml:2: malformed YAML: did not find expected node content"
    assert messages["3.yaml", ""] == f"{prefix}3.yaml:1: a suite is a mapping with crdName or policyName, and tests"
    assert messages["4.yaml", "a.yaml"].endswith("a.yaml: the CRD has no version 'v9'")
    assert messages["5.yaml", ""].startswith("no CRD absent.example.com in example/v1/zz_generated.crd-manifests;")
    assert messages["6.yaml", ""] == f"{prefix}6.yaml:1: holds no suite; write one or remove the file"
    assert messages["7.yaml", ""].startswith(f"{prefix}7.yaml: the CRD {NAME} has 2 versions (v0, v1); name one")
    assert "control characters are not allowed" in messages["8.yaml", ""]
    assert messages["9.yaml", ""].endswith("9.yaml: cannot be read: Too many levels of symbolic links")


def test_a_version_that_is_not_known_is_no_call(root: Path) -> None:
    layout(root, GOOD)
    with pytest.raises(ValueError, match=r"1\.20 is not one of 1\.29 to 1\.37"):
        run_suites(["."], kubernetes="1.20")
