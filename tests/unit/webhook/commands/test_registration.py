"""What the API server is told: which requests it sends, and what it does when it gets no answer."""

import base64
import itertools
from collections import defaultdict
from datetime import UTC, datetime

import pytest
import yaml

from ovnguard import crd_schemas
from ovnguard.validators.bundled.bundled_policies import all_policies
from ovnguard.validators.bundled.policy_kinds import WATCHED
from ovnguard.validators.network.cluster_view import GroupKind
from ovnguard.validators.network.rules import RULED_KINDS, Severity, rules_for
from ovnguard.webhook.certificates.self_signed import make_authority
from ovnguard.webhook.commands.registration import BadClient, Client, render
from tests.support.paths import ROOT

URL = "https://127.0.0.1:8443"
FAIL_CLOSED = {
    ("operator.openshift.io", "networks"),
    ("k8s.ovn.org", "clusteruserdefinednetworks"),
    ("k8s.ovn.org", "userdefinednetworks"),
    ("k8s.ovn.org", "routeadvertisements"),
}
# The API server itself judges these by policies, and no outage of ours is in the way of it; rules speak in preflight.
BY_POLICY_ALONE = {
    GroupKind("apps", "DaemonSet"),
    GroupKind("apps", "Deployment"),
    GroupKind("apps", "StatefulSet"),
}
CHANGES = {"changes", "spec-or-annotations", "spec-changes"}
# Who is asked about objects that ovnguard itself writes.
WRITTEN = {
    "validate.ovnguard.io",
    "foreign.validate.ovnguard.io",
    "nodes.validate.ovnguard.io",
    "mutate.udn.ovnguard.io",
    "mutate.nad.ovnguard.io",
}
HERE = "system:serviceaccount:elsewhere:ovnguard-reconciler-cluster'"
OFFLINE = {GroupKind("install.openshift.io", "InstallConfig")}
"""Files of the installer: no API server has them."""
PLURALS = {
    **{
        GroupKind(group, kind): crd_schemas.crd_name(group, version, kind).partition(".")[0]
        for group, version, kind in crd_schemas.kinds()
    },
    GroupKind("", "ConfigMap"): "configmaps",
    GroupKind("", "Namespace"): "namespaces",
    GroupKind("", "Node"): "nodes",
    GroupKind("", "Service"): "services",
}


@pytest.fixture(scope="module")
def authority():
    return make_authority(datetime.now(UTC)).certificate_pem


def hooks_of(text):
    return {hook["name"]: hook for hook in yaml.safe_load(text)["webhooks"]}


def webhooks(client):
    return {name: hook for text in render(client) for name, hook in hooks_of(text).items()}


def validating():
    return hooks_of(render(Client(URL))[0])


def resources(hook):
    return {
        (group, resource) for rule in hook["rules"] for group in rule["apiGroups"] for resource in rule["resources"]
    }


def asked(hooks):
    """Each resource with the operations on which somebody is asked about it."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for hook in hooks.values():
        for rule in hook["rules"]:
            for group, resource in itertools.product(rule["apiGroups"], rule["resources"]):
                found[group, resource] |= set(rule["operations"])
    return dict(found)


def judged_kinds():
    return (RULED_KINDS | set(WATCHED)) - OFFLINE


def test_kinds():
    documents = [yaml.safe_load(text) for text in render(Client(URL))]
    assert [(document["apiVersion"], document["kind"]) for document in documents] == [
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
        ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
    ]


def test_every_judged_kind_is_asked_about_or_left_to_policies():
    kinds = judged_kinds() - BY_POLICY_ALONE
    wanted = {(kind.group, PLURALS[kind]) for kind in kinds} | {("config.openshift.io", "infrastructures/status")}
    for kind in RULED_KINDS - OFFLINE:
        parts = {part for rule in rules_for(kind) for part in rule.subresources if part}
        wanted |= {(kind.group, f"{PLURALS[kind]}/{part}") for part in parts}
    assert set(asked(validating())) == wanted
    offline = {rule.id.rpartition("-")[0] for kind in BY_POLICY_ALONE for rule in rules_for(kind)}
    assert offline == {"OVNG-DYN"}, "a rule speaks about a kind that the API server never asks about"


def test_deletions_are_asked_about_where_something_speaks_of_them():
    speaking = {kind for kind in RULED_KINDS if any("DELETE" in rule.operations for rule in rules_for(kind))}
    for policy in all_policies():
        (rule,) = policy.source["spec"]["matchConstraints"]["resourceRules"]
        if "DELETE" in rule["operations"]:
            speaking |= {kind for kind, watched in WATCHED.items() if policy.file.endswith(f"/{watched.files[0]}.yaml")}
    deletable = {resource for resource, operations in asked(validating()).items() if "DELETE" in operations}
    assert deletable == {(kind.group, PLURALS[kind]) for kind in speaking}


def test_only_what_breaks_networks_fails_closed():
    closed = {name: hook for name, hook in webhooks(Client(URL)).items() if hook["failurePolicy"] == "Fail"}
    assert set(closed) == {"validate.ovnguard.io", "mutate.udn.ovnguard.io"}
    assert resources(closed["validate.ovnguard.io"]) == FAIL_CLOSED
    assert resources(closed["mutate.udn.ovnguard.io"]) < FAIL_CLOSED
    assert {operation for operations in asked(closed).values() for operation in operations} == {"CREATE", "UPDATE"}


def test_what_fails_closed_can_be_refused():
    """A kind that is only warned about has no reason to wait for us."""
    plurals = {(kind.group, plural): kind for kind, plural in PLURALS.items()}
    for resource in FAIL_CLOSED:
        assert any(rule.severity is Severity.ERROR for rule in rules_for(plurals[resource])), resource


def test_nothing_a_cluster_repairs_itself_with_is_asked_about():
    groups = {group for group, _ in asked(webhooks(Client(URL)))}
    assert groups == {
        "",
        "k8s.ovn.org",
        "k8s.cni.cncf.io",
        "frrk8s.metallb.io",
        "config.openshift.io",
        "operator.openshift.io",
    }
    core = {resource for group, resource in asked(webhooks(Client(URL))) if not group}
    assert core == {"configmaps", "namespaces", "nodes", "nodes/status", "services"}
    for _, resource in asked(webhooks(Client(URL))):
        assert "*" not in resource
        assert "/" not in resource or resource in ("infrastructures/status", "nodes/status")


def test_mutation():
    hooks = hooks_of(render(Client(URL))[1])
    assert {name: resources(hook) for name, hook in hooks.items()} == {
        "mutate.udn.ovnguard.io": {
            ("k8s.ovn.org", "clusteruserdefinednetworks"),
            ("k8s.ovn.org", "userdefinednetworks"),
        },
        "mutate.nad.ovnguard.io": {("k8s.cni.cncf.io", "network-attachment-definitions")},
        "mutate.configuration.ovnguard.io": {("", "configmaps")},
        "mutate.network.ovnguard.io": {("operator.openshift.io", "networks")},
    }
    for hook in hooks.values():
        assert hook["reinvocationPolicy"] == "IfNeeded"
        assert [rule["operations"] for rule in hook["rules"]] == [["CREATE", "UPDATE"]]


def test_settings():
    for hook in webhooks(Client(URL)).values():
        assert hook["sideEffects"] == "None"
        assert hook["timeoutSeconds"] == 5
        assert hook["matchPolicy"] == "Equivalent"
        assert hook["admissionReviewVersions"] == ["v1"]


def test_configmap_is_matched_by_its_one_name():
    hook = validating()["configuration.validate.ovnguard.io"]
    assert hook["namespaceSelector"] == {"matchLabels": {"kubernetes.io/metadata.name": "openshift-ovn-kubernetes"}}
    first = hook["matchConditions"][0]
    assert first["name"] == "by-name"
    assert first["expression"].endswith("== 'ovn-interconnect-configuration'")
    assert [name for name, each in validating().items() if ("", "configmaps") in resources(each)] == [
        "configuration.validate.ovnguard.io"
    ]


def test_status_of_the_platform_is_always_judged():
    hook = validating()["platform-status.validate.ovnguard.io"]
    assert resources(hook) == {("config.openshift.io", "infrastructures/status")}
    assert [condition["name"] for condition in hook["matchConditions"]] == ["break-glass"]


def test_ways_past_the_webhook():
    for name, hook in webhooks(Client(URL)).items():
        conditions = {condition["name"]: condition["expression"] for condition in hook["matchConditions"]}
        assert conditions["break-glass"] == "!('ovnguard:break-glass' in request.userInfo.?groups.orValue([]))"
        assert ("not-our-own" in conditions) is (name in WRITTEN), name


def test_namespaces_passed_over():
    exempt = [
        {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", "elsewhere"]},
        {"key": "ovnguard.io/exempt", "operator": "DoesNotExist"},
    ]
    for text in render(Client(service=("elsewhere", "svc")), "elsewhere"):
        for name, hook in hooks_of(text).items():
            if any(rule["scope"] != "Cluster" for rule in hook["rules"]) and "configuration" not in name:
                assert hook["namespaceSelector"] == {"matchExpressions": exempt}
            conditions = {condition["name"]: condition["expression"] for condition in hook["matchConditions"]}
            assert "system:serviceaccount:elsewhere:ovnguard-reconciler-cluster'" in conditions.get("not-our-own", HERE)


def test_every_hook_skips_writes_that_change_nothing_judged():
    for name, hook in webhooks(Client(URL)).items():
        changes = [each for each in hook["matchConditions"] if each["name"] in CHANGES]
        assert len(changes) == (name != "platform-status.validate.ovnguard.io"), name
        for condition in changes:
            assert condition["expression"].startswith("request.operation != 'UPDATE' ||")
    attachments = [
        name
        for name, hook in webhooks(Client(URL)).items()
        if "ovn-kubernetes-attachments" in [each["name"] for each in hook["matchConditions"]]
    ]
    assert attachments == ["foreign.validate.ovnguard.io", "mutate.nad.ovnguard.io"]


@pytest.mark.parametrize("url", [URL, URL + "/"])
def test_url(url, authority):
    clients = {name: hook["clientConfig"] for name, hook in webhooks(Client(url, authority=authority)).items()}
    bundle = base64.b64encode(authority).decode()
    assert clients["validate.ovnguard.io"] == {"url": f"{URL}/validate", "caBundle": bundle}
    assert clients["mutate.udn.ovnguard.io"] == {"url": f"{URL}/mutate", "caBundle": bundle}
    assert clients["mutate.nad.ovnguard.io"] == {"url": f"{URL}/mutate", "caBundle": bundle}
    assert {len(client) for client in clients.values()} == {2}


def test_service():
    service = {"namespace": "ns", "name": "svc", "port": 443}
    clients = {name: hook["clientConfig"] for name, hook in webhooks(Client(service=("ns", "svc"))).items()}
    assert clients["validate.ovnguard.io"] == {"service": service | {"path": "/validate"}}
    assert clients["mutate.nad.ovnguard.io"] == {"service": service | {"path": "/mutate"}}


@pytest.mark.parametrize("url", ["", "http://a", "https://a?b", "https://a#b", "https://u@a", 'https://a"\nb: c'])
def test_url_that_no_api_server_takes(url):
    with pytest.raises(
        BadClient, match=r"cannot be registered: an https URL without user, query and fragment is needed$"
    ):
        render(Client(url))


def test_authority_must_be_one():
    with pytest.raises(BadClient, match=r"^the file given as --ca holds no certificate in PEM$"):
        render(Client(URL, authority=b"nothing"))


def test_deployed_configurations_are_the_printed_ones(request):
    folder = ROOT / "deploy" / "base"
    printed = render(Client(service=("ovnguard-system", "ovnguard-webhook")))
    for name, text in zip(("validating.yaml", "mutating.yaml"), printed, strict=True):
        if request.config.getoption("--update"):
            (folder / name).write_text(text, encoding="utf-8")
        assert (folder / name).read_text(encoding="utf-8") == text
