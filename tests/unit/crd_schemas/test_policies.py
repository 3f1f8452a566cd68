"""The bundled policies: what they say, of whom, and that the table of kinds is true to them."""

import subprocess
import sys
from collections import Counter
from pathlib import PurePosixPath

import pytest
import yaml

from ovnguard import crd_schemas
from ovnguard.crd_schemas import POLICIES, POLICY_CASES, data_files
from ovnguard.validators.admission import Judgement, Operation, Request, judge
from ovnguard.validators.bundled.bundled_policies import all_policies, bundled_policy, request_of
from ovnguard.validators.bundled.policy_kinds import WATCHED, has_policies_for
from ovnguard.validators.network.cluster_view import ClusterView, EmptyView, ObjectsView
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.policy import compile_binding, compile_policy
from tests.support.policy_case_files import PolicyCase, policy_cases, texts
from tests.support.soak import limit

CASES = policy_cases()
FILES = sorted(PurePosixPath(file).stem for file in data_files(POLICIES))


def view_of(case: PolicyCase) -> ClusterView:
    return EmptyView() if case.namespace is None else ObjectsView([case.namespace])


def judged(case: PolicyCase) -> Judgement:
    request = Request(Operation(case.operation), case.object, case.old, case.subresource, case.user)
    return judge(request, view_of(case))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.policy}-{case.name}")
def test_case(case: PolicyCase) -> None:
    policy = bundled_policy(case.policy)
    answer = judged(case)
    assert answer.verdict is None or answer.verdict.allowed
    prefix = f"{policy.compiled.name}/"
    refused = {error.rule.removeprefix(prefix): error for error in answer.errors if error.rule.startswith(prefix)}
    warned = {error.rule.removeprefix(prefix): error for error in answer.warnings if error.rule.startswith(prefix)}
    found, other = (refused, warned) if policy.denies else (warned, refused)
    assert {name: error.detail for name, error in found.items()} == case.failing
    assert list(found) == list(case.failing)
    assert other == {}
    assert [note for note in answer.notes if policy.compiled.name in note] == []
    fields = dict(policy.validations)
    assert all(error.field == fields[error.rule] for error in found.values())
    assert answer.allowed == (not answer.errors)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.policy}-{case.name}")
def test_a_policy_is_about_the_requests_of_its_cases(case: PolicyCase) -> None:
    policy = bundled_policy(case.policy)
    request = request_of(case.operation, case.object, case.old, subresource=case.subresource, user=case.user)
    assert request is not None
    namespace = case.namespace or {"metadata": {"labels": {"kubernetes.io/metadata.name": request.namespace}}}
    decisions = policy.judge(request, namespace)
    assert bool(decisions) == case.judged
    named = zip(policy.validations, decisions, strict=True) if decisions else ()
    failing = [name.id.partition("/")[2] for name, one in named if one.evaluation != "admit"]
    assert failing == list(case.failing)
    subject = case.object or case.old
    assert subject is not None
    if case.judged:
        assert has_policies_for(group_kind_of(subject), case.object, case.old), "the table's keys would hide the object"


@pytest.mark.parametrize("name", FILES)
def test_every_validation_is_met_both_ways(name: str) -> None:
    mine = [case for case in CASES if case.policy == name]
    assert any(not case.failing for case in mine if case.judged)
    failing = Counter(name for case in mine for name in case.failing)
    names = [validation.id.partition("/")[2] for validation in bundled_policy(name).validations]
    assert [each for each in names if not failing[each]] == []
    assert list(texts(name)) == names


def test_the_table_names_exactly_the_files_and_their_resources() -> None:
    assert sorted({name for watched in WATCHED.values() for name in watched.files}) == FILES
    assert sorted(PurePosixPath(file).stem for file in data_files(POLICY_CASES)) == FILES
    for kind, watched in WATCHED.items():
        for name in watched.files:
            (rule,) = bundled_policy(name).source["spec"]["matchConstraints"]["resourceRules"]
            assert (rule["apiGroups"], rule["apiVersions"], rule["scope"]) == ([kind.group], ["v1"], watched.scope)
            assert watched.resource in rule["resources"]
            assert frozenset(rule.get("resourceNames", ())) == watched.names
    resources = dict.fromkeys(FILES, 0)
    for watched in WATCHED.values():
        for name in watched.files:
            resources[name] += 1
    for name, count in resources.items():
        (rule,) = bundled_policy(name).source["spec"]["matchConstraints"]["resourceRules"]
        assert len({resource.partition("/")[0] for resource in rule["resources"]}) == count


@pytest.mark.parametrize("name", FILES)
def test_a_policy_can_be_deployed_as_it_is_and_never_stops_a_cluster(name: str) -> None:
    policy, binding = yaml.safe_load_all(crd_schemas.read(f"{POLICIES}/{name}.yaml"))
    assert policy["metadata"]["name"] == binding["metadata"]["name"] == f"{name}.ovnguard.io"
    assert binding["spec"]["policyName"] == policy["metadata"]["name"]
    assert policy["spec"]["failurePolicy"] == "Ignore"
    assert binding["spec"]["validationActions"] in (["Deny"], ["Warn", "Audit"])
    assert len(bundled_policy(name).validations) == len(policy["spec"]["validations"])
    for kubernetes in ("1.32", "1.35"):
        compile_policy(policy, kubernetes)
        compile_binding(binding, kubernetes)


def test_ids_are_unique_and_texts_fit_a_warning() -> None:
    ids = [validation.id for policy in all_policies() for validation in policy.validations]
    assert len(set(ids)) == len(ids)
    assert [text for name in FILES for text in texts(name).values() if "\n" in text or len(text) > 200] == []


def test_an_unknown_namespace_is_reported_not_guessed() -> None:
    case = next(case for case in CASES if case.policy == "dynamic-allocation-service" and case.failing)
    answer = judge(Request(Operation.CREATE, case.object), EmptyView())
    assert answer.all_notes == ("not checked: needs namespaces (dynamic-allocation-service.ovnguard.io)",)
    assert answer.warnings == ()


def test_keys_that_the_api_server_would_ignore_are_reported() -> None:
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "ovn-interconnect-configuration", "namespace": "openshift-ovn-kubernetes"},
        "data": ["zone-mode"],
    }
    answer = judge(Request(Operation.CREATE, config_map), EmptyView())
    notes = [note for note in answer.notes if "(OVNG-" not in note]
    assert notes
    assert all(note.startswith("not checked: expression '") for note in notes)


@limit(180)
def test_no_policy_is_read_for_objects_that_none_is_about() -> None:
    script = """
import sys
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.network.cluster_view import EmptyView
network = {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.1.0.0/16"]}}
spec = {"namespaceSelector": {}, "network": network}
for obj in (
    {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork", "metadata": {"name": "blue"}, "spec": spec},
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other"}},
    {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 1}]}},
):
    judge(Request(Operation.CREATE, obj), EmptyView())
of_policies = ("ovnguard.validators.policy.", "ovnguard.validators.bundled.bundled_")
print([name for name in sys.modules if name.startswith(of_policies)])
"""
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
