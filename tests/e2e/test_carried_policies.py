"""Policies that say what a rule says of one object: a real API server says of every case of the rule the same.

The kinds are served without a schema here, so that nobody but the policy speaks. What is stored before an update is
brought past the policies by a label that their bindings, here alone, pass over.
"""

import copy
import re
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from ovnguard import crd_schemas
from ovnguard.validators.network.cluster_view import INFRASTRUCTURE
from ovnguard.validators.network.rules import Severity, all_rules
from ovnguard.webhook.commands.policies import carried_rules, documents
from tests.support.deployed.deployed import remove_namespace
from tests.support.rule_case_files import Case, cases
from tests.support.verdicts.server_verdicts import CRDS, Answer, Client
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import wait_until

pytestmark = pytest.mark.e2e
REGISTRATION = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"
OVNKUBE = "openshift-ovn-kubernetes"
SETUP = "ovnguard.io/setup"
MERGE = "application/merge-patch+json"
PAIRS = [pair for pair in zip(documents()[::2], documents()[1::2], strict=True) if carried_rules(pair[0])]
CARRIED = {rule: policy["metadata"]["name"] for policy, _ in PAIRS for rule in carried_rules(policy)}
WARNS = {rule.id for rule in all_rules() if rule.severity is Severity.WARNING}
DECLARED = {(group, kind): (group, version, kind) for group, version, kind in crd_schemas.kinds()}
_SAID = re.compile(r"ValidatingAdmissionPolicy '([^']+)' with binding '[^']+'(?: denied request)?: (.+)", re.DOTALL)


def judged(case: Case) -> bool:
    """Whether the request can be made: the status of an object does not change by way of the object itself."""
    subject = case.request.object or {}
    of_status = subject.get("kind") == INFRASTRUCTURE.kind and not case.request.subresource
    return case.rule in CARRIED and not case.unchecked and not of_status


CASES = [case for case in cases() if judged(case)]


class Asker(Client):
    """The administrator, or whoever a case is about with all rights."""

    user = ""

    def headers(self) -> dict[str, str]:
        return {"Impersonate-User": self.user, "Impersonate-Group": "system:masters"} if self.user else {}


def open_definition(group: str, kind: str) -> dict[str, Any]:
    """The bundled definition of a kind, with a schema that takes anything."""
    path = next(iter(crd_schemas.paths(*DECLARED[group, kind]).values()))
    definition = copy.deepcopy(crd_schemas.parsed(path))
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": definition["spec"]["versions"][0]["name"],
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": anything},
        "subresources": {"status": {}},
    }
    return {**definition, "spec": {**definition["spec"], "versions": [version]}}


def passing_by(binding: dict[str, Any]) -> dict[str, Any]:
    selector = {"matchExpressions": [{"key": SETUP, "operator": "DoesNotExist"}]}
    return {**binding, "spec": {**binding["spec"], "matchResources": {"objectSelector": selector}}}


def kinds() -> set[tuple[str, str]]:
    subjects = [case.request.object or {} for case in CASES]
    return {(each["apiVersion"].rpartition("/")[0], each["kind"]) for each in subjects} & set(DECLARED)


def collection(obj: dict[str, Any]) -> str:
    group, _, version = obj["apiVersion"].rpartition("/")
    if obj["kind"] == "ConfigMap":
        return f"/api/v1/namespaces/{obj['metadata']['namespace']}/configmaps"
    plural = crd_schemas.crd_name(*DECLARED[group, obj["kind"]]).partition(".")[0]
    return f"/apis/{group}/{version}/{plural}"


@pytest.fixture(scope="module")
def asker(apiserver: ApiServer) -> Iterator[Asker]:
    made = Asker(apiserver)
    with ExitStack() as undo:
        undo.callback(made.close)
        _create(made, undo, "/api/v1/namespaces", {"metadata": {"name": OVNKUBE}})
        undo.callback(remove_namespace, apiserver, OVNKUBE)
        for group, kind in sorted(kinds()):
            definition = open_definition(group, kind)
            undo.callback(_gone, made, definition["metadata"]["name"])
            _create(made, undo, CRDS, definition)
        for policy, binding in PAIRS:
            _create(made, undo, f"{REGISTRATION}ies", policy)
            _create(made, undo, f"{REGISTRATION}ybindings", passing_by(binding))
        for rule in sorted(CARRIED):
            speaking = next(case for case in CASES if case.rule == rule and case.speaks)
            wait_until(lambda case=speaking: bool(ask_policies(made, case)[1]), f"{rule} is in force", 60)
        yield made


def _create(client: Client, undo: ExitStack, path: str, body: dict[str, Any]) -> None:
    answer = client.send("POST", path, body)
    assert answer.code == 201, answer.body
    if body.get("kind"):
        undo.callback(client.send, "DELETE", f"{path}/{body['metadata']['name']}")


def _gone(client: Client, name: str) -> None:
    wait_until(lambda: client.send("GET", f"{CRDS}/{name}").code == 404, f"{name} is gone", 60)


def ask_policies(client: Asker, case: Case) -> tuple[Answer, list[str]]:
    """The server's answer to the request as a dry run, and what policies say in it of this rule's policy."""
    request = case.request
    assert request.object is not None
    path = collection(request.object)
    with ExitStack() as undo:
        if request.old is None:
            client.user = request.user
            undo.callback(setattr, client, "user", "")
            answer = client.send("POST", f"{path}?dryRun=All", request.object)
        else:
            stored = _store(client, undo, path, request.old)
            below = f"/{request.subresource}" if request.subresource else ""
            if below:
                # a status leaves labels as they are, and a label passes all policies by
                unlabel = {"metadata": {"labels": {SETUP: None}}}
                stored = client.send("PATCH", f"{path}/{stored['metadata']['name']}", unlabel, MERGE).body
            version = {"resourceVersion": stored["metadata"]["resourceVersion"]}
            changed = {**request.object, "metadata": {**request.object["metadata"], **version}}
            where = f"{path}/{stored['metadata']['name']}{below}"
            answer = client.send("PUT", f"{where}?dryRun=All", changed)
    texts = [*answer.warnings, answer.body.get("message", "") if answer.code == 422 else ""]
    found = [match for match in map(_SAID.search, texts) if match]
    return answer, [match[2] for match in found if match[1] == CARRIED[case.rule]]


def _store(client: Asker, undo: ExitStack, path: str, old: dict[str, Any]) -> dict[str, Any]:
    """Store what is to be changed, status included."""
    labelled = copy.deepcopy(old)
    labelled["metadata"].setdefault("labels", {})[SETUP] = ""
    where = f"{path}/{old['metadata']['name']}"
    answer = client.send("POST", path, labelled)
    assert answer.code == 201, answer.body
    undo.callback(client.send, "DELETE", where)
    if "status" in old:
        answer = client.send("PATCH", f"{where}/status", {"status": old["status"]}, MERGE)
        assert answer.code == 200, answer.body
    stored: dict[str, Any] = answer.body
    return stored


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule} {case.name}")
def test_policy_answers_as_its_network_rule(asker: Asker, case: Case) -> None:
    answer, found = ask_policies(asker, case)
    expected = {finding["detail"].partition(", also ")[0] for finding in case.source["findings"]}
    if not expected:
        assert answer.code in {200, 201}, answer.body
        assert not (set(found) & {text for each in CASES if each.rule == case.rule for text in _texts(each)})
    elif case.rule in WARNS:
        assert answer.code in {200, 201}, answer.body
        assert expected <= set(found)
    else:
        # a server tells the first of several refusals
        assert answer.code == 422, answer.body
        assert len(found) == 1
        assert set(found) <= expected


def _texts(case: Case) -> list[str]:
    return [finding["detail"] for finding in case.source["findings"]]


def test_every_carried_rule_is_asked(asker: Asker) -> None:
    assert {case.rule for case in CASES} == set(CARRIED)
