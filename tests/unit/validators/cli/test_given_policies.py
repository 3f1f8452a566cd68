"""--policies: ValidatingAdmissionPolicies with bindings and parameters."""

from pathlib import Path

import pytest

from tests.support.preflight_run import report, run, widgets

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


CRD = widgets("{spec: {type: object, properties: {size: {type: integer}}}}")
TYPED = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: typed}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [%s], apiVersions: [v1], operations: [CREATE], resources: [%s]}
  validations:
  - expression: %s
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: everywhere}
spec: {policyName: typed, validationActions: [Warn]}
"""


@pytest.mark.parametrize(
    ("group", "resource", "expression", "warnings"),
    [
        ("example.com", "widgets", "object.spec.size > 1", ""),
        ("example.com", "widgets", "object.metadata.labels.all(k, k != 'a')", ""),
        (
            "example.com",
            "widgets",
            "object.spec.szie > 1",
            "warning: policy typed: spec.validations[0].expression: example.com/v1, Kind=Widget: "
            "ERROR: <input>:1:12: undefined field 'szie'\n | object.spec.szie > 1\n | ...........^\n",
        ),
        (
            "k8s.ovn.org",
            "clusteruserdefinednetworks",
            "object.spec.network.topolgy == 'Layer2'",
            "",
        ),
        (
            "k8s.ovn.org",
            "routeadvertisements",
            "object.spec.advertisement.size() > 0",
            "warning: policy typed: spec.validations[0].expression: k8s.ovn.org/v1, Kind=RouteAdvertisements: "
            "ERROR: <input>:1:12: undefined field 'advertisement'\n"
            " | object.spec.advertisement.size() > 0\n | ...........^\n",
        ),
        ("example.com", "gadgets", "object.spec.szie > 1", ""),
        ("apps", "deployments", "object.spec.replicas <= 5", ""),
        (
            "apps",
            "deployments",
            "object.spec.replica <= 5",
            "warning: policy typed: spec.validations[0].expression: apps/v1, Kind=Deployment: "
            "ERROR: <input>:1:12: undefined field 'replica'\n | object.spec.replica <= 5\n | ...........^\n",
        ),
        (
            '""',
            "pods",
            "object.spec.containers.all(c, c.image > 1)",
            "warning: policy typed: spec.validations[0].expression: /v1, Kind=Pod: "
            "ERROR: <input>:1:39: found no matching overload for '_>_' applied to '(string, int)'\n"
            " | object.spec.containers.all(c, c.image > 1)\n"
            " | ......................................^\n",
        ),
    ],
)
def test_expressions_are_checked_against_the_schemas_of_matched_kinds(
    tmp_path: Path, group: str, resource: str, expression: str, warnings: str
) -> None:
    (tmp_path / "crd.yaml").write_text(CRD)
    (tmp_path / "policy.yaml").write_text(TYPED % (group, resource, expression))
    result = run("-", "--policies", f"{tmp_path}/policy.yaml", "--crds", f"{tmp_path}/crd.yaml", stdin=OBJECT % "x")
    assert (result.return_value, result.stderr) == (0, warnings)


def test_a_schema_set_decides_between_two_definitions_of_a_kind(tmp_path: Path) -> None:
    text = TYPED % ("k8s.ovn.org", "clusteruserdefinednetworks", "object.spec.network.topolgy == 'Layer2'")
    (tmp_path / "policy.yaml").write_text(text)
    result = run("-", "--policies", f"{tmp_path}/policy.yaml", "--schema-set", "released", stdin=OBJECT % "x")
    assert "Kind=ClusterUserDefinedNetwork: ERROR: <input>:1:20: undefined field 'topolgy'" in result.stderr


def test_parameters_of_a_built_in_kind_have_its_schema(folder: Path) -> None:
    rule = "{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}"
    everything = '{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: ["*"]}'
    text = POLICY.replace(everything, rule)
    (folder / "policy.yaml").write_text(text)
    (folder / "binding.yaml").write_text(BINDING % "Deny")
    assert run("-", "--policies", str(folder), stdin=OBJECT % "green").stderr == ""
    (folder / "policy.yaml").write_text(text.replace("params.data.forbidden\n", "params.datum.forbidden\n"))
    assert run("-", "--policies", str(folder), stdin=OBJECT % "green").stderr == (
        "warning: policy no-local: spec.validations[0].expression: apps/v1, Kind=Deployment: "
        "ERROR: <input>:1:31: undefined field 'datum'\n"
        " | object.metadata.name != params.datum.forbidden\n | ..............................^\n"
    )


@pytest.mark.parametrize(("kubernetes", "judged"), [("1.29", True), ("1.33", True), ("1.34", False)])
def test_policies_of_v1beta1_judge_where_the_release_has_them(folder: Path, kubernetes: str, judged: bool) -> None:
    for name, text in (("policy", POLICY), ("binding", BINDING % "Deny")):
        (folder / f"{name}.yaml").write_text(text.replace("k8s.io/v1\n", "k8s.io/v1beta1\n"))
    arguments = ("-", "--policies", str(folder), "--kubernetes-version", kubernetes)
    code, document = report(*arguments, stdin=OBJECT % "blue")
    messages = [each["message"] for each in document["findings"] if each["severity"] == "error"]
    denied = "ValidatingAdmissionPolicy 'no-local' with binding 'everywhere' denied request: the name blue is taken"
    refused = 'Invalid value: "admissionregistration.k8s.io/v1beta1": must be admissionregistration.k8s.io/v1'
    assert (code, messages) == (1, [denied] if judged else [refused, refused])


def test_a_policy_that_the_server_refuses(folder: Path) -> None:
    (folder / "policy.yaml").write_text(POLICY.replace("failurePolicy: Fail", "failurePolicy: Maybe"))
    result = run("-", "--policies", str(folder), stdin=OBJECT % "blue")
    assert (result.return_value, result.stderr) == (1, "")
    assert result.stdout.splitlines()[:4] == [
        f"ValidatingAdmissionPolicy no-local  {folder}/policy.yaml:1",
        '  5:3: error: supported values: "Fail", "Ignore" (spec.failurePolicy: Unsupported value: "Maybe")',
        "    5 |   failurePolicy: Maybe",
        "      |   ^",
    ]
    assert "1 error" in result.stdout


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("1.28", "--kubernetes-version: 1.28 is not one of 1.29 to 1.37"),
        ("x", "--kubernetes-version: 'x' is not a Kubernetes version such as '1.35'"),
    ],
)
def test_releases_that_are_not_known(version: str, message: str) -> None:
    assert run("-", "--kubernetes-version", version, stdin=OBJECT % "a") == (2, "", f"Error: {message}\n")
    assert run("-", "--kubernetes-version", "v1.30.2", stdin=OBJECT % "a").return_value == 0


def test_a_namespace_that_is_not_given_does_not_deny(folder: Path) -> None:
    selector = "  matchResources: {namespaceSelector: {matchLabels: {team: red}}}\n"
    (folder / "binding.yaml").write_text((BINDING % "Deny").replace("---\n", f"{selector}---\n", 1))
    assert _answer(folder) == (0, [("note", "not checked: needs Namespace red (no-local)")])
    assert "1 rule not checked: no Namespace red given" in run("-", *_given(folder), stdin=OBJECT % "blue").stdout
    inventory = folder / "red.yaml"
    for team, expected in (("red", 1), ("blue", 0)):
        inventory.write_text(f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: red, labels: {{team: {team}}}}}\n")
        words = ("--policies", str(folder / "policy.yaml"), "--policies", str(folder / "binding.yaml"))
        assert report("-", *words, "--inventory", str(inventory), stdin=OBJECT % "blue")[0] == expected


def _given(folder: Path) -> tuple[str, str]:
    return "--policies", str(folder)


def _answer(folder: Path, text: str = OBJECT % "blue") -> tuple[int, list[tuple[str, str]]]:
    code, document = report("-", *_given(folder), stdin=text)
    found = [(each["severity"], each["message"]) for each in document["findings"]]
    return code, [each for each in found if not each[1].startswith("judged by type")]


NAME = "kubernetes.io/metadata.name"


@pytest.mark.parametrize(("operator", "code"), [("In", 1), ("NotIn", 0)])
def test_a_selector_of_the_name_alone_needs_no_namespace(folder: Path, operator: str, code: int) -> None:
    expressions = f"{{matchExpressions: [{{key: {NAME}, operator: {operator}, values: [red]}}]}}"
    selector = f"  matchResources: {{namespaceSelector: {expressions}}}\n"
    (folder / "binding.yaml").write_text((BINDING % "Deny").replace("---\n", f"{selector}---\n", 1))
    denied = "ValidatingAdmissionPolicy 'no-local' with binding 'everywhere' denied request: the name blue is taken"
    assert _answer(folder) == (code, [("error", denied)] * code)


FACTS = [
    ("namespaceObject.metadata.labels.team == 'red'", "Namespace red"),
    ("request.userInfo.username == 'system:admin'", "the user of the request"),
    ("authorizer.group('').resource('pods').check('create').allowed()", "the rights of the user"),
]


@pytest.mark.parametrize("failure", ["Fail", "Ignore"])
@pytest.mark.parametrize(
    ("place", "expression", "fact"),
    # conditions have no namespaceObject
    [*(("validation", *fact) for fact in FACTS), *(("condition", *fact) for fact in FACTS[1:])],
)
def test_what_only_a_cluster_knows_is_neither_denied_nor_accepted(
    folder: Path, place: str, expression: str, fact: str, failure: str
) -> None:
    rule = "object.metadata.name != params.data.forbidden"
    text = POLICY.replace("failurePolicy: Fail", f"failurePolicy: {failure}")
    if place == "condition":
        text += f'  matchConditions: [{{name: who, expression: "{expression}"}}]\n'
    else:
        text = text.replace(rule, f"{rule} && {expression}")
    (folder / "policy.yaml").write_text(text)
    for action in ("Deny", "Warn"):
        (folder / "binding.yaml").write_text(BINDING % action)
        assert _answer(folder, OBJECT % "green") == (0, [("note", f"not checked: needs {fact} (no-local)")])
    # what is false without the fact stays false
    (folder / "binding.yaml").write_text(BINDING % "Deny")
    assert _answer(folder)[0] == (1 if place == "validation" else 0)


@pytest.mark.parametrize(
    ("extra", "blue"),
    [
        ("    objectSelector: {matchLabels: {tier: gold}}\n", 0),
        ("    objectSelector: {matchLabels: {tier: silver}}\n", 1),
        ("    excludeResourceRules:\n    - {apiGroups: [apps], apiVersions: [v1], operations: ['*'], "
         "resources: [deployments]}\n", 0),
        ("  matchConditions: [{name: c, expression: \"object.metadata.labels['tier'] == 'gold'\"}]\n", 0),
        ("  matchConditions: [{name: c, expression: \"object.metadata.labels['tier'] == 'silver'\"}]\n", 1),
        ("  matchConditions: [{name: c, expression: \"request.namespace == 'red'\"}]\n", 1),
    ],
)  # fmt: skip
def test_what_a_policy_matches(folder: Path, extra: str, blue: int) -> None:
    (folder / "policy.yaml").write_text(POLICY.replace("  validations:", f"{extra}  validations:"))
    (folder / "binding.yaml").write_text(BINDING % "Deny")
    labelled = (OBJECT % "blue").replace("namespace: red", "namespace: red, labels: {tier: silver}")
    assert _answer(folder, labelled)[0] == blue


@pytest.mark.parametrize(
    ("scope", "manifest", "code"),
    [
        ("Namespaced", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: blue}\n", 1),
        ("Cluster", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: blue}\n", 0),
        ("Cluster", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: blue}\n", 1),
        ("Namespaced", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: blue}\n", 0),
    ],
)
def test_the_scope_of_a_rule_does_not_depend_on_a_namespace_that_is_omitted(
    folder: Path, scope: str, manifest: str, code: int
) -> None:
    (folder / "policy.yaml").write_text(POLICY.replace('resources: ["*"]', f'resources: ["*"], scope: {scope}'))
    (folder / "binding.yaml").write_text(BINDING % "Deny")
    assert _answer(folder, manifest)[0] == code


def test_files_without_a_policy_are_a_wrong_call(folder: Path) -> None:
    (folder / "policy.yaml").write_text(BINDING % "Deny")
    result = run("-", "--policies", str(folder), stdin=OBJECT % "blue")
    assert result == (2, "", "Error: --policies: the files contain no ValidatingAdmissionPolicy\n")
