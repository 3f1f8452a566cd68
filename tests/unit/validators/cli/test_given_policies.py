"""--policies: ValidatingAdmissionPolicies with bindings and parameters."""

from pathlib import Path

import pytest

from tests.support.preflight_run import report, run
from validators.bundled.catalog import GroupVersionKind
from validators.cli.given_policies import resource_of

POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-local}
spec:
  failurePolicy: Fail
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules:
    - {apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: ["*"]}
  validations:
  - expression: object.metadata.name != params.data.forbidden
    messageExpression: "'the name ' + params.data.forbidden + ' is taken'"
"""
BINDING = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: everywhere}
spec:
  policyName: no-local
  validationActions: [%s]
  paramRef: {name: names, namespace: config, parameterNotFoundAction: Deny}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: names, namespace: config}
data: {forbidden: blue}
"""
OBJECT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s, namespace: red}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


def test_a_bound_policy_denies_in_the_servers_words(folder: Path) -> None:
    (folder / "binding.yaml").write_text(BINDING % "Deny")
    code, document = report("-", "--policies", str(folder), stdin=OBJECT % "blue")
    assert code == 1
    (denied,) = [each for each in document["findings"] if each["severity"] == "error"]
    assert (denied["rule"], denied["reason"], denied["message"]) == (
        "no-local",
        "Policy",
        "ValidatingAdmissionPolicy 'no-local' with binding 'everywhere' denied request: the name blue is taken",
    )
    assert report("-", "--policies", str(folder), stdin=OBJECT % "green")[0] == 0


def test_a_binding_may_only_warn(folder: Path) -> None:
    (folder / "binding.yaml").write_text(BINDING % "Warn")
    code, document = report("-", "--policies", str(folder), stdin=OBJECT % "blue")
    warnings = [each["message"] for each in document["findings"] if each["severity"] == "warning"]
    assert (code, warnings) == (
        0,
        [
            "Validation failed for ValidatingAdmissionPolicy 'no-local' with binding 'everywhere': "
            "the name blue is taken"
        ],
    )


def test_a_policy_without_a_binding_has_no_effect(folder: Path) -> None:
    result = run("-", "--policies", str(folder), stdin=OBJECT % "blue")
    assert (result.return_value, result.stderr) == (0, "warning: policy no-local has no binding and no effect\n")


def test_a_policy_that_the_server_refuses(folder: Path) -> None:
    (folder / "policy.yaml").write_text(POLICY.replace("failurePolicy: Fail", "failurePolicy: Maybe"))
    result = run("-", "--policies", str(folder), stdin=OBJECT % "blue")
    assert (result.return_value, result.stdout) == (2, "")
    assert result.stderr == (
        f'Error: {folder}/policy.yaml:5:3: spec.failurePolicy: Unsupported value: "Maybe": '
        'supported values: "Fail", "Ignore"\n'
    )


@pytest.mark.parametrize(
    ("kind", "resource"),
    [
        (("", "v1", "Pod"), "pods"),
        (("", "v1", "Endpoints"), "endpoints"),
        (("networking.k8s.io", "v1", "Ingress"), "ingresses"),
        (("networking.k8s.io", "v1", "NetworkPolicy"), "networkpolicies"),
        (("k8s.cni.cncf.io", "v1", "NetworkAttachmentDefinition"), "network-attachment-definitions"),
    ],
)
def test_resources_of_kinds(kind: tuple[str, str, str], resource: str) -> None:
    assert resource_of(GroupVersionKind(*kind)) == resource


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("1.28", "--kubernetes-version: 1.28 is not one of 1.29 to 1.35"),
        ("x", "--kubernetes-version: 'x' is not a Kubernetes version such as '1.35'"),
    ],
)
def test_releases_that_are_not_known(version: str, message: str) -> None:
    assert run("-", "--kubernetes-version", version, stdin=OBJECT % "a") == (2, "", f"Error: {message}\n")
    assert run("-", "--kubernetes-version", "v1.30.2", stdin=OBJECT % "a").return_value == 0


def test_a_namespace_that_is_not_given_does_not_deny(folder: Path) -> None:
    selector = "  matchResources: {namespaceSelector: {matchLabels: {team: red}}}\n"
    (folder / "binding.yaml").write_text((BINDING % "Deny").replace("---\n", f"{selector}---\n", 1))
    code, document = report("-", "--policies", str(folder), stdin=OBJECT % "blue")
    said = [(each["severity"], each["message"]) for each in document["findings"] if each["rule"] == "no-local"]
    text = "policy no-local selects by the labels of Namespace red, which --inventory does not contain"
    assert (code, said) == (0, [("warning", f"{text}; it was not evaluated")])
    inventory = folder / "red.yaml"
    for team, expected in (("red", 1), ("blue", 0)):
        inventory.write_text(f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: red, labels: {{team: {team}}}}}\n")
        words = ("--policies", str(folder / "policy.yaml"), "--policies", str(folder / "binding.yaml"))
        assert report("-", *words, "--inventory", str(inventory), stdin=OBJECT % "blue")[0] == expected


def test_files_without_a_policy_are_a_wrong_call(folder: Path) -> None:
    (folder / "policy.yaml").write_text(BINDING % "Deny")
    result = run("-", "--policies", str(folder), stdin=OBJECT % "blue")
    assert result == (2, "", "Error: --policies: the files contain no ValidatingAdmissionPolicy\n")
