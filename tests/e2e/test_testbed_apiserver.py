"""The API server bed is a real kube-apiserver 1.35 that serves CRDs with CEL rules."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.testbed.apiserver import ApiServer
from tests.testbed.parts import Parts
from tests.testbed.process import call, wait_until

GROUP, PLURAL = "testbed.ovnguard.io", "widgets"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS = f"/apis/{GROUP}/v1/namespaces/default/{PLURAL}"


def crd() -> dict[str, Any]:
    size = {"type": "integer", "x-kubernetes-validations": [{"rule": "self < 10", "message": "too large"}]}
    spec = {"type": "object", "required": ["size"], "properties": {"size": size}}
    schema = {"type": "object", "properties": {"spec": spec}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": PLURAL, "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def widget(name: str, size: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": {"name": name}, "spec": {"size": size}}


@pytest.fixture(scope="module")
def widgets(apiserver: ApiServer) -> Iterator[ApiServer]:
    """The server with the widgets' CRD, which is removed afterwards."""
    status, answer = apiserver.request("POST", CRDS, crd())
    assert status == 201, answer
    wait_until(lambda: apiserver.request("GET", WIDGETS)[0] == 200, "the CRD is served", 60)
    yield apiserver
    assert apiserver.request("DELETE", f"{CRDS}/{PLURAL}.{GROUP}")[0] == 200
    wait_until(lambda: apiserver.request("GET", f"{CRDS}/{PLURAL}.{GROUP}")[0] == 404, "the CRD is gone", 60)


def test_version(apiserver: ApiServer, parts: Parts) -> None:
    status, answer = apiserver.request("GET", "/version")
    assert status == 200
    assert (answer["major"], answer["minor"]) == ("1", "35")
    assert answer["gitVersion"] == f"v{parts.kube_apiserver.version}"


def test_crd_and_an_object_of_it(widgets: ApiServer) -> None:
    status, answer = widgets.request("POST", WIDGETS, widget("small", 3))
    assert status == 201, answer
    assert widgets.request("GET", f"{WIDGETS}/small")[1]["spec"] == {"size": 3}


@pytest.mark.parametrize(
    ("size", "cause"),
    [
        (10, {"reason": "FieldValueInvalid", "message": "Invalid value: 10: too large", "field": "spec.size"}),
        (
            "3",
            {
                "reason": "FieldValueTypeInvalid",
                "message": 'Invalid value: "string": spec.size in body must be of type integer: "string"',
                "field": "spec.size",
            },
        ),
    ],
)
def test_refusals_are_the_real_ones(widgets: ApiServer, size: Any, cause: dict[str, str]) -> None:
    status, answer = widgets.request("POST", WIDGETS, widget("refused", size))
    assert status == 422
    assert cause in answer["details"]["causes"]


def test_merge_patch(widgets: ApiServer) -> None:
    widgets.request("POST", WIDGETS, widget("patched", 3))
    patch = {"spec": {"size": 4}}
    status, answer = widgets.request("PATCH", f"{WIDGETS}/patched", patch, "application/merge-patch+json")
    assert (status, answer["spec"]) == (200, {"size": 4})


def test_kubeconfig_is_an_administrators(apiserver: ApiServer, parts: Parts) -> None:
    config = json.loads(apiserver.kubeconfig.read_text(encoding="utf-8"))
    assert config["clusters"][0]["cluster"]["server"] == apiserver.url
    if "kubectl" in parts.kube_apiserver.tools:
        kubectl = parts.kube_apiserver.tool("kubectl")
        assert call([kubectl, f"--kubeconfig={apiserver.kubeconfig}", "auth", "can-i", "*", "*"]).strip() == "yes"
