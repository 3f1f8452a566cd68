"""Policies against the recorded answers of kube-apiserver 1.35.4, and what needs no server to be known."""

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.validators.policy import (
    CompiledBinding,
    CompiledPolicy,
    InvalidPolicy,
    PolicyRequest,
    PolicyVerdict,
    UserInfo,
    activation,
    compile_binding,
    compile_policy,
)
from tests.support.cel.policy_expressions import (
    CASES,
    DATA,
    NAMESPACE,
    PARAMS,
    REFUSED,
    Case,
    binding,
    expression,
    line,
    policy,
    request,
    stored,
)
from tests.support.paths import GOLDEN
from tests.support.soak import examples

RECORDED = [json.loads(text) for text in (GOLDEN / "policies.jsonl").read_text(encoding="utf-8").splitlines()]
ANSWERS = {one["case"]: one for one in RECORDED if "case" in one}
REFUSALS = [one["refused"] for one in RECORDED if "refused" in one]
# Those that count to millions; the tests on a real server run them too.
LIGHT = [case for case in CASES if "lists.range(300)" not in str(case.spec)]


def judged(case: Case, kubernetes: str = "1.35") -> PolicyVerdict:
    old = stored(case, "slow") if case.update else None
    made = compile_policy(policy(case), kubernetes)
    bound = [compile_binding(binding(case), kubernetes)]
    return made.evaluate(request(case, stored(case), old), bound, params=PARAMS, namespace=NAMESPACE)


@pytest.mark.parametrize("case", LIGHT, ids=lambda case: case.name)
def test_recorded_answer(case: Case) -> None:
    verdict = judged(case)
    ours = line(case.name, verdict.code, verdict.status() or {}, list(verdict.warnings))
    assert json.loads(ours) == ANSWERS[case.name]


@pytest.mark.parametrize("index", range(len(REFUSED)))
def test_recorded_refusal(index: int) -> None:
    kind, body = REFUSED[index]
    with pytest.raises(InvalidPolicy) as refusal:
        (compile_policy if kind == "policy" else compile_binding)(body)
    assert [[error.type.value, error.field, error.body] for error in refusal.value.errors] == REFUSALS[index]


def test_tables_are_the_recorded_ones() -> None:
    assert set(ANSWERS) == {case.name for case in CASES}
    assert len(REFUSALS) == len(REFUSED)
    assert len(LIGHT) > 180


FALSE = Case("x", expression("false", message="no"))


def policy_of(**spec: Any) -> dict[str, Any]:
    return policy(Case("x", {"validations": [{"expression": "true"}], **spec}))


@pytest.mark.parametrize("version", ["1.29", "1.30", "1.34"])
def test_older_releases(version: str) -> None:
    assert judged(FALSE, version).message == (
        "configmaps \"x\" is forbidden: ValidatingAdmissionPolicy 'x.policies.ovnguard.io' with binding "
        "'x.policies.ovnguard.io' denied request: no"
    )


def test_what_an_older_release_does_not_know() -> None:
    body = policy_of(validations=[{"expression": "semver('1.0.0').major() == 1"}])
    compile_policy(body, "1.35")
    with pytest.raises(InvalidPolicy, match="undeclared reference to 'semver'"):
        compile_policy(body, "1.32")
    # New expressions may only use what the release before knows too.
    with pytest.raises(InvalidPolicy, match="undeclared reference to 'semver'"):
        compile_policy(body, "1.33")


def test_a_policy_without_bindings_denies() -> None:
    verdict = compile_policy(policy(FALSE)).evaluate(request(FALSE, stored(FALSE), None), namespace=NAMESPACE)
    assert verdict.denials[0].text == "ValidatingAdmissionPolicy 'x.policies.ovnguard.io' denied request: no"
    assert verdict.matched


def test_without_bindings_every_parameter_counts() -> None:
    kind = {"apiVersion": "v1", "kind": "ConfigMap"}
    text = "params.data.max == '0'"
    made = compile_policy(
        policy_of(paramKind=kind, validations=[{"expression": text, "messageExpression": "string(params.data.max)"}])
    )
    verdict = made.evaluate(request(FALSE, stored(FALSE), None), params=[*PARAMS, NAMESPACE], namespace=NAMESPACE)
    assert [one.message for one in verdict.denials] == ["5", "20"]
    alone = made.evaluate(request(FALSE, stored(FALSE), None), namespace=NAMESPACE)
    assert [one.message for one in alone.denials] == [f"expression '{text}' resulted in error: no such key: data"]


def test_bindings_of_other_policies_do_not_count() -> None:
    other = binding(FALSE)
    other["spec"]["policyName"] = "other"
    made = compile_policy(policy(FALSE))
    assert made.evaluate(request(FALSE, stored(FALSE), None), [compile_binding(other)]).allowed
    assert made.evaluate(request(FALSE, stored(FALSE), None), []).allowed


@pytest.mark.parametrize(
    "text", ["authorizer.path('/x').check('get').allowed()", "authorizer.requestResource.check('get').allowed()"]
)
def test_authorizer_is_refused_in_clear_words(text: str) -> None:
    message = "authorizer is not available offline: only a cluster can say what a user may do"
    verdict = judged(Case("x", expression(text)))
    assert verdict.denials[0].message == f"expression '{text}' resulted in error: {message}"


def test_unknown_namespace() -> None:
    case = Case("x", expression("namespaceObject.metadata.name == 'a'"))
    verdict = compile_policy(policy(case)).evaluate(request(case, stored(case), None), [compile_binding(binding(case))])
    message = "namespaceObject is not known offline: give the object of namespace default"
    assert (
        verdict.denials[0].message == f"expression 'namespaceObject.metadata.name == 'a'' resulted in error: {message}"
    )


@pytest.mark.parametrize(("failure_policy", "count"), [("Fail", 1), ("Ignore", 0)])
def test_selector_on_an_unknown_namespace(failure_policy: str, count: int) -> None:
    selector = {"namespaceSelector": {"matchLabels": {"a": "b"}}}
    spec = {**expression("true"), "match": selector, "failurePolicy": failure_policy}
    case = Case("x", spec)
    verdict = compile_policy(policy(case)).evaluate(request(case, stored(case), None), [compile_binding(binding(case))])
    messages = ['failed to configure policy: namespaces "default" not found']
    assert [one.message for one in verdict.denials] == messages * count


def cluster(operation: str = "CREATE", **more: Any) -> PolicyRequest:
    held = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"generateName": "w-", "labels": {"a": "b"}}}
    fields: dict[str, Any] = {"group": "example.com", "version": "v1", "resource": "widgets", "kind": "Widget"}
    return PolicyRequest(operation, **{**fields, "object": held, **more})


def widget_policy(text: str = "false", **spec: Any) -> dict[str, Any]:
    rule = {"apiGroups": ["example.com"], "apiVersions": ["v1"], "resources": ["widgets"], "operations": ["*"]}
    body = policy_of(validations=[{"expression": text}], **spec)
    body["spec"]["matchConstraints"] = {"resourceRules": [{**rule, **spec.get("rule", {})}], **spec.get("match", {})}
    return body


def test_cluster_scoped_object() -> None:
    verdict = compile_policy(widget_policy("namespaceObject == null && !has(request.namespace)")).evaluate(cluster())
    assert verdict.allowed
    denied = compile_policy(widget_policy()).evaluate(cluster())
    assert denied.message.startswith('widgets.example.com "w-" is forbidden: ValidatingAdmissionPolicy ')
    status = denied.status()
    assert status is not None
    assert status["details"]["group"] == "example.com"
    selector = {"namespaceSelector": {"matchLabels": {"no": "where"}}}
    assert not compile_policy(widget_policy(match=selector)).evaluate(cluster()).allowed


@pytest.mark.parametrize(("scope", "allowed"), [("*", False), ("Cluster", False), ("Namespaced", True)])
def test_scope(scope: str, allowed: bool) -> None:
    assert compile_policy(widget_policy(rule={"scope": scope})).evaluate(cluster()).allowed is allowed


def test_deletion_has_only_an_old_object() -> None:
    old = {"metadata": {"name": "w", "labels": {"gone": "yes"}}}
    text = "object == null && oldObject.metadata.name == 'w' && request.operation == 'DELETE'"
    selector = {"objectSelector": {"matchLabels": {"gone": "yes"}}}
    made = compile_policy(widget_policy(text, match=selector))
    verdict = made.evaluate(cluster("DELETE", object=None, old_object=old, name="w"))
    assert (verdict.matched, verdict.allowed) == (True, True)
    assert not made.evaluate(cluster()).matched


@pytest.mark.parametrize(
    ("rule", "subresource", "matched"),
    [
        ("widgets", "", True),
        ("widgets", "status", False),
        ("widgets/status", "status", True),
        ("widgets/*", "status", True),
        ("widgets/*", "", True),
        ("*/status", "status", True),
        ("*/scale", "status", False),
    ],
)
def test_subresources(rule: str, subresource: str, matched: bool) -> None:
    made = compile_policy(widget_policy(rule={"resources": [rule]}))
    assert made.evaluate(cluster("UPDATE", subresource=subresource)).matched is matched


def test_namespaces_are_chosen_by_their_own_labels() -> None:
    rule = {"apiGroups": [""], "resources": ["namespaces"]}
    selector = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "default"}}}
    made = compile_policy(widget_policy("namespaceObject == null && false", rule=rule, match=selector))
    asked = PolicyRequest(
        "CREATE", "", "v1", "namespaces", "Namespace", object=NAMESPACE, name="default", namespace="default"
    )
    assert not made.evaluate(asked).allowed


def test_reviews_and_policies_are_never_judged() -> None:
    rule = {"apiGroups": ["*"], "resources": ["*"]}
    made = compile_policy(widget_policy(rule=rule))
    assert not made.evaluate(cluster(group="authorization.k8s.io", resource="subjectaccessreviews")).matched
    own = cluster(group="admissionregistration.k8s.io", resource="validatingadmissionpolicies")
    assert not made.evaluate(own).matched


@pytest.mark.parametrize(
    ("ref", "known", "message"),
    [
        (
            {"name": "p", "namespace": "n"},
            [{"apiVersion": "a/v1", "kind": "P", "metadata": {"name": "p"}}],
            "paramRef.namespace must not be provided for a cluster-scoped `paramKind`",
        ),
        (
            {"name": "p"},
            [{"apiVersion": "a/v1", "kind": "P", "metadata": {"name": "p", "namespace": "n"}}],
            "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
        ),
        ({"name": "p", "namespace": "n"}, [], "no params found for policy binding with `Deny` parameterNotFoundAction"),
        ({"selector": {}}, [], "no params found for policy binding with `Deny` parameterNotFoundAction"),
    ],
)
def test_parameters_that_cannot_be_had(ref: dict[str, Any], known: list[dict[str, Any]], message: str) -> None:
    made = compile_policy(widget_policy(paramKind={"apiVersion": "a/v1", "kind": "P"}))
    spec = {"policyName": made.name, "validationActions": ["Deny"]}
    held = {**ref, "parameterNotFoundAction": "Deny"}
    bound = compile_binding({**binding(FALSE), "spec": {**spec, "paramRef": held}})
    verdict = made.evaluate(cluster(), [bound], params=known)
    assert [one.message for one in verdict.denials] == [f"failed to configure binding: {message}"]


def test_cluster_scoped_parameter() -> None:
    made = compile_policy(widget_policy("params.limit == 1", paramKind={"apiVersion": "a/v1", "kind": "P"}))
    ref = {"name": "p", "parameterNotFoundAction": "Deny"}
    bound = compile_binding(
        {**binding(FALSE), "spec": {**binding(FALSE)["spec"], "policyName": made.name, "paramRef": ref}}
    )
    known = [{"apiVersion": "a/v1", "kind": "P", "metadata": {"name": "p"}, "limit": 2}]
    assert made.evaluate(cluster(), [bound], params=known).denials[0].message == "failed expression: params.limit == 1"


def bound_to(name: str, *actions: str) -> CompiledBinding:
    body = binding(FALSE)
    body["metadata"] = {"name": name}
    body["spec"]["validationActions"] = list(actions)
    return compile_binding(body)


def test_audit() -> None:
    body = policy_of(
        validations=[{"expression": "true"}, {"expression": "false", "message": 'say "no"'}],
        auditAnnotations=[
            {"key": "mode", "valueExpression": "' ' + object.data.mode + ' '"},
            {"key": "nothing", "valueExpression": "null"},
            {"key": "blank", "valueExpression": "'  '"},
        ],
    )
    bindings = [bound_to("one", "Audit"), bound_to("two", "Audit", "Warn")]
    verdict = compile_policy(body).evaluate(request(FALSE, stored(FALSE), None), bindings, namespace=NAMESPACE)
    assert verdict.allowed
    assert dict(verdict.audit_annotations) == {
        "validation.policy.admission.k8s.io/validation_failure": '[{"message":"say \\"no\\"",'
        '"policy":"x.policies.ovnguard.io","binding":"one","expressionIndex":1,"validationActions":["Audit"]}]',
        "x.policies.ovnguard.io/mode": "fast",
    }
    assert len(verdict.warnings) == 1


@pytest.mark.parametrize(("kubernetes", "recorded"), [("1.36", [0]), ("1.37", [0, 1])])
def test_the_annotation_has_the_first_failure_and_since_1_37_all(kubernetes: str, recorded: list[int]) -> None:
    made = compile_policy(policy_of(validations=[{"expression": "false"}, {"expression": "1 == 2"}]), kubernetes)
    asked = request(FALSE, stored(FALSE), None)
    verdict = made.evaluate(asked, [bound_to("one", "Audit")], namespace=NAMESPACE)
    found = json.loads(verdict.audit_annotations["validation.policy.admission.k8s.io/validation_failure"])
    assert [one["expressionIndex"] for one in found] == recorded


def test_since_1_37_the_annotation_has_50_failures() -> None:
    made = compile_policy(policy_of(validations=[{"expression": "false"}]), "1.37")
    bindings = [bound_to(f"b{index}", "Audit") for index in range(60)]
    verdict = made.evaluate(request(FALSE, stored(FALSE), None), bindings, namespace=NAMESPACE)
    found = json.loads(verdict.audit_annotations["validation.policy.admission.k8s.io/validation_failure"])
    assert [one["binding"] for one in found] == [f"b{index}" for index in range(50)]


def test_a_policy_of_1_37_has_no_duration_of_an_int() -> None:
    body = policy_of(
        validations=[{"expression": "duration(object.data.n) == duration('1s') || duration(1) > duration('1s')"}]
    )
    with pytest.raises(InvalidPolicy, match="found no matching overload for 'duration' applied to '\\(int\\)'"):
        compile_policy(body, "1.37")


def test_audit_annotations_of_several_parameters_are_joined() -> None:
    body = policy_of(
        paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
        auditAnnotations=[{"key": "max", "valueExpression": "string(params.data.max)"}],
    )
    verdict = compile_policy(body).evaluate(
        request(FALSE, stored(FALSE), None), params=[*PARAMS, PARAMS[0]], namespace=NAMESPACE
    )
    assert dict(verdict.audit_annotations) == {"x.policies.ovnguard.io/max": "5, 20"}


def test_audit_annotation_is_cut() -> None:
    body = policy_of(auditAnnotations=[{"key": "k", "valueExpression": "object.data.long + ''"}])
    case = Case("x", {}, data={"long": "y" * 20_000})
    verdict = compile_policy(body).evaluate(request(case, stored(case), None), namespace=NAMESPACE)
    assert verdict.audit_annotations["x.policies.ovnguard.io/k"] == "y" * 10_240


BUSY = "[1, 2, 3, 4, 5, 6, 7, 8].all(x, x > 0)"


def test_costs_add_up_and_variables_count_once() -> None:
    once = judged(Case("x", expression(BUSY))).cost
    body = {"variables": [{"name": "v", "expression": BUSY}]}
    twice = judged(Case("x", {**body, "validations": [{"expression": "variables.v"}, {"expression": "variables.v"}]}))
    assert once > 20
    assert twice.cost == once + 2 * 2
    assert judged(Case("x", {**body, **expression("true")})).cost == 0


@pytest.mark.parametrize(
    ("budget", "denials"),
    [
        (10**7, ["failed expression: false"]),
        (60, [f"failed messageExpression: {activation.OUT_OF_BUDGET}"] * 2),
        (10, [activation.OUT_OF_BUDGET]),
    ],
)
def test_budget(budget: int, denials: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ovnguard.validators.policy.evaluate.BUDGET", budget)
    monkeypatch.setattr(activation.Activation.__init__, "__defaults__", (budget,))
    expression = f"{BUSY} ? '' : ''"
    case = Case("x", {"validations": [{"expression": BUSY}, {"expression": "false", "messageExpression": expression}]})
    assert [one.message for one in judged(case).denials] == denials


@pytest.mark.parametrize(("failure_policy", "denied"), [("Fail", True), ("Ignore", False)])
def test_budget_of_match_conditions(failure_policy: str, denied: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ovnguard.validators.policy.evaluate.CONDITIONS_BUDGET", 10)
    conditions = [{"name": "a", "expression": BUSY}]
    verdict = judged(Case("x", {**expression("false"), "failurePolicy": failure_policy, "matchConditions": conditions}))
    assert [one.message for one in verdict.denials] == [activation.OUT_OF_BUDGET] * denied


def test_nothing_given_is_changed() -> None:
    case = Case("x", expression("object.data.map(k, k).size() == 9"))
    held = stored(case)
    before = json.dumps(held)
    compile_policy(policy(case)).evaluate(request(case, held, None), namespace=NAMESPACE)
    assert json.dumps(held) == before


def test_too_deep() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"a": deep}
    asked = cluster(object={"metadata": {"name": "w"}, "a": deep})
    with pytest.raises(ValueError, match="the request is nested too deeply"):
        compile_policy(widget_policy()).evaluate(asked)
    # Taking it apart layer by layer: freeing it at once would go as deep.
    while deep:
        deep = deep.pop("a", None)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ([], "<nil>: Invalid value: must be an object, got array"),
        ({}, "apiVersion: Invalid value: null: must be admissionregistration.k8s.io/v1"),
        (
            policy(FALSE) | {"spec": []},
            "spec: Invalid value: json: cannot unmarshal array into Go struct field ValidatingAdmissionPolicy.spec "
            "of type v1.ValidatingAdmissionPolicySpec",
        ),
        (
            policy(FALSE) | {"metadata": {"name": 1}},
            "metadata.name: Invalid value: json: cannot unmarshal number into Go struct field "
            "ObjectMeta.metadata.name of type string",
        ),
        (
            policy_of(validations=["x"]),
            "spec.validations[0]: Invalid value: json: cannot unmarshal string into Go struct field "
            "ValidatingAdmissionPolicySpec.spec.validations of type v1.Validation",
        ),
        (
            policy_of(validations=[{"expression": 1}]),
            "spec.validations[0].expression: Invalid value: json: cannot unmarshal number into Go struct field "
            "Validation.spec.validations.expression of type string",
        ),
        (
            policy_of(match={"objectSelector": {"matchLabels": {"a": 1}}}),
            "spec.matchConstraints.objectSelector.matchLabels[a]: Invalid value: json: cannot unmarshal number into "
            "Go struct field LabelSelector.spec.matchConstraints.objectSelector.matchLabels of type string",
        ),
        (
            policy_of(rule={"operations": [1]}),
            "spec.matchConstraints.resourceRules[0].operations[0]: Invalid value: json: cannot unmarshal number into "
            "Go struct field NamedRuleWithOperations.spec.matchConstraints.resourceRules.RuleWithOperations.operations "
            "of type v1.OperationType",
        ),
    ],
)
def test_what_does_not_decode(body: Any, text: str) -> None:
    with pytest.raises(InvalidPolicy) as refusal:
        compile_policy(body)
    assert [error.text for error in refusal.value.errors] == [text]


@pytest.mark.parametrize("key", ["auditAnnotations", "validations", "variables", "matchConditions", "message"])
def test_half_a_surrogate_pair_is_read_as_go_reads_it(key: str) -> None:
    """Go's decoder has no half pairs: each is U+FFFD."""
    texts = {
        "auditAnnotations": [{"key": "k\ud800", "valueExpression": "'\ud800'"}],
        "validations": [{"expression": "'\udc00' == ''"}],
        "variables": [{"name": "v", "expression": "'\ud800'"}],
        "matchConditions": [{"name": "m\ud800", "expression": "true"}],
        "message": [{"expression": "true", "message": "\ud800\n", "reason": "\ud800"}],
    }
    body = policy_of()
    body["spec"]["validations" if key == "message" else key] = texts[key]
    if key in {"validations", "variables"}:
        assert compile_policy(body).name == "x.policies.ovnguard.io"
        return
    with pytest.raises(InvalidPolicy) as refusal:
        compile_policy(body)
    assert all("\ud800" not in error.text for error in refusal.value.errors)


def test_unknown_release_and_operation() -> None:
    with pytest.raises(ValueError, match=r"version '1\.20': want 1\.29 or later"):
        compile_policy(policy(FALSE), "1.20")
    with pytest.raises(ValueError, match="operation 'PATCH' must be one of CREATE, UPDATE, DELETE, CONNECT"):
        cluster("PATCH")


def test_the_variable_request() -> None:
    kind = {"group": "example.com", "version": "v1", "kind": "Widget"}
    resource = {"group": "example.com", "version": "v1", "resource": "widgets"}
    asked = PolicyRequest(
        "CREATE",
        "example.com",
        "v1",
        "widgets",
        "Widget",
        name="n",
        namespace="ns",
        subresource="status",
        user=UserInfo("u", "1", ("g",), {"a": ("b",)}),
        dry_run=True,
    )
    assert asked.variable() == {
        "kind": kind,
        "requestKind": kind,
        "resource": resource,
        "requestResource": resource,
        "subResource": "status",
        "requestSubResource": "status",
        "name": "n",
        "namespace": "ns",
        "operation": "CREATE",
        "userInfo": {"username": "u", "uid": "1", "groups": ["g"], "extra": {"a": ["b"]}},
        "dryRun": True,
        "options": None,
    }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.dictionaries(st.sampled_from([*DATA, "missing", "max"]), JSON, max_size=6)


@cache
def everything() -> CompiledPolicy:
    """All expressions of the table in one policy."""
    found = [one for case in LIGHT for one in case.spec.get("validations", ())]
    plain = [one for one in found if "variables." not in str(one) and "params" not in str(one)]
    return compile_policy(policy_of(validations=plain, failurePolicy="Fail"))


@settings(max_examples=examples(25))
@given(data=JSON | FIELDS, old=JSON | st.fixed_dictionaries({"data": FIELDS}), meta=JSON, namespace=JSON)
def test_data_of_any_type_is_judged(data: Any, old: Any, meta: Any, namespace: Any) -> None:
    """Objects come without a schema: whatever is in them, an expression has a value or one of the engine's errors."""
    obj = {"data": data, "metadata": meta, "spec": old, "kind": meta}
    asked = request(FALSE, obj, old if isinstance(old, dict) else None)
    held = {"metadata": namespace, "spec": {"finalizers": data}, "status": {"phase": meta}}
    verdict = everything().evaluate(asked, namespace=held)
    assert len(verdict.decisions) == len(everything().source.validations)
    assert all(one.message or one.evaluation == "admit" for one in verdict.decisions)
