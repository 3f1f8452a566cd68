"""What policies carry: they say what the rules say that they stand for, and the list of the others is complete."""

import json
import re
from functools import cache

import pytest
import yaml
from click.testing import CliRunner

from ovnguard import crd_schemas
from ovnguard.crd_schemas import POLICIES, data_files
from ovnguard.validators.network.rules import Severity, all_rules
from ovnguard.validators.policy import (
    CompiledBinding,
    CompiledPolicy,
    PolicyRequest,
    UserInfo,
    compile_binding,
    compile_policy,
)
from ovnguard.webhook.cli import cli
from ovnguard.webhook.commands.policies import as_yaml, carried_rules, documents, not_carried, stream
from tests.support.paths import ROOT
from tests.support.rule_case_files import cases

RULES = {rule.id: rule for rule in all_rules()}
PAIRS = [(policy, binding) for policy, binding in zip(documents()[::2], documents()[1::2], strict=True)]
CARRYING = [pair for pair in PAIRS if carried_rules(pair[0])]
CARRIED = {name: pair for pair in CARRYING for name in carried_rules(pair[0])}
PLURALS = {
    "Network": "networks",
    "ClusterUserDefinedNetwork": "clusteruserdefinednetworks",
    "RouteAdvertisements": "routeadvertisements",
    "Infrastructure": "infrastructures",
    "DNS": "dnses",
    "ConfigMap": "configmaps",
}
# Where the facts of a rule are missing it does not speak; a policy has no such facts to miss.
CASES = [case for case in cases() if case.rule in CARRIED and not case.unchecked]


@cache
def compiled(name: str) -> tuple[CompiledPolicy, CompiledBinding]:
    policy, binding = CARRIED[name]
    return compile_policy(policy), compile_binding(binding)


def findings_of(case) -> list[str]:
    """The texts of the validations that fail; nothing where the policy is not about the request."""
    request = case.request
    subject = request.object or request.old
    group, _, version = subject["apiVersion"].rpartition("/")
    policy, binding = compiled(case.rule)
    asked = PolicyRequest(
        str(request.operation),
        group,
        version,
        PLURALS[subject["kind"]],
        subject["kind"],
        object=request.object,
        old_object=request.old,
        name=subject["metadata"].get("name", ""),
        namespace=subject["metadata"].get("namespace", ""),
        subresource=request.subresource,
        user=UserInfo(request.user),
    )
    labels = {"kubernetes.io/metadata.name": asked.namespace}
    namespace = {"metadata": {"name": asked.namespace, "labels": labels}} if asked.namespace else None
    decisions = policy.evaluate(asked, [binding], namespace=namespace).decisions
    assert not [each.message for each in decisions if each.evaluation == "error"]
    return [each.message for each in decisions if each.evaluation == "deny"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule} {case.name}")
def test_a_policy_says_what_its_rule_says(case):
    others = {rule for rule in carried_rules(CARRIED[case.rule][0]) if rule != case.rule}
    found = findings_of(case)
    # what the rule adds about the parent that was removed, a policy leaves out
    expected = [finding["detail"].partition(", also ")[0] for finding in case.source["findings"]]
    if others:
        texts = {RULES[other].message for other in others}
        found = [text for text in found if text not in texts or text in expected]
    assert sorted(found) == sorted(expected)


def test_every_carried_rule_has_cases_of_both_kinds():
    for name in CARRIED:
        assert any(case.speaks for case in CASES if case.rule == name), name
        assert any(case.is_silent for case in CASES if case.rule == name), name


def test_severity_is_that_of_the_rules():
    for policy, binding in CARRYING:
        severities = {RULES[name].severity for name in carried_rules(policy)}
        denies = binding["spec"]["validationActions"] == ["Deny"]
        assert severities == {Severity.ERROR if denies else Severity.WARNING}, policy["metadata"]["name"]


def test_what_fails_closed_is_about_networks_alone():
    """As with the webhook: nothing else is worth a cluster that cannot be repaired."""
    closed = set()
    for policy, _ in PAIRS:
        # besides the guard of the webhook itself, which is about one label that repairs nothing
        if policy["spec"]["failurePolicy"] == "Fail" and policy["metadata"]["name"] != "exempt-label.ovnguard.io":
            for rule in policy["spec"]["matchConstraints"]["resourceRules"]:
                closed |= {(group, kind) for group in rule["apiGroups"] for kind in rule["resources"]}
    assert closed == {
        ("operator.openshift.io", "networks"),
        ("k8s.ovn.org", "clusteruserdefinednetworks"),
        ("k8s.ovn.org", "routeadvertisements"),
    }


def test_names_are_unique_and_bindings_fit():
    names = [policy["metadata"]["name"] for policy, _ in PAIRS]
    assert len(set(names)) == len(names)
    for policy, binding in PAIRS:
        assert (policy["kind"], binding["kind"]) == ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
        assert binding["metadata"]["name"] == binding["spec"]["policyName"] == policy["metadata"]["name"]
        assert policy["metadata"]["name"].endswith(".ovnguard.io")


def test_bundled_policies_come_first_and_as_they_are():
    bundled = [document for name in data_files(POLICIES) for document in yaml.safe_load_all(crd_schemas.read(name))]
    assert documents()[: len(bundled)] == bundled


def test_every_rule_is_carried_or_listed_with_a_reason():
    listed = not_carried()
    assert set(listed) | set(CARRIED) == set(RULES)
    assert not set(listed) & set(CARRIED)
    for name, reason in listed.items():
        if RULES[name].needs and "installer" not in reason:
            assert reason == f"needs {', '.join(RULES[name].needs)}"
    assert listed["OVNG-DNS-001"] == "about a file of the installer, which no API server has"


def test_reasons_are_about_rules_that_there_are():
    from ovnguard.webhook.commands.policies import _WHY

    assert set(_WHY) <= set(not_carried())


def test_the_stream_holds_the_documents_and_the_list():
    text = as_yaml()
    assert [document for document in yaml.safe_load_all(text) if document] == documents()
    lines = re.findall(r"^#   (OVNG-[A-Z0-9]+-\d{3}): (.+)$", text, re.MULTILINE)
    assert dict(lines) == not_carried()


def test_command():
    result = CliRunner().invoke(cli, ["policies"])
    assert (result.exit_code, result.stdout, result.stderr) == (0, as_yaml(), "")


def test_command_with_json():
    result = CliRunner().invoke(cli, ["policies", "-o", "json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"apiVersion": "v1", "kind": "List", "items": documents()}
    assert result.stderr.splitlines() == [f"{name}: {reason}" for name, reason in not_carried().items()]


def test_deployed_policies_are_the_printed_ones(request):
    file = ROOT / "deploy" / "base" / "policies.yaml"
    if request.config.getoption("--update"):
        file.write_text(stream(), encoding="utf-8")
    assert file.read_text(encoding="utf-8") == stream()
    assert as_yaml().startswith(stream())
