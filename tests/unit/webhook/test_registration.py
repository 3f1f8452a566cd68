"""What the API server is told: which requests it sends, and what it does when it gets no answer."""

import base64
from datetime import UTC, datetime

import pytest
import yaml

from tests.conftest import ROOT
from webhook.certs import make_authority
from webhook.registration import BadClient, Client, render

URL = "https://127.0.0.1:8443"
GUARDED = {
    ("operator.openshift.io", "networks"),
    ("k8s.ovn.org", "clusteruserdefinednetworks"),
    ("k8s.ovn.org", "userdefinednetworks"),
    ("k8s.cni.cncf.io", "network-attachment-definitions"),
}


@pytest.fixture(scope="module")
def authority():
    return make_authority(datetime.now(UTC)).certificate_pem


def webhooks(client):
    return {hook["name"]: hook for text in render(client) for hook in yaml.safe_load(text)["webhooks"]}


def resources(hook):
    return {
        (group, resource) for rule in hook["rules"] for group in rule["apiGroups"] for resource in rule["resources"]
    }


def test_kinds():
    documents = [yaml.safe_load(text) for text in render(Client(URL))]
    assert [(document["apiVersion"], document["kind"]) for document in documents] == [
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
        ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
    ]


def test_which_requests():
    hooks = webhooks(Client(URL))
    assert {name: resources(hook) for name, hook in hooks.items()} == {
        "validate.ovnguard.io": GUARDED,
        "mutate.udn.ovnguard.io": {
            ("k8s.ovn.org", "clusteruserdefinednetworks"),
            ("k8s.ovn.org", "userdefinednetworks"),
        },
        "mutate.nad.ovnguard.io": {("k8s.cni.cncf.io", "network-attachment-definitions")},
    }
    for hook in hooks.values():
        for rule in hook["rules"]:
            assert rule["operations"] == ["CREATE", "UPDATE"]
            assert rule["apiVersions"] == ["v1"]


def test_settings():
    hooks = webhooks(Client(URL))
    for hook in hooks.values():
        assert hook["sideEffects"] == "None"
        assert hook["timeoutSeconds"] == 5
        assert hook["matchPolicy"] == "Equivalent"
        assert hook["admissionReviewVersions"] == ["v1"]
    assert {name: hook["failurePolicy"] for name, hook in hooks.items()} == {
        "validate.ovnguard.io": "Fail",
        "mutate.udn.ovnguard.io": "Fail",
        "mutate.nad.ovnguard.io": "Ignore",
    }
    assert {name for name, hook in hooks.items() if hook.get("reinvocationPolicy") == "IfNeeded"} == {
        "mutate.udn.ovnguard.io",
        "mutate.nad.ovnguard.io",
    }


def test_every_hook_skips_writes_that_change_nothing_judged():
    for hook in webhooks(Client(URL)).values():
        names = [condition["name"] for condition in hook["matchConditions"]]
        guards_attachments = ("k8s.cni.cncf.io", "network-attachment-definitions") in resources(hook)
        assert names == ["spec-or-annotations", *(["ovn-kubernetes-attachments"] if guards_attachments else [])]


@pytest.mark.parametrize("url", [URL, URL + "/"])
def test_url(url, authority):
    clients = {name: hook["clientConfig"] for name, hook in webhooks(Client(url, authority=authority)).items()}
    bundle = base64.b64encode(authority).decode()
    assert clients["validate.ovnguard.io"] == {"url": f"{URL}/validate", "caBundle": bundle}
    assert clients["mutate.udn.ovnguard.io"] == {"url": f"{URL}/mutate", "caBundle": bundle}
    assert clients["mutate.nad.ovnguard.io"] == {"url": f"{URL}/mutate", "caBundle": bundle}


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


def test_deployed_configurations_are_the_printed_ones():
    validating, mutating = render(Client(service=("ovnguard-system", "ovnguard-webhook")))
    folder = ROOT / "deploy" / "webhook"
    assert (folder / "validating.yaml").read_text() == validating
    assert (folder / "mutating.yaml").read_text() == mutating
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    assert kustomization["resources"] == ["validating.yaml", "mutating.yaml"]
