"""Rights, and what ``authorizer`` answers by them. The API server's own code answers random ones in conformance."""

import pytest

from ovnguard.validators.cel.values.authorizer_values import Check
from ovnguard.validators.policy import CompiledPolicy, PolicyRequest, PolicyVerdict, UserInfo, compile_policy
from ovnguard.validators.policy.rights import Right, authorize_by

ALICE = "alice"
ROBOT = "system:serviceaccount:shop:robot"
POD = Check(ALICE, "get", group="", resource="pods", namespace="shop", name="web")
LOG = POD._replace(subresource="log")
HEALTH = Check(ALICE, "get", path="/healthz/etcd")


@pytest.mark.parametrize(
    ("right", "asked", "allowed"),
    [
        (Right(ALICE, ("get",), ("",), ("pods",)), POD, True),
        (Right("bob", ("get",), ("",), ("pods",)), POD, False),
        (Right(ALICE, ("list", "watch"), ("",), ("pods",)), POD, False),
        (Right(ALICE, ("get",), ("apps",), ("pods",)), POD, False),
        (Right(ALICE, ("get",), ("",), ("pods",)), LOG, False),
        (Right(ALICE, ("get",), ("",), ("pods/log",)), LOG, True),
        (Right(ALICE, ("get",), ("",), ("*/log",)), LOG, True),
        (Right(ALICE, ("get",), ("",), ("*/log",)), POD, False),
        (Right(ALICE, ("*",), ("*",), ("*",)), LOG, True),
        (Right(ALICE, ("*",), ("*",), ("*",)), HEALTH, False),
        (Right(ALICE, ("get",), ("",), ("pods",), ("web",)), POD, True),
        (Right(ALICE, ("get",), ("",), ("pods",), ("web",)), POD._replace(name=""), False),
        (Right(ALICE, ("get",), ("",), ("pods",), namespaces=("shop",)), POD, True),
        (Right(ALICE, ("get",), ("",), ("pods",), namespaces=("shop",)), POD._replace(namespace=""), False),
        (Right(ALICE, ("get",), paths=("/healthz/*",)), HEALTH, True),
        (Right(ALICE, ("get",), paths=("*",)), HEALTH, True),
        (Right(ALICE, ("get",), paths=("/healthz", "/*/etcd")), HEALTH, False),
    ],
)
def test_a_rule_allows(right: Right, asked: Check, allowed: bool) -> None:
    assert right.allows(asked) is allowed
    assert authorize_by([right])(asked) is allowed


RIGHTS = [
    Right(ALICE, ("use",), ("example.com",), ("widgets",), ("w1",), namespaces=("shop",)),
    Right(ALICE, ("get",), paths=("/healthz",)),
    Right(ROBOT, ("get",), ("",), ("pods/log",)),
]


def policy(text: str) -> CompiledPolicy:
    rule = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}
    return compile_policy(
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": "rights"},
            "spec": {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": text}]},
        }
    )


def judged(text: str, rights: list[Right]) -> PolicyVerdict:
    request = PolicyRequest(
        "CREATE",
        "example.com",
        "v1",
        "widgets",
        "Widget",
        object={},
        name="w1",
        namespace="shop",
        user=UserInfo(ALICE),
    )
    return policy(text).evaluate(request, authorize=authorize_by(rights))


_LOG = "authorizer.serviceAccount('shop', 'robot').group('').resource('pods').subresource('log')"


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("authorizer.requestResource.check('use').allowed()", 350_002),
        ("authorizer.path('/healthz').check('get').allowed()", 350_003),
        (f"{_LOG}.namespace('shop').name('web').check('get').allowed()", 350_008),
        (f"{_LOG}.fieldSelector('a=bcd').labelSelector('').check('get').allowed()", 350_006 + 161 + 10),
    ],
)
def test_an_expression_is_allowed_with_the_rights_and_not_without(text: str, cost: int) -> None:
    allowed, denied = judged(text, RIGHTS), judged(text, [])
    assert (allowed.allowed, denied.allowed) == (True, False)
    assert (allowed.cost, denied.cost) == (cost, cost)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("authorizer.path(' ').check('get').allowed()", "path must not be empty"),
        ("authorizer.group('').resource('').check('get').allowed()", "resource must not be empty"),
        ("authorizer.serviceAccount('a', 'B').path('/').check('get').allowed()", "Invalid service account name"),
        ("authorizer.serviceAccount('a.b', 'b').path('/').check('get').allowed()", "Invalid service account namespace"),
        ("authorizer == authorizer", "no such overload"),
    ],
)
def test_an_expression_without_a_value(text: str, error: str) -> None:
    assert judged(text, RIGHTS).denials[0].message == f"expression '{text}' resulted in error: {error}"


def test_a_decision_has_neither_a_reason_nor_an_error() -> None:
    check = "authorizer.path('/healthz').check('get')"
    text = f"{check}.reason() == '' && {check}.error() == '' && !{check}.errored()"
    verdict = judged(text, RIGHTS)
    limit = "operation cancelled: actual cost limit exceeded"
    assert verdict.denials[0].message == f"expression '{text}' resulted in error: {limit}"
    # the budget pays for the call that exceeded the limit, too
    assert verdict.cost == 1_050_008
    for part in text.split(" && "):
        assert judged(part, RIGHTS).allowed
