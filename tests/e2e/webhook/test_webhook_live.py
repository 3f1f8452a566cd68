"""The webhook beside a real API server: its schemas, its access, its shared authority."""

import base64
import copy
import json
import os
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.deployed.installed import CRDS, PROGRAM, REGISTRATIONS, served_crds
from tests.support.webhook.live_webhook import Webhook, network, serving
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import wait_until

pytestmark = pytest.mark.timing

CUDN_CRD = f"{CRDS}/clusteruserdefinednetworks.k8s.ovn.org"
SECRET = "/api/v1/namespaces/hooks/secrets/hook-tls"


@pytest.fixture(scope="module")
def api(apiserver: ApiServer) -> Iterator[ApiServer]:
    with served_crds(apiserver):
        yield apiserver


def strange(response: dict[str, Any]) -> list[str]:
    """What is said about a schema that is none of the bundled ones."""
    return [text for text in response.get("warnings", ()) if text.startswith("ovnguard does not know this cluster's")]


def test_changed_definition_judges_soon_and_never_halfway(api: ApiServer, tmp_path: Path) -> None:
    original = api.request("GET", CUDN_CRD)[1]
    with serving(tmp_path, api.kubeconfig, "--workers", "2") as webhook:
        first = webhook.ask(network())
        assert (first["allowed"], first["auditAnnotations"]["schema-set"]) == (True, "given")
        assert strange(first) == []
        changed = copy.deepcopy(original)
        spec = changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
        spec["properties"]["network"]["properties"]["layer3"]["properties"]["role"]["enum"] = ["Secondary"]
        status, answer = api.request("PUT", CUDN_CRD, changed)
        assert status == 200, answer
        try:
            seen: set[Any] = set()

            def follows() -> bool:
                # both workers, again and again: whatever they say is one schema or the other
                answers = [webhook.ask(network()) for _ in range(8)]
                seen.update((each["allowed"], bool(strange(each))) for each in answers)
                return not any(each["allowed"] for each in answers)

            wait_until(follows, "both workers judge by the changed definition", 60)
            assert seen <= {(True, False), (False, True)}
            answer = webhook.ask(network())
            assert answer["status"]["details"]["causes"][0]["field"] == "spec.network.layer3.role"
            [warning] = strange(answer)
            assert warning.endswith("ClusterUserDefinedNetwork: it differs at spec.network.layer3.role")
        finally:
            newest = api.request("GET", CUDN_CRD)[1]
            newest["spec"] = original["spec"]
            assert api.request("PUT", CUDN_CRD, newest)[0] == 200
        wait_until(lambda: webhook.ask(network())["allowed"], "the former definition is back", 60)


def limited(api: ApiServer, folder: Path, *resources: str) -> Path:
    """A kubeconfig of an account that sees no more of the core group than ``resources``."""
    api.request("POST", "/api/v1/namespaces", {"metadata": {"name": "hooks"}})
    account = "/api/v1/namespaces/hooks/serviceaccounts"
    api.request("POST", account, {"metadata": {"name": "limited"}})
    groups = ["k8s.ovn.org", "operator.openshift.io", "config.openshift.io", "frrk8s.metallb.io", "k8s.cni.cncf.io"]
    groups += ["apps", "apiextensions.k8s.io"]
    rules = [
        {"apiGroups": groups, "resources": ["*"], "verbs": ["list", "watch"]},
        {"apiGroups": [""], "resources": list(resources), "verbs": ["list", "watch"]},
    ]
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    assert api.request("POST", f"{rbac}/clusterroles", {"metadata": {"name": "limited"}, "rules": rules})[0] == 201
    binding = {
        "metadata": {"name": "limited"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "limited"},
        "subjects": [{"kind": "ServiceAccount", "name": "limited", "namespace": "hooks"}],
    }
    assert api.request("POST", f"{rbac}/clusterrolebindings", binding)[0] == 201
    status, token = api.request("POST", f"{account}/limited/token", {"spec": {"audiences": None}})
    assert status == 201, token
    config = json.loads(api.kubeconfig.read_text())
    config["users"][0]["user"] = {"token": token["status"]["token"]}
    (folder / "kubeconfig").write_text(json.dumps(config))
    return folder / "kubeconfig"


def refused(webhook: Webhook) -> set[str]:
    """The resources that the log names as refused."""
    lines = (line["message"] for line in webhook.lines() if line["message"].endswith(" granted"))
    return {name for line in lines for name in line.partition(":")[0].split(", ")}


def test_what_we_may_not_see_is_noted_and_everything_else_is_judged(api: ApiServer, tmp_path: Path) -> None:
    kubeconfig = limited(api, tmp_path, "nodes", "namespaces", "services")
    with serving(tmp_path, kubeconfig) as webhook:
        reason = b"the API server refuses to list pods\n"
        wait_until(lambda: webhook.call("GET", "/readyz") == (503, reason), "it says what it may not list", 60)
        # A line names all that is refused within two seconds.
        wait_until(lambda: "pods" in refused(webhook), "the log names it", 60)
        assert "nodes" not in refused(webhook)
        assert webhook.ask(network())["allowed"] is True
        bad = network()
        bad["spec"]["network"]["layer3"]["subnets"][0]["cidr"] = "100.65.0.0/16"
        assert webhook.ask(bad)["allowed"] is False


def registration(name: str, service: str) -> dict[str, Any]:
    kind = {"validate": "ValidatingWebhookConfiguration", "mutate": "MutatingWebhookConfiguration"}[name]
    rule = {"apiGroups": ["nothing.example"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["none"]}
    webhook = {
        "name": f"{name}.{service}.example",
        "clientConfig": {"service": {"namespace": "hooks", "name": service}},
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "rules": [rule],
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": "ovnguard"},
        "webhooks": [
            webhook,
            {**webhook, "name": f"other.{name}.example", "clientConfig": {"url": "https://x.example"}},
        ],
    }


def leaf_of(port: int, bundle: str, name: str) -> bytes:
    """What is served, to a client that trusts ``bundle`` and calls the Service."""
    trust = ssl.create_default_context(cadata=bundle)
    with (
        socket.create_connection(("127.0.0.1", port), timeout=60) as plain,
        trust.wrap_socket(plain, server_hostname=name) as tls,
    ):
        return tls.getpeercert(binary_form=True) or b""


def test_replicas_share_one_authority(api: ApiServer, tmp_path: Path) -> None:
    api.request("POST", "/api/v1/namespaces", {"metadata": {"name": "hooks"}})
    kinds = {"validate": "validatingwebhookconfigurations", "mutate": "mutatingwebhookconfigurations"}
    for name, plural in kinds.items():
        status, answer = api.request("POST", f"{REGISTRATIONS}/{plural}", registration(name, "hook"))
        assert status == 201, answer
    options = ("--authority-secret", "hooks/hook-tls", "--service", "hooks/hook", "--workers", "2")
    follow = ("--authority", "hooks/hook-tls", "--service", "hooks/hook", "--kubeconfig", str(api.kubeconfig))
    bundler = subprocess.Popen([PROGRAM, "ca-bundle", *follow], stderr=subprocess.DEVNULL)
    try:
        with (
            serving(tmp_path / "one", api.kubeconfig, *options) as one,
            serving(tmp_path / "two", api.kubeconfig, *options) as two,
        ):
            secret = api.request("GET", SECRET)[1]
            bundle = secret["data"]["ca.crt"]
            public = api.request("GET", "/api/v1/namespaces/hooks/configmaps/hook-tls")[1]["data"]
            served = secret["data"]["tls.crt"]
            assert public == {
                key: base64.b64decode(text).decode() for key, text in {"ca.crt": bundle, "tls.crt": served}.items()
            }

            def is_logged(plural: str) -> bool:
                ours, _ = api.request("GET", f"{REGISTRATIONS}/{plural}/ovnguard")[1]["webhooks"]
                return bool(ours["clientConfig"].get("caBundle") == bundle)

            for plural in kinds.values():
                wait_until(lambda plural=plural: is_logged(plural), "the log names the registration", 60)
                ours, other = api.request("GET", f"{REGISTRATIONS}/{plural}/ovnguard")[1]["webhooks"]
                assert ours["clientConfig"]["caBundle"] == bundle
                assert "caBundle" not in other["clientConfig"]
            pem = base64.b64decode(bundle).decode()
            leaves = {leaf_of(each.port, pem, "hook.hooks.svc") for each in (one, two)}
            assert leaves == {ssl.PEM_cert_to_DER_cert(base64.b64decode(secret["data"]["tls.crt"]).decode())}
            # a killed worker is replaced by one that serves the same
            children = Path(f"/proc/{one.process.pid}/task/{one.process.pid}/children").read_text().split()
            os.kill(int(children[0]), signal.SIGKILL)
            time.sleep(1)
            assert leaf_of(one.port, pem, "hook.hooks.svc") in leaves
            leaf = base64.b64decode(secret["data"]["tls.crt"])
            files = Path("/dev/shm").glob("ovnguard-tls-*/tls.crt")
            folders = {file.parent for file in files if file.read_bytes() == leaf}
            assert len(folders) == 2
        assert not any(folder.exists() for folder in folders)
    finally:
        bundler.terminate()
        assert bundler.wait(60) == 0
        for plural in kinds.values():
            api.request("DELETE", f"{REGISTRATIONS}/{plural}/ovnguard")
        api.request("DELETE", SECRET)
