"""Policies on requests of other kinds: cluster-scoped objects, namespaces, deletions, subresources, API groups."""

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from ovnguard.validators.policy import PolicyRequest, UserInfo, compile_binding, compile_policy
from tests.support.verdicts.policy_client import BINDINGS, POLICIES, Client
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import wait_until

pytestmark = pytest.mark.e2e

ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
LABELS = {"policy-kinds": "yes"}
USER = UserInfo("admin", groups=("system:masters", "system:authenticated"))


def role(**metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"labels": LABELS, **metadata},
        "rules": [],
    }


def deployment(name: str) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 7, "selector": {"matchLabels": {"app": name}}, "template": template}
    metadata = {"name": name, "namespace": "default", "labels": LABELS}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


STORED_ROLE, STORED_DEPLOYMENT = role(name="policy-kinds-stored"), deployment("policy-kinds-stored")
SCALE = {
    "apiVersion": "autoscaling/v1",
    "kind": "Scale",
    "metadata": {"name": "policy-kinds-stored", "namespace": "default", "labels": LABELS},
    "spec": {"replicas": 9},
}
RBAC = {"group": "rbac.authorization.k8s.io", "version": "v1", "resource": "clusterroles", "kind": "ClusterRole"}
APPS = {"group": "apps", "version": "v1", "resource": "deployments", "kind": "Deployment", "namespace": "default"}
SPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "policy-kinds", "labels": LABELS}}


@dataclass(frozen=True)
class Kind:
    """One request, the rule that is about it, and an expression that is false for it."""

    name: str
    rule: tuple[str, str]
    text: str
    http: tuple[str, str, dict[str, Any] | None]
    request: dict[str, Any]
    match: dict[str, Any] = field(default_factory=dict)
    reason: str | None = None


SELECTED = {"objectSelector": {"matchLabels": LABELS}}
KINDS = (
    Kind(
        "generated-name",
        ("rbac.authorization.k8s.io", "clusterroles"),
        "namespaceObject != null || has(request.namespace) || has(object.metadata.namespace)",
        ("POST", ROLES, role(generateName="policy-kinds-made-")),
        {**RBAC, "operation": "CREATE", "object": role(generateName="policy-kinds-made-")},
        SELECTED,
    ),
    Kind(
        "deletion",
        ("rbac.authorization.k8s.io", "clusterroles"),
        "object != null || oldObject.metadata.name != 'policy-kinds-stored' || request.operation != 'DELETE'",
        ("DELETE", f"{ROLES}/policy-kinds-stored", None),
        {**RBAC, "operation": "DELETE", "old_object": STORED_ROLE, "name": "policy-kinds-stored"},
        SELECTED,
        "Forbidden",
    ),
    Kind(
        "namespace",
        ("", "namespaces"),
        "request.namespace != 'policy-kinds' || namespaceObject != null",
        ("POST", "/api/v1/namespaces", SPACE),
        {
            "group": "",
            "version": "v1",
            "resource": "namespaces",
            "kind": "Namespace",
            "operation": "CREATE",
            "object": SPACE,
            "name": "policy-kinds",
            "namespace": "policy-kinds",
        },
        {"namespaceSelector": {"matchLabels": LABELS}},
    ),
    Kind(
        "deployment",
        ("apps", "deployments"),
        "object.spec.replicas <= 5",
        ("POST", DEPLOYMENTS, deployment("policy-kinds-new")),
        {**APPS, "operation": "CREATE", "object": deployment("policy-kinds-new"), "name": "policy-kinds-new"},
        SELECTED,
        "RequestEntityTooLarge",
    ),
    Kind(
        "scale",
        ("apps", "deployments/scale"),
        "request.subResource != 'scale' || request.kind.kind != 'Scale' || object.spec.replicas < 9",
        ("PUT", f"{DEPLOYMENTS}/policy-kinds-stored/scale", SCALE),
        {
            **APPS,
            "operation": "UPDATE",
            "kind": "Scale",
            "object": SCALE,
            "subresource": "scale",
            "name": "policy-kinds-stored",
        },
    ),
    Kind(
        "scope",
        ("*", "*"),
        "request.operation != 'DELETE' || object != null",
        ("DELETE", f"{DEPLOYMENTS}/policy-kinds-stored", None),
        {**APPS, "operation": "DELETE", "old_object": STORED_DEPLOYMENT, "name": "policy-kinds-stored"},
        SELECTED,
    ),
)


def policy(kind: Kind) -> dict[str, Any]:
    group, resource = kind.rule
    rule: dict[str, Any] = {"apiGroups": [group], "apiVersions": ["*"], "resources": [resource], "operations": ["*"]}
    if kind.name == "scope":
        rule |= {"scope": "Namespaced"}
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": f"policy-kinds-{kind.name}"},
        "spec": {
            "matchConstraints": {"resourceRules": [rule], **kind.match},
            "validations": [{"expression": kind.text, **({"reason": kind.reason} if kind.reason else {})}],
        },
    }


def binding(kind: Kind) -> dict[str, Any]:
    name = f"policy-kinds-{kind.name}"
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": name, "validationActions": ["Deny"]},
    }


@pytest.fixture(scope="module")
def answers(apiserver: ApiServer) -> Iterator[dict[str, tuple[int, dict[str, Any]]]]:
    """Status and answer of each request, with no other policy of this table at work."""
    found = {}
    with contextlib.ExitStack() as undo:
        client = Client(apiserver)
        for path, body in ((ROLES, STORED_ROLE), (DEPLOYMENTS, STORED_DEPLOYMENT)):
            assert client.send("POST", path, body)[0] == 201
            undo.callback(client.send, "DELETE", f"{path}/{body['metadata']['name']}")
        for kind in KINDS:
            with contextlib.ExitStack() as applied:
                for path, body in ((POLICIES, policy(kind)), (BINDINGS, binding(kind))):
                    assert client.send("POST", path, body)[0] == 201
                    applied.callback(client.send, "DELETE", f"{path}/{body['metadata']['name']}")
                method, path, sent = kind.http

                def ask(method: str = method, path: str = path, body: Any = sent) -> int:
                    return client.send(method, f"{path}?dryRun=All", body)[0]

                wait_until(lambda ask=ask: ask() >= 400, f"the policy {kind.name} denies", 60)
                found[kind.name] = client.send(method, f"{path}?dryRun=All", sent)[:2]
            wait_until(lambda ask=ask: ask() < 400, f"the policy {kind.name} is gone", 60)
        yield found


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_api_server_answers_as_our_evaluation(answers: dict[str, tuple[int, dict[str, Any]]], kind: Kind) -> None:
    asked = PolicyRequest(user=USER, dry_run=True, **kind.request)
    verdict = compile_policy(policy(kind)).evaluate(asked, [compile_binding(binding(kind))])
    status, answer = answers[kind.name]
    # The server has made a name by then.
    known = re.sub(r"policy-kinds-made-\w{5}", "policy-kinds-made-", json.dumps(answer))
    assert (verdict.code, verdict.status()) == (status, json.loads(known))
