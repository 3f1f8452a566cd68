"""Cases of policies: what is expected of an answer, and what prevents one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard.validators.suite.runner import plan_suites, run_suites
from ovnguard.validators.suite.suite import CaseOutcome, SuiteReport

NAME = "size"
POLICY: dict[str, Any] = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingAdmissionPolicy",
    "metadata": {"name": NAME},
    "spec": {
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "matchConstraints": {
            "resourceRules": [
                {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["pods", "pods/exec"]}
            ]
        },
        "matchConditions": [{"name": "not-mine", "expression": "!authorizer.path('/mine').check('use').allowed()"}],
        "validations": [
            {"expression": "object == null || object.size <= 5", "message": "too large"},
            {"expression": "object == null || object.?kept == oldObject.?kept", "message": "kept is fixed"},
        ],
        "auditAnnotations": [{"key": "size", "valueExpression": "object == null ? '' : string(object.size)"}],
    },
}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop"}}
SMALL, LARGE = {**POD, "size": 5}, {**POD, "size": 6}
KNOWN: dict[str, Any] = {"rights": [], "userInfo": {"username": "alice"}}
MINE = {"rights": [{"verbs": ["use"], "nonResourceURLs": ["/mine"]}]}


def binding(*actions: str, name: str = "b", **spec: Any) -> dict[str, Any]:
    """A binding of the policy."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": NAME, "validationActions": list(actions), **spec},
    }


def folder_of(folder: Path, tests: Mapping[str, list[dict[str, Any]]], *bindings: dict[str, Any], **spec: Any) -> Path:
    """A folder with the policy, with another ``spec``, its bindings, and a suite."""
    place = folder / "tests" / NAME
    place.mkdir(parents=True)
    policy = {**POLICY, "spec": {**POLICY["spec"], **spec}}
    (folder / "policy.yaml").write_text(yaml.safe_dump(policy))
    (folder / "bindings.yaml").write_text(yaml.safe_dump_all(bindings))
    (place / "suite.yaml").write_text(yaml.safe_dump({"policyName": NAME, "tests": tests}, sort_keys=False))
    return folder


def messages(report: SuiteReport) -> list[str]:
    """The messages of the cases with their outcome."""
    return [f"{case.outcome}: {case.message}" if case.message else str(case.outcome) for case in report.cases]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({"object": SMALL, **KNOWN}, "passed"),
        ({"object": LARGE, **KNOWN}, "failed: the request is denied: too large"),
        ({"object": LARGE, **KNOWN, "expectedDenial": "too large"}, "passed"),
        (
            {"object": LARGE, **KNOWN, "expectedDenial": "too"},
            "failed: the request is denied: too large; expected was the denial 'too'",
        ),
        (
            {"object": SMALL, **KNOWN, "expectedDenial": "too large"},
            "failed: the request is allowed; expected was the denial 'too large'",
        ),
        (
            {"object": {**LARGE, "kind": "Node"}, **KNOWN, "expectedDenial": "too large"},
            "failed: the request is allowed; expected was the denial 'too large'; "
            "the policy does not match the request",
        ),
        ({"object": LARGE, **MINE}, "passed"),
        ({"object": LARGE, "userInfo": {"username": "alice"}, **MINE}, "passed"),
        (
            {"object": LARGE, "rights": [{**MINE["rights"][0], "serviceAccount": "shop/robot"}]},
            "failed: the request is denied: too large",
        ),
        (
            {"object": LARGE},
            "errored: the policy reads the rights of the user, which the case does not give: write rights",
        ),
        ({"object": SMALL, **KNOWN, "expectedAuditAnnotations": {"size": "5"}}, "passed"),
        (
            {"object": SMALL, **KNOWN, "expectedAuditAnnotations": {}},
            "failed: the audit annotations are {'size': '5'}; expected were {}",
        ),
        (
            {"object": SMALL, **KNOWN, "expectedWarnings": ["x"]},
            "failed: the warnings are []; expected were ['x']",
        ),
    ],
)
def test_what_a_case_expects(tmp_path: Path, case: dict[str, Any], message: str) -> None:
    report = run_suites([folder_of(tmp_path, {"onCreate": [case]})])
    assert messages(report) == [message]


def test_warnings_and_the_annotation_of_failures_of_each_binding(tmp_path: Path) -> None:
    key = "validation.policy.admission.k8s.io/validation_failure"
    actions = '"validationActions":["Warn","Audit"]'
    recorded = f'[{{"message":"too large","policy":"size","binding":"b","expressionIndex":0,{actions}}}]'
    cases = [
        {"object": LARGE, **KNOWN, "expectedWarnings": ["too large"]},
        {
            "object": LARGE,
            **KNOWN,
            "expectedWarnings": ["too large"],
            "expectedAuditAnnotations": {"size": "6", key: recorded},
        },
        {"object": LARGE, **KNOWN},
        {"object": SMALL, **KNOWN},
    ]
    report = run_suites([folder_of(tmp_path, {"onCreate": cases}, binding("Warn", "Audit"), binding("Warn", name="c"))])
    different = "failed: the warnings are ['too large', 'too large']; expected were []"
    assert messages(report) == ["passed", "passed", different, "passed"]


def test_operations_namespaces_and_parameters(tmp_path: Path) -> None:
    selector = {"matchLabels": {"kubernetes.io/metadata.name": "shop"}}
    limit = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "limit", "namespace": "shop"}, "most": 5}
    shop = {"metadata": {"name": "shop", "labels": {"team": "red", "kubernetes.io/metadata.name": "shop"}}}
    bound = binding("Deny", paramRef={"name": "limit", "parameterNotFoundAction": "Deny"})
    texts = [
        "request.operation != 'DELETE' || oldObject.size > params.most",
        "request.operation != 'CONNECT' || request.name == 'web' && request.subResource == 'exec'",
        "!request.dryRun",
        "namespaceObject.metadata.labels.team == 'red'",
        "request.userInfo.groups == ['red']",
    ]
    known = {"params": [limit], "namespaceObject": shop, "userInfo": {"groups": ["red"]}}
    connected = {"apiVersion": "v1", "kind": "PodExecOptions"}
    request: dict[str, Any] = {"resource": "pods", "subResource": "exec", "name": "web", "namespace": "shop"}
    none = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"
    tests = {
        "onCreate": [
            {"object": SMALL, **known, "params": [], "expectedDenial": none},
            {"object": SMALL, **known, "request": {"dryRun": True}, "expectedDenial": f"failed expression: {texts[2]}"},
            {"object": SMALL, "params": [limit], "userInfo": {}},
            {"object": SMALL, "params": [limit], "namespaceObject": shop},
        ],
        "onUpdate": [{"object": SMALL, "oldObject": LARGE, **known}],
        "onDelete": [
            {"oldObject": LARGE, **known},
            {"oldObject": SMALL, **known, "expectedDenial": f"failed expression: {texts[0]}"},
        ],
        "onConnect": [
            {"object": connected, "request": request, **known},
            {
                "object": connected,
                "request": request | {"name": "db"},
                **known,
                "expectedDenial": f"failed expression: {texts[1]}",
            },
        ],
    }
    match = {**POLICY["spec"]["matchConstraints"], "namespaceSelector": selector}
    spec = {
        "validations": [{"expression": text} for text in texts],
        "matchConditions": [],
        "auditAnnotations": [],
        "matchConstraints": match,
    }
    report = run_suites([folder_of(tmp_path, tests, bound, **spec)])
    lacks = "errored: the policy reads {}, which the case does not give: write {}"
    wanted = [
        "passed",
        "passed",
        lacks.format("Namespace shop", "namespaceObject"),
        lacks.format("the user of the request", "userInfo"),
    ]
    assert messages(report) == [*wanted, *["passed"] * 5]


def test_a_policy_or_binding_that_is_not_valid_is_reported_once_at_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = {"onCreate": [{"object": SMALL}, {"object": LARGE}]}
    monkeypatch.chdir(tmp_path)
    broken = {"validations": [{"expression": "object.size <"}]}
    (case,) = run_suites([folder_of(tmp_path / "a", cases, **broken)]).cases
    text = "the ValidatingAdmissionPolicy is not valid: spec.validations[0].expression: Invalid value: "
    assert case.message.startswith(text)
    assert case.message.endswith("\n'kubectl ovn-preflight a/policy.yaml' judges the file alone")
    line = (tmp_path / "a/policy.yaml").read_text().splitlines()[case.line - 1]
    assert (case.file, case.outcome, line) == ("a/policy.yaml", CaseOutcome.ERRORED, "  - expression: object.size <")
    (case,) = run_suites([folder_of(tmp_path / "b", cases, binding("Scold"))]).cases
    assert case.message.startswith(
        "the ValidatingAdmissionPolicyBinding is not valid: spec.validationActions[0]: Unsupported value"
    )
    assert (case.file, case.crd_file) == ("b/bindings.yaml", "bindings.yaml")


def test_a_policy_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = folder_of(tmp_path / "a", {"onCreate": [{"object": SMALL, **KNOWN}]}, binding("Deny"))
    (folder / "policy.yaml").rename(tmp_path / "policy.yaml")
    (case,) = run_suites(["a"]).cases
    assert case.message == "no ValidatingAdmissionPolicy size in .; name its folder with --policies"
    report = run_suites(["a"], policies=[tmp_path / "policy.yaml", tmp_path / "a"])
    assert (messages(report), report.cases[0].crd_file) == (["passed"], "policy.yaml")
    (folder / "more.yaml").write_text("name: size\na: [")
    (case,) = run_suites(["a"], policies=[tmp_path]).cases
    assert (case.crd_file, case.message[:15]) == ("more.yaml", "a/more.yaml:3: ")


def test_keywords_and_several_processes(tmp_path: Path) -> None:
    cases = [{"name": name, "object": SMALL, **KNOWN} for name in ("one", "two")]
    folder = folder_of(tmp_path, {"onCreate": cases})
    (folder / "tests" / NAME / "more.yaml").write_text((folder / "tests" / NAME / "suite.yaml").read_text())
    assert plan_suites([folder], keywords="two and suite").cases == 1
    assert messages(run_suites([folder], jobs=2)) == ["passed"] * 4
