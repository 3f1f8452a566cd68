"""Kinds without a schema, built-in kinds, misspelt kinds, and kinds to skip."""

import pytest

from tests.support.paths import ROOT
from tests.support.preflight_run import UDN, VALID, report, run

TRANSPORTS = "the operator Network or ClusterUserDefinedNetworks"
WITHOUT_SCHEMA = [
    # a version that newer servers lack
    (
        "flowcontrol.apiserver.k8s.io/v1beta3",
        "FlowSchema",
        ("FlowSchema of flowcontrol.apiserver.k8s.io/v1beta3 is built into the API server"),
    ),
    ("example.com/v1", "Widget", "no schema for Widget of example.com/v1; give its CRD with --crds"),
    ("v1", "Foo", "no schema for Foo of v1; give its CRD with --crds"),
    ("bogus.k8s.io/v1", "Foo", "no schema for Foo of bogus.k8s.io/v1; give its CRD with --crds"),
    ("apps/v9", "Deployment", "no schema for Deployment of apps/v9; give its CRD with --crds"),
]


def test_kinds_without_a_schema_are_counted():
    text = "---\n".join(
        f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: x}}\n" for version, kind, _ in WITHOUT_SCHEMA
    )
    code, document = report("-", stdin=text + f"---\n{text}")
    summary = document["summary"]
    assert (code, summary["objects"], summary["warnings"], summary["notJudged"]) == (0, 0, 0, 10)
    assert [(each["severity"], each["reason"], each["message"]) for each in document["findings"][:5]] == [
        ("note", "NotJudged", f"not judged: {why}") for _, _, why in WITHOUT_SCHEMA
    ]
    assert run("-", stdin=text + f"---\n{text}").stdout == (
        "1 file, 0 objects judged, 0 errors, 0 warnings\n10 objects of 5 kinds were not judged (-v lists them)\n"
    )


def test_a_required_schema_that_is_missing_is_exit_code_4():
    code, document = report("-", "--require-schemas", stdin="apiVersion: example.com/v1\nkind: Widget\n")
    assert (code, document["summary"]["errors"], document["findings"][0]["severity"]) == (4, 1, "error")
    assert report("-", "--require-schemas", stdin=(ROOT / VALID).read_text())[0] == 0


def test_kinds_to_skip():
    text = "---\n".join(f"apiVersion: example.com/v1\nkind: {kind}\nmetadata: {{name: x}}\n" for kind in "ABC")
    code, document = report("-", "--skip", "A,C.example.com", "--require-schemas", stdin=text)
    assert (code, [each["kind"] for each in document["findings"]]) == (4, ["B"])


def test_a_misspelt_kind_to_skip_gets_a_suggestion():
    warning = "warning: --skip userdefinednetwork: no object has this kind; did you mean UserDefinedNetwork?\n"
    result = run("-", "--skip", "userdefinednetwork,Pod", stdin=UDN % ("blue", "Primary"))
    assert (result.return_value, result.stderr) == (0, warning)


@pytest.mark.parametrize(
    ("version", "kind", "meant"),
    [
        ("k8s.ovn.org/v1", "UserDefinedNetwrk", "UserDefinedNetwork of k8s.ovn.org/v1"),
        ("k8s.ovn.org/v2", "UserDefinedNetwork", "UserDefinedNetwork of k8s.ovn.org/v1"),
        ("k8s.ovn.or/v1", "UserDefinedNetwork", "UserDefinedNetwork of k8s.ovn.org/v1"),
        ("v1", "UserDefinedNetwork", "UserDefinedNetwork of k8s.ovn.org/v1"),
        ("apps/v1", "Deploymnt", "Deployment of apps/v1"),
        ("v1", "Confgmap", "ConfigMap of v1"),
        ("networking.k8.io/v1", "Ingress", "Ingress of networking.k8s.io/v1"),
    ],
)
def test_a_misspelt_kind_is_wrong_input(version, kind, meant):
    code, document = report("-", stdin=f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n")
    message = f"unknown kind {kind} of {version}; did you mean {meant}?"
    assert (code, [each["message"] for each in document["findings"]]) == (2, [message])


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("v1", "Deployment"),
        ("batch/v1beta1", "CronJob"),
        ("config.openshift.io/v1", "Network"),
        ("metrics.k8s.io/v1beta1", "PodMetrics"),
        ("networking.gke.io/v1", "FrontendConfig"),
        ("serving.knative.dev/v1", "Service"),
    ],
)
def test_a_kind_that_is_similar_to_a_known_one_is_counted(version, kind):
    code, document = report("-", stdin=f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n")
    assert (code, document["summary"]["notJudged"]) == (0, 1)


def test_built_in_kinds_with_rules_are_judged_by_these():
    code, document = report("deploy/examples/nodes/worker-a.yaml")
    assert (code, [(finding["severity"], finding["message"]) for finding in document["findings"]]) == (
        0,
        [
            ("note", "judged by type, rules and policies: the API server validates the values of Node of v1"),
            ("note", "not checked: needs other networks (OVNG-L2-028)"),
            ("note", f"not checked: needs {TRANSPORTS} (OVNG-NET-052)"),
            ("note", f"not checked: needs RouteAdvertisements and FRRConfigurations and {TRANSPORTS} (OVNG-NET-053)"),
        ],
    )


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("apps/v1", "Deployment"),
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
        ("resource.k8s.io/v1", "ResourceClaim"),
        ("storagemigration.k8s.io/v1beta1", "StorageVersionMigration"),
    ],
)
def test_kinds_of_every_built_in_group_are_judged_by_type(version, kind):
    code, document = report("-", stdin=f"apiVersion: {version}\nkind: {kind}\n")
    text = f"judged by type: the API server validates the values of {kind} of {version}"
    notes = [finding["message"] for finding in document["findings"] if finding["severity"] == "note"]
    assert (code, document["summary"]["notJudged"], notes) == (0, 0, [text])


@pytest.mark.parametrize(
    ("version", "kind", "meant"),
    [
        ("ovn.k8s.org/v1", "UserDefinedNetwork", "UserDefinedNetwork of k8s.ovn.org/v1"),
        ("config.example.io/v1", "Network", "Network of operator.openshift.io/v1"),
    ],
)
def test_a_kind_that_is_known_in_another_group_is_a_warning(version, kind, meant):
    text = f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n"
    code, document = report("-", stdin=text)
    message = f"not judged: no schema for {kind} of {version}; did you mean {meant}? If not, give its CRD with --crds"
    (found,) = document["findings"]
    assert (code, found["severity"], found["path"], found["message"]) == (0, "warning", "apiVersion", message)
    assert (found["rule"], document["summary"]["notJudged"]) == ("kind-in-another-group", 1)
    assert report("-", "--ignore", "kind-in-another-group", stdin=text)[1]["findings"] == []
    assert report("-", "--require-schemas", stdin=text)[0] == 4
