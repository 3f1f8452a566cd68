"""Admission policies as documents, among the manifests and in --policies."""

from itertools import product
from pathlib import Path

import pytest

from ovnguard.validators.cli.outputs import FORMATS
from tests.support.preflight_run import report, run

HEAD = "apiVersion: admissionregistration.k8s.io/v1\nkind: %s\nmetadata: {name: %s}\n"
POLICY = (
    HEAD % ("ValidatingAdmissionPolicy", "replicas")
    + """\
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations:
  - expression: object.spec.replicas <= 5
"""
)
BINDING = HEAD % ("ValidatingAdmissionPolicyBinding", "everywhere") + "spec: {policyName: replicas, %s}\n"
MUTATING = ("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding")
OBJECT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: red}\n"
STRUCT = "Invalid value: json: cannot unmarshal number into Go struct field "


def found(text: str, *options: str) -> tuple[int, list[tuple[int, str, str]]]:
    code, document = report("-", *options, stdin=text)
    return code, [(each["line"], each["path"], each["message"]) for each in document["findings"]]


def test_a_policy_and_a_binding_that_the_server_accepts() -> None:
    code, document = report("-", stdin=f"{POLICY}---\n{BINDING % 'validationActions: [Deny]'}")
    assert (code, document["findings"], document["summary"]["objects"], document["summary"]["notJudged"]) == (
        0,
        [],
        2,
        0,
    )


@pytest.mark.parametrize(
    ("old", "new", "findings"),
    [
        (
            "Fail",
            "Maybe",
            [(5, "spec.failurePolicy", 'Unsupported value: "Maybe": supported values: "Fail", "Ignore"')],
        ),
        (
            "replicas <= 5",
            "replicas <= ",
            [
                (
                    10,
                    "spec.validations[0].expression",
                    'Invalid value: "object.spec.replicas <=": compilation failed: ERROR: <input>:1:24: Syntax error: '
                    "mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', "
                    "NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | object.spec.replicas <=\n"
                    " | .......................^",
                )
            ],
        ),
        (
            "name: replicas",
            "name: Replicas",
            [
                (
                    3,
                    "metadata.name",
                    'Invalid value: "Replicas": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric '
                    "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
                    "'example.com', regex used for validation is "
                    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
                )
            ],
        ),
        (
            "expression: object.spec.replicas <= 5",
            "expression: 5",
            [
                (
                    10,
                    "spec.validations[0].expression",
                    f"{STRUCT}Validation.spec.validations.expression of type string",
                )
            ],
        ),
        (
            "apiGroups: [apps]",
            "apiGroups: [1]",
            [
                (
                    8,
                    "spec.matchConstraints.resourceRules[0].apiGroups[0]",
                    f"{STRUCT}NamedRuleWithOperations.spec.matchConstraints.resourceRules.RuleWithOperations.Rule."
                    "apiGroups of type string",
                )
            ],
        ),
        # the order is the server's; the last two come when the unknown fields are gone
        (
            "failurePolicy: Fail",
            "failurePolicies: Fail\n  Variables: []\n  failurePolicy: Never\n  paramKind: {kind: ConfigMap}",
            [
                (6, "spec.Variables", 'Invalid value: unknown field "spec.Variables"'),
                (5, "spec.failurePolicies", 'Invalid value: unknown field "spec.failurePolicies"'),
                (7, "spec.failurePolicy", 'Unsupported value: "Never": supported values: "Fail", "Ignore"'),
                (8, "spec.paramKind.apiVersion", "Required value"),
            ],
        ),
    ],
)
def test_errors_of_a_policy_at_their_lines(
    tmp_path: Path, old: str, new: str, findings: list[tuple[int, str, str]]
) -> None:
    text = POLICY.replace(old, new, 1)
    assert found(text) == (1, findings)
    file = tmp_path / "policy.yaml"
    file.write_text(text)
    assert found(OBJECT, "--policies", str(file))[0] == 1
    assert [each for each in found(OBJECT, "--policies", str(file))[1] if each[1] and each[1] != "kind"] == findings
    # a file that is both is reported once
    once = report(str(file))[1]["summary"]["errors"]
    assert report(str(file), "--policies", str(file))[1]["summary"]["errors"] == once


def test_errors_of_a_binding_at_their_lines() -> None:
    assert found(BINDING % "validationActions: [Deny, Warn, Deny]") == (
        1,
        [
            (4, "spec.validationActions[2]", 'Duplicate value: "Deny"'),
            (
                4,
                "spec.validationActions",
                'Invalid value: ["Deny","Warn","Deny"]: must not contain both Deny and Warn (repeating the same '
                "validation failure information in the API response and headers serves no purpose)",
            ),
        ],
    )
    assert found(BINDING % "paramRef: {name: a}", "--kubernetes-version", "1.30") == (
        1,
        [
            (4, "spec.paramRef.parameterNotFoundAction", "Required value"),
            (4, "spec.validationActions", "Required value: at least one validation action is required"),
        ],
    )


def test_values_and_fields_are_written_as_go_writes_them() -> None:
    # a type with a name of its own is written as JSON, a path as a Go string
    assert found(BINDING % 'validationActions: ["\\0"]')[1] == [
        (4, "spec.validationActions[0]", 'Unsupported value: "\\u0000": supported values: "Audit", "Deny", "Warn"')
    ]
    assert [each[2] for each in found(BINDING % 'validationActions: [Deny], "a\\n": 1')[1]] == [
        'Invalid value: unknown field "spec.a\\n"'
    ]


def test_the_words_are_those_of_the_release() -> None:
    text = POLICY.replace("apiGroups: [apps]", "apiGroups: [1]")
    assert found(text, "--kubernetes-version", "1.34")[1][0][2] == (
        f"{STRUCT}NamedRuleWithOperations.spec.matchConstraints.resourceRules.apiGroups of type string"
    )


@pytest.mark.parametrize("name", FORMATS)
def test_a_broken_policy_is_in_every_output(tmp_path: Path, name: str) -> None:
    (tmp_path / "policy.yaml").write_text(POLICY.replace("Fail", "Maybe"))
    for words in (("-", "--policies", f"{tmp_path}/policy.yaml"), (f"{tmp_path}/policy.yaml",)):
        result = run(*words, "-o", name, stdin=OBJECT)
        assert (result.return_value, result.stderr) == (1, "")
        assert "policy.yaml" in result.stdout
        assert "supported values" in result.stdout


def test_the_other_policies_judge(tmp_path: Path) -> None:
    broken = POLICY.replace("Fail", "Maybe").replace("name: replicas", "name: broken")
    bound = f"{POLICY}---\n{BINDING % 'validationActions: [Deny]'}---\n{broken}"
    (tmp_path / "policies.yaml").write_text(bound)
    code, document = report("-", "--policies", str(tmp_path), stdin=f"{OBJECT}spec: {{replicas: 7}}\n")
    assert code == 1
    assert [(each["name"], each["rule"]) for each in document["findings"] if each["severity"] == "error"] == [
        ("broken", ""),
        ("a", "replicas"),
    ]


def not_judged(kind: str, version: str) -> str:
    of = f"{kind} of admissionregistration.k8s.io/{version}"
    return f"not judged: {of} would change objects, which are judged as they are written"


@pytest.mark.parametrize(("kind", "version"), [*product(MUTATING, ["v1", "v1alpha1"])])
def test_a_mutating_policy_among_the_manifests_is_named_as_not_judged(kind: str, version: str) -> None:
    code, document = report("-", stdin=(HEAD % (kind, "m")).replace("/v1\n", f"/{version}\n"))
    assert [(each["rule"], each["severity"], each["message"]) for each in document["findings"]] == [
        ("mutating-admission-policy", "warning", not_judged(kind, version))
    ]
    assert (code, document["summary"]["notJudged"], document["summary"]["warnings"]) == (0, 1, 1)


@pytest.mark.parametrize("kind", MUTATING)
def test_a_mutating_policy_that_is_given_is_named_as_not_judged(tmp_path: Path, kind: str) -> None:
    (tmp_path / "m.yaml").write_text(HEAD % (kind, "m"))
    _, document = report("-", "--policies", f"{tmp_path}/m.yaml", stdin=OBJECT)
    named = [each for each in document["findings"] if each["rule"] == "mutating-admission-policy"]
    assert [(each["severity"], each["message"]) for each in named] == [("warning", not_judged(kind, "v1"))]


def test_a_mutating_policy_may_be_ignored_but_has_no_schema() -> None:
    text = HEAD % ("MutatingAdmissionPolicy", "m")
    assert run("-", "--require-schemas", stdin=text).return_value == 4
    assert report("-", "--ignore", "mutating-admission-policy", stdin=text)[1]["findings"] == []


CONDITIONAL = POLICY.replace("  validations:", "  matchConditions:\n  - {name: a, expression: %s}\n  validations:")


def updated(tmp_path: Path, old: str, new: str, *options: str) -> list[tuple[int, str, str]]:
    (tmp_path / "old.yaml").write_text(old)
    return found(new, "--old", str(tmp_path / "old.yaml"), *options)[1]


def test_an_update_checks_changed_match_conditions_only(tmp_path: Path) -> None:
    broken = CONDITIONAL % "'1 + 1'"
    wrong = [(10, "spec.matchConditions[0].expression", 'Invalid value: "1 + 1": must evaluate to bool but got int')]
    assert found(broken)[1] == wrong
    assert updated(tmp_path, CONDITIONAL % "'1 + 1'", broken) == []
    assert updated(tmp_path, CONDITIONAL % "'true'", broken) == wrong
    with_params = broken.replace(
        "  matchConstraints:", "  paramKind: {apiVersion: v1, kind: ConfigMap}\n  matchConstraints:"
    )
    assert [field for _, field, _ in updated(tmp_path, broken, with_params)] == ["spec.matchConditions[0].expression"]


def test_an_update_may_keep_what_its_release_introduced(tmp_path: Path) -> None:
    new = POLICY.replace("object.spec.replicas <= 5", "semver('1.0.0').major() == 1")
    (wrong,) = found(new, "--kubernetes-version", "1.33")[1]
    assert "undeclared reference to 'semver'" in wrong[2]
    assert updated(tmp_path, new, new, "--kubernetes-version", "1.33") == []
    assert updated(tmp_path, POLICY, new, "--kubernetes-version", "1.33") == [wrong]


def test_an_update_of_metadata_is_checked_as_every_update(tmp_path: Path) -> None:
    old = BINDING.replace("name: everywhere", "name: everywhere, uid: a") % "validationActions: [Deny]"
    labelled = old.replace("uid: a", "labels: {a: b c}")
    complaint = (
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start"
        " and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for"
        " validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
    )
    assert updated(tmp_path, old, labelled) == [(3, "metadata.labels", f'Invalid value: "b c": {complaint}')] * 3
    assert updated(tmp_path, old, old.replace("uid: a", "uid: b")) == [
        (
            1,
            "",
            "Invalid value: Operation cannot be fulfilled on validatingadmissionpolicybindings"
            '.admissionregistration.k8s.io "everywhere": StorageError: invalid object, Code: 4, Key: /registry/'
            "validatingadmissionpolicybindings/everywhere, ResourceVersion: 0, AdditionalErrorMsg: Precondition"
            " failed: UID in precondition: b, UID in object meta: a",
        )
    ]


@pytest.mark.parametrize(
    ("version", "kubernetes", "judged"),
    [
        ("v1", "1.29", False),
        ("v1", "1.30", True),
        ("v1beta1", "1.29", True),
        ("v1beta1", "1.33", True),
        ("v1beta1", "1.34", False),
    ],
)
def test_a_release_judges_the_versions_that_it_has(version: str, kubernetes: str, judged: bool) -> None:
    text = POLICY.replace("k8s.io/v1", f"k8s.io/{version}").replace("<= 5", "<= x")
    messages = [message for _, _, message in found(text, "--kubernetes-version", kubernetes)[1]]
    undeclared = (
        'Invalid value: "object.spec.replicas <= x": compilation failed: ERROR: <input>:1:25:'
        " undeclared reference to 'x' (in container '')\n | object.spec.replicas <= x\n | ........................^"
    )
    kind = f"ValidatingAdmissionPolicy of admissionregistration.k8s.io/{version}"
    assert messages == [undeclared if judged else f"not judged: {kind} is built into the API server"]


def test_a_policy_of_v1beta1_does_not_decode_in_the_words_of_its_version() -> None:
    text = POLICY.replace("k8s.io/v1", "k8s.io/v1beta1").replace("failurePolicy: Fail", "failurePolicy: 1")
    (found_one,) = found(text, "--kubernetes-version", "1.33")[1]
    assert found_one[2].startswith(
        'Invalid value: ValidatingAdmissionPolicy in version "v1beta1" cannot be handled as a ValidatingAdmissionPolicy'
        ": json: cannot unmarshal number into Go struct field ValidatingAdmissionPolicySpec.spec.failurePolicy of type"
    )
