"""Every overlay renders, a strict API server takes every document of it, and its rights are what the code needs."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.cluster.watched_kinds import WATCHED, definitions
from tests.support.deployed.deployed import (
    DEPLOY,
    OURS,
    OVERLAYS,
    PLACES,
    Kubectl,
    composed,
    foreign_kinds,
    namespaces,
    path_of,
    plurals_of,
)
from tests.support.verdicts.server_verdicts import Client
from tests.testbed.apiserver import ApiServer
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

pytestmark = pytest.mark.e2e
COMPOSED = {
    "plain": (),
    "reconciler": ("host-network", "reconciler"),
    "cluster": ("host-network", "cluster"),
    "everything": ("host-network", "openshift-access", "reconciler", "cluster", "monitoring", "cert-manager"),
}
BUNDLER = f"system:serviceaccount:{OURS}:ovnguard-ca-bundle"
ACCOUNT = f"system:serviceaccount:{OURS}:ovnguard-webhook"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


@pytest.fixture(scope="module")
def kubectl(parts: Parts) -> Kubectl:
    need(parts, "kube-apiserver")
    return Kubectl(parts)


@pytest.fixture(scope="module")
def server(apiserver: ApiServer) -> Iterator[ApiServer]:
    with foreign_kinds(apiserver):
        yield apiserver


@pytest.fixture(params=[*OVERLAYS, *COMPOSED])
def rendered(request: pytest.FixtureRequest, kubectl: Kubectl, tmp_path: Path) -> list[dict[str, Any]]:
    if request.param in COMPOSED:
        return kubectl.kustomize(composed(tmp_path, *COMPOSED[request.param]))
    return kubectl.kustomize(DEPLOY / "overlays" / request.param)


def kind(documents: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [document for document in documents if document["kind"] in names]


def places(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The namespaces of the documents, ours as it is written and those of others bare."""
    own = kind(documents, "Namespace")
    named = {each["metadata"]["name"] for each in own}
    return own + [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in PLACES - named]


def test_the_server_takes_every_document(server: ApiServer, rendered: list[dict[str, Any]]) -> None:
    client = Client(server)
    with namespaces(server, places(rendered)):
        plurals = plurals_of(server, rendered)
        for document in rendered:
            if document["kind"] == "Namespace":
                continue
            path = path_of(document, plurals)
            answer = client.send("POST", f"{path}?dryRun=All&fieldValidation=Strict", document)
            assert answer.code == 201, (document["kind"], document["metadata"]["name"], answer.body)
            # a PodSecurity warning for a Deployment, for one
            assert answer.warnings == [], document["metadata"]["name"]
    client.close()


def test_the_server_is_strict(server: ApiServer, kubectl: Kubectl) -> None:
    """What a misspelt field of each foreign kind, and of a Deployment, gets."""
    documents = kubectl.kustomize(DEPLOY / "overlays" / "cert-manager")
    client = Client(server)
    with namespaces(server, places(documents)):
        plurals = plurals_of(server, documents)
        kinds = ("Deployment", "Certificate", "Issuer", "ServiceMonitor", "PodMonitor", "PrometheusRule")
        for document in kind(documents, *kinds):
            wrong = copy.deepcopy(document)
            wrong["spec"]["surplus"] = True
            answer = client.send("POST", f"{path_of(wrong, plurals)}?dryRun=All&fieldValidation=Strict", wrong)
            assert answer.code == 400, document["kind"]
            assert 'unknown field "spec.surplus"' in answer.body["message"]
    client.close()


def test_pods_keep_to_the_security_of_their_namespace(server: ApiServer, rendered: list[dict[str, Any]]) -> None:
    client = Client(server)
    with namespaces(server, places(rendered)):
        for workload in kind(rendered, "Deployment", "DaemonSet"):
            template = workload["spec"]["template"]
            pod = {"apiVersion": "v1", "kind": "Pod", **copy.deepcopy(template)}
            pod["metadata"]["generateName"] = "pod-"
            pods = f"/api/v1/namespaces/{OURS}/pods?dryRun=All&fieldValidation=Strict"
            answer = client.send("POST", pods, pod)
            assert answer.code == 201, answer.body
    client.close()


def test_restricted_namespace_is_enforced(server: ApiServer, kubectl: Kubectl, tmp_path: Path) -> None:
    documents = kubectl.kustomize(composed(tmp_path))
    workload, *_ = (each for each in kind(documents, "Deployment") if each["metadata"]["name"] == "ovnguard-webhook")
    pod = {"apiVersion": "v1", "kind": "Pod", **copy.deepcopy(workload["spec"]["template"])}
    pod["metadata"]["generateName"] = "pod-"
    pod["spec"]["hostNetwork"] = True
    client = Client(server)
    with namespaces(server, places(documents)):
        answer = client.send("POST", f"/api/v1/namespaces/{OURS}/pods?dryRun=All", pod)
        assert answer.code == 403
        assert 'violates PodSecurity "restricted:latest": host namespaces (hostNetwork=true)' in answer.body["message"]
    client.close()


def allowed(server: ApiServer, user: str, **attributes: str) -> bool:
    spec = {"user": user, "groups": ["system:serviceaccounts", "system:authenticated"]}
    status, answer = server.request(
        "POST",
        REVIEWS,
        {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {**spec, "resourceAttributes": attributes},
        },
    )
    assert status == 201, answer
    return bool(answer["status"]["allowed"])


@pytest.fixture(scope="class")
def openshift(server: ApiServer, parts: Parts) -> Iterator[ApiServer]:
    """The rights of the openshift overlay, for real."""
    documents = Kubectl(parts).kustomize(DEPLOY / "overlays" / "openshift")
    rights = kind(documents, "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
    with namespaces(server, places(documents)):
        plurals = plurals_of(server, rights)
        for document in rights:
            status, answer = server.request("POST", path_of(document, plurals), document)
            assert status == 201, answer
        yield server
        for document in rights:
            server.request("DELETE", f"{path_of(document, plurals)}/{document['metadata']['name']}")


class TestRights:
    """Of the webhook's account, with the openshift overlay in force."""

    def test_what_the_code_watches_may_be_watched(self, openshift: ApiServer) -> None:
        for resource, part in (*WATCHED, *definitions()):
            named = {
                "group": resource.group,
                "resource": resource.plural,
                "namespace": part.namespace,
                "name": part.name,
            }
            for verb in ("list", "watch"):
                assert allowed(openshift, ACCOUNT, verb=verb, **named), (verb, named)

    def test_the_authority_may_be_kept(self, openshift: ApiServer) -> None:
        secret = {"resource": "secrets", "namespace": OURS, "name": "ovnguard-authority"}
        assert all(allowed(openshift, ACCOUNT, verb=verb, **secret) for verb in ("get", "update"))
        for resource in ("validatingwebhookconfigurations", "mutatingwebhookconfigurations"):
            named = {"group": "admissionregistration.k8s.io", "resource": resource, "name": "ovnguard"}
            assert allowed(openshift, ACCOUNT, verb="get", **named)
            assert not allowed(openshift, ACCOUNT, verb="patch", **named)
            assert all(allowed(openshift, BUNDLER, verb=verb, **named) for verb in ("get", "patch"))
        public = {"resource": "configmaps", "namespace": OURS, "name": "ovnguard-authority"}
        assert all(allowed(openshift, ACCOUNT, verb=verb, **public) for verb in ("get", "patch"))
        assert allowed(openshift, "somebody", verb="get", **public)
        assert not allowed(openshift, BUNDLER, verb="patch", **public)
        assert not allowed(openshift, BUNDLER, verb="get", **secret)

    @pytest.mark.parametrize(
        "attributes",
        [
            {"verb": "list", "resource": "secrets", "namespace": OURS},
            {"verb": "get", "resource": "secrets", "namespace": OURS, "name": "other"},
            {"verb": "create", "resource": "secrets", "namespace": OURS},
            {"verb": "delete", "resource": "secrets", "namespace": OURS, "name": "ovnguard-authority"},
            {"verb": "get", "resource": "secrets", "namespace": "kube-system", "name": "ovnguard-authority"},
            {"verb": "list", "resource": "configmaps", "namespace": "openshift-ovn-kubernetes"},
            {"verb": "list", "resource": "configmaps", "namespace": "default", "name": "mtu"},
            {"verb": "list", "group": "apps", "resource": "deployments", "namespace": "default"},
            {"verb": "list", "group": "apiextensions.k8s.io", "resource": "customresourcedefinitions"},
            {"verb": "patch", "resource": "nodes", "name": "a"},
            {"verb": "update", "group": "k8s.ovn.org", "resource": "clusteruserdefinednetworks", "name": "a"},
            {
                "verb": "patch",
                "group": "admissionregistration.k8s.io",
                "resource": "validatingwebhookconfigurations",
                "name": "other",
            },
            {
                "verb": "delete",
                "group": "admissionregistration.k8s.io",
                "resource": "validatingwebhookconfigurations",
                "name": "ovnguard",
            },
            {"verb": "list", "group": "admissionregistration.k8s.io", "resource": "mutatingwebhookconfigurations"},
        ],
        ids=str,
    )
    def test_nothing_else_may_be_done(self, openshift: ApiServer, attributes: dict[str, str]) -> None:
        assert not allowed(openshift, ACCOUNT, **attributes)
