"""The real kube-apiserver takes the bundled policies as they are, and says of every case what our judgement says.

What is stored before an update is brought past the policies by a label that their bindings, here alone, pass over.
"""

import copy
import re
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import yaml

from ovnguard import crd_schemas
from ovnguard.crd_schemas import POLICIES, data_files
from ovnguard.validators.admission import Judgement, Operation, Request, judge
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.bundled.policy_kinds import NAMESPACED, WATCHED
from ovnguard.validators.network.cluster_view import EmptyView, ObjectsView
from ovnguard.validators.network.declared.network_of import group_kind_of
from tests.support.policy_case_files import PolicyCase, policy_cases
from tests.support.verdicts.server_verdicts import CRDS, Answer, Client
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import wait_until

pytestmark = pytest.mark.e2e

REGISTRATION = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"
NAD = "common/k8s.cni.cncf.io/v1/network-attachment-definitions.yaml"
SETUP = "ovnguard.io/setup"
CASES = policy_cases()
MERGE = "application/merge-patch+json"
_DENIED = re.compile(r"ValidatingAdmissionPolicy '([^']+)' with binding '[^']+' denied request: (.+)", re.DOTALL)
_WARNED = re.compile(r"Validation failed for ValidatingAdmissionPolicy '([^']+)' with binding '[^']+': (.+)", re.DOTALL)
SENTINEL = {"name": "sentinel.ovnguard.io"}


class Impersonator(Client):
    """A client that can ask as somebody else, with all rights."""

    def __init__(self, server: ApiServer) -> None:
        super().__init__(server)
        self.user = ""

    def headers(self) -> dict[str, str]:
        """What makes the server take us for ``user``."""
        return {"Impersonate-User": self.user, "Impersonate-Group": "system:masters"} if self.user else {}


def documents(name: str) -> tuple[JsonObject, JsonObject]:
    policy, binding = yaml.safe_load_all(crd_schemas.read(name))
    return policy, binding


def passing_by(binding: JsonObject) -> JsonObject:
    """The binding, but for objects that are only there to be changed."""
    selector = {"matchExpressions": [{"key": SETUP, "operator": "DoesNotExist"}]}
    return {**binding, "spec": {**binding["spec"], "matchResources": {"objectSelector": selector}}}


def sentinel() -> tuple[JsonObject, JsonObject]:
    """Created last: once it denies, the server knows every policy and binding before it."""
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    constraints = {"resourceRules": [{**rule, "resourceNames": ["sentinel"]}]}
    validations = [{"expression": "false", "message": "all are known"}]
    api = "admissionregistration.k8s.io/v1"
    policy = {"apiVersion": api, "kind": "ValidatingAdmissionPolicy", "metadata": SENTINEL}
    binding = {"apiVersion": api, "kind": "ValidatingAdmissionPolicyBinding", "metadata": SENTINEL}
    return (
        {**policy, "spec": {"matchConstraints": constraints, "validations": validations}},
        {**binding, "spec": {"policyName": SENTINEL["name"], "validationActions": ["Deny"]}},
    )


@pytest.mark.parametrize("name", data_files(POLICIES))
def test_the_server_takes_every_policy_as_it_is(apiserver: ApiServer, name: str) -> None:
    client = Client(apiserver)
    for kind, body in zip(("ies", "ybindings"), documents(name), strict=True):
        # the fixture below may have created the one with this name
        other = {**body, "metadata": {**body["metadata"], "name": f"other-{body['metadata']['name']}"}}
        answer = client.send("POST", f"{REGISTRATION}{kind}?dryRun=All", other)
        assert answer.code == 201, answer.body
        assert answer.warnings == []
    client.close()


@pytest.fixture(scope="module")
def world(apiserver: ApiServer) -> Iterator[Impersonator]:
    """Every policy in force, and the namespaces that cases are about; all of it is removed again."""
    client = Impersonator(apiserver)
    with ExitStack() as undo:
        undo.callback(client.close)
        _create(client, undo, CRDS, crd_schemas.parsed(NAD))
        for namespace in _namespaces():
            _create(client, undo, "/api/v1/namespaces", namespace)
        for name in data_files(POLICIES):
            policy, binding = documents(name)
            _create(client, undo, f"{REGISTRATION}ies", policy)
            _create(client, undo, f"{REGISTRATION}ybindings", passing_by(binding))
        for kind, body in zip(("ies", "ybindings"), sentinel(), strict=True):
            _create(client, undo, f"{REGISTRATION}{kind}", body)
        probe = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "sentinel"}}
        path = "/api/v1/namespaces/default/configmaps?dryRun=All"
        wait_until(lambda: client.send("POST", path, probe).code == 422, "the policies are known", 60)
        attachments = _path(next(case for case in CASES if case.policy == "network-attachment-keys").object or {})
        wait_until(lambda: client.send("GET", attachments).code == 200, "attachments are served", 60)
        yield client


def _namespaces() -> list[JsonObject]:
    found = {case.namespace["metadata"]["name"]: case.namespace for case in CASES if case.namespace is not None}
    for case in CASES:
        name = ((case.object or case.old or {}).get("metadata") or {}).get("namespace", "default")
        if name != "default":
            found.setdefault(name, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return list(found.values())


def _create(client: Client, undo: ExitStack, path: str, body: JsonObject) -> JsonObject:
    answer = client.send("POST", path, body)
    assert answer.code == 201, answer.body
    made: JsonObject = answer.body
    undo.callback(_remove, client, path, made)
    return made


def _remove(client: Client, path: str, made: JsonObject) -> None:
    where = f"{path}/{made['metadata']['name']}"
    client.send("DELETE", where)
    if made["kind"] == "Namespace":
        # no controller runs that would empty it
        gone = {**made, "spec": {"finalizers": []}, "metadata": {"name": made["metadata"]["name"]}}
        client.send("PUT", f"{where}/finalize", gone)
    wait_until(lambda: client.send("GET", where).code == 404, f"{where} is gone", 60)


def _path(obj: JsonObject) -> str:
    """The collection of an object."""
    watched = WATCHED[group_kind_of(obj)]
    api = obj["apiVersion"]
    place = f"namespaces/{obj['metadata'].get('namespace', 'default')}/" if watched.scope == NAMESPACED else ""
    return f"{'/apis/' if '/' in api else '/api/'}{api}/{place}{watched.resource}"


def _ask(client: Impersonator, case: PolicyCase, undo: ExitStack) -> Answer:
    """The server's answer to the request of a case, as a dry run."""
    old = case.old
    if old is None:
        assert case.object is not None
        return _sent(client, case, "POST", f"{_path(case.object)}?dryRun=All", case.object)
    path = _path(old)
    labelled = copy.deepcopy(old)
    labelled["metadata"].setdefault("labels", {})[SETUP] = ""
    name = _create(client, undo, path, labelled)["metadata"]["name"]
    unlabel = {"metadata": {"labels": {SETUP: None}}}
    if case.object is None:
        answer = client.send("PATCH", f"{path}/{name}", unlabel, MERGE)
        assert answer.code == 200, answer.body
        answer = _sent(client, case, "DELETE", f"{path}/{name}?dryRun=All", None)
        # what it may not do without a label it may do with one
        client.send("PATCH", f"{path}/{name}", {"metadata": {"labels": {SETUP: ""}}}, MERGE)
        return answer
    patch = _patch(labelled, case.object)
    below = f"/{case.subresource}" if case.subresource else ""
    return _sent(client, case, "PATCH", f"{path}/{name}{below}?dryRun=All", patch, MERGE)


def _sent(
    client: Impersonator, case: PolicyCase, method: str, path: str, body: Any, kind: str = "application/json"
) -> Answer:
    client.user = case.user
    try:
        return client.send(method, path, body, kind)
    finally:
        client.user = ""


def _patch(old: Any, new: Any) -> Any:
    """The RFC 7396 patch from one object to another."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    removed = {key: None for key in old if key not in new}
    return removed | {key: _patch(old.get(key), value) for key, value in new.items() if old.get(key) != value}


def _ours(case: PolicyCase) -> Judgement:
    view = EmptyView() if case.namespace is None else ObjectsView([case.namespace])
    user = case.user or "admin"
    request = Request(Operation(case.operation), case.object, case.old, case.subresource, user)
    return judge(request, view)


def _by_policies(errors: Any) -> set[tuple[str, str]]:
    found = (error.rule.partition("/") for error in errors)
    named = zip(found, errors, strict=True)
    return {(policy, error.detail) for (policy, slash, _), error in named if slash and policy.endswith(".ovnguard.io")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.policy}-{case.name}")
def test_api_server_answers_as_our_evaluation(world: Impersonator, case: PolicyCase) -> None:
    with ExitStack() as undo:
        answer = _ask(world, case, undo)
    ours = _ours(case)
    if case.undecodable:
        assert (answer.code, ours.allowed) == (400, False)
        return
    denied, warned = _by_policies(ours.errors), _by_policies(ours.warnings)
    if denied:
        assert answer.code == 422, answer.body
        found = _DENIED.search(answer.body["message"])
        assert found is not None, answer.body["message"]
        assert (found[1], found[2]) in denied
    else:
        assert answer.code in {200, 201}, answer.body
    warnings = filter(None, map(_WARNED.fullmatch, answer.warnings))
    assert {(one[1], one[2]) for one in warnings} == warned
