"""`ovnguard-reconciler status` of a real API server, with the rights of docs/status.md and without."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.deployed import running
from tests.support.deployed.kubelet import kubelet
from tests.support.deployed.running import MERGE, NAMESPACES, NODES, OURS, PROGRAM, TEST, kubeconfig_of
from tests.support.paths import ROOT
from tests.testbed.apiserver import ApiServer
from tests.testbed.pki import Authority

api = running.api
RBAC = "/apis/rbac.authorization.k8s.io/v1"
ABSENT = (
    "wrong: the webhook is not installed: there is no Deployment ovnguard-system/ovnguard-webhook; "
    "see docs/webhook.md#install",
    "wrong: the API server asks no webhook: validatingwebhookconfigurations/ovnguard is missing; "
    "see docs/runbooks/OvnguardAdmissionFailsOpen.md",
    "wrong: the API server asks no webhook: mutatingwebhookconfigurations/ovnguard is missing; "
    "see docs/runbooks/OvnguardAdmissionFailsOpen.md",
)


def posted(api: ApiServer, path: str, obj: dict[str, Any]) -> None:
    status, answer = api.request("POST", path, obj)
    assert status == 201, answer


@pytest.fixture
def account(api: ApiServer, tmp_path: Path) -> Iterator[Path]:
    """A kubeconfig of an account without rights."""
    metadata = {"name": OURS, "labels": {TEST: ""}}
    api.request("POST", NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    place = f"{NAMESPACES}/{OURS}/serviceaccounts"
    posted(api, place, {"metadata": {"name": "status"}})
    yield kubeconfig_of(api, tmp_path, "status")
    api.request("DELETE", f"{place}/status")


@pytest.fixture
def permitted(api: ApiServer, account: Path) -> Iterator[Path]:
    """The same with the rights of the page."""
    roles = list(yaml.safe_load_all((ROOT / "docs/status.md").read_text().split("```yaml\n")[1].split("```")[0]))
    places = []
    for role in roles:
        kind, namespace = role["kind"], role["metadata"].get("namespace")
        place = f"{RBAC}/{f'namespaces/{namespace}/' if namespace else ''}{kind.lower()}"
        posted(api, f"{place}s", role)
        subject = {"kind": "ServiceAccount", "namespace": OURS, "name": "status"}
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": "ovnguard-status"}
        posted(api, f"{place}bindings", {"metadata": {"name": "status"}, "roleRef": reference, "subjects": [subject]})
        places += [f"{place}s/ovnguard-status", f"{place}bindings/status"]
    yield account
    for place in places:
        assert api.request("DELETE", place)[0] == 200


def status(account: Path) -> tuple[int, list[str]]:
    done = subprocess.run([PROGRAM, "status", "--kubeconfig", account], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_the_rights_of_the_page_are_enough(permitted: Path) -> None:
    code, lines = status(permitted)
    assert (code, tuple(lines[:4])) == (1, (*ABSENT, ""))
    assert "  refusals        unknown: the logs of the webhook cannot be read" in lines


def test_without_rights_nothing_is_known(account: Path) -> None:
    code, lines = status(account)
    assert code == 1
    (first, *others), rest = lines[: lines.index("")], lines[lines.index("") :]
    assert first == (
        "unknown: deployments cannot be listed: 403 Forbidden: deployments.apps is forbidden: "
        'User "system:serviceaccount:ovnguard-system:status" cannot list '
        'resource "deployments" in API group "apps" in the namespace "ovnguard-system"; '
        "see docs/status.md#what-cannot-be-read"
    )
    assert {line.partition(":")[0] for line in others} == {"unknown"}
    assert "  zones  unknown" in rest
    assert "  mode  unknown" in rest


def test_logs_of_the_webhook_are_read(api: ApiServer, permitted: Path, tmp_path: Path) -> None:
    labels = {"app.kubernetes.io/component": "webhook"}
    metadata = {"name": "webhook-1", "namespace": OURS, "labels": labels}
    containers = [{"name": "webhook", "image": "ovnguard"}]
    posted(api, NODES, {"metadata": {"name": "n1"}})
    try:
        with kubelet(Authority(tmp_path).server("kubelet"), {}) as port:
            addresses = [{"type": "InternalIP", "address": "127.0.0.1"}]
            body = {"addresses": addresses, "daemonEndpoints": {"kubeletEndpoint": {"Port": port}}}
            assert api.request("PATCH", f"{NODES}/n1/status", {"status": body}, MERGE)[0] == 200
            spec = {"nodeName": "n1", "containers": containers}
            posted(api, f"{NAMESPACES}/{OURS}/pods", {"metadata": metadata, "spec": spec})
            assert "  refusals        0 in the last hour" in status(permitted)[1]
    finally:
        api.request("DELETE", f"{NAMESPACES}/{OURS}/pods/webhook-1?gracePeriodSeconds=0")
        api.request("DELETE", f"{NODES}/n1")
