"""The leader's account on a real API server: the policy permits attachments that ovnguard renders, and no others."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterOptions
from ovnguard.validators.cluster.kubernetes_client import connect
from tests.attacks.forged_attachments import (
    LEADER,
    SOMEBODY,
    TENANT,
    UNCONTROLLED,
    Write,
    attachment,
    attacks,
    permitted,
)
from tests.support.deployed.deployed import namespaces
from tests.support.deployed.fabric_api import NADS, place, served
from tests.support.deployed.running import ACCOUNTS, MERGE, RIGHTS, as_deployed
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import wait_until

NAME = "every-verb-on-attachments"
Send = Callable[..., str]


@pytest.fixture(scope="module")
def api(apiserver: ApiServer) -> Iterator[ApiServer]:
    tenant = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": TENANT}}
    with served(apiserver), namespaces(apiserver, [tenant]):
        yield apiserver


@pytest.fixture(scope="module")
def send(api: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Send]:
    """Sends a request as the leader's account, with more rights than deploy/ gives it; returns the objection."""
    folder = tmp_path_factory.mktemp("leader")
    client = connect(ClusterOptions(str(more_than_deployed(api, folder)), None, "test"))

    def request(method: str, path: str, body: Any = None, manager: str = SOMEBODY) -> str:
        try:
            client.request(method, path, {"fieldManager": manager} if body else {}, body)
        except ApiStatusError as error:
            return str(error)
        return ""

    path = place(NADS, attachment())
    wait_until(lambda: UNCONTROLLED in request("POST", path.rpartition("/")[0], attachment()), "the policy", 60)
    api.request("DELETE", path)
    yield request
    for each in ("clusterroles", "clusterrolebindings"):
        api.request("DELETE", f"{RIGHTS}/{each}/{NAME}")


def more_than_deployed(api: ApiServer, folder: Path) -> Path:
    """A kubeconfig of the account, with every verb on attachments: only the policy is left to refuse."""
    verbs = ["create", "update", "patch", "delete"]
    rule = {"apiGroups": ["k8s.cni.cncf.io"], "resources": ["network-attachment-definitions"], "verbs": verbs}
    role = {"metadata": {"name": NAME}, "rules": [rule]}
    *_, namespace, account = LEADER.split(":")
    binding = {
        "metadata": {"name": NAME},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": NAME},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
    }
    for plural, document in (("clusterroles", role), ("clusterrolebindings", binding)):
        assert api.request("POST", f"{RIGHTS}/{plural}", document)[0] == 201
    return as_deployed(api, folder, account, *ACCOUNTS[1:])


def store(api: ApiServer, path: str, write: Write) -> dict[str, Any]:
    """Make ``before`` as its maker and somebody."""
    status, made = api.request("POST", f"{path.rpartition('/')[0]}?fieldManager={write.maker}", write.before)
    assert status == 201, made
    status, made = api.request("PATCH", f"{path}?fieldManager={SOMEBODY}", {"metadata": {**write.added}}, MERGE)
    assert status == 200, made
    return dict(made)


def objection(api: ApiServer, send: Send, write: Write) -> str:
    """What the API server says to the request of ``write``; the object is gone afterwards."""
    path = place(NADS, write.before or write.after or {})
    before = None if write.before is None else store(api, path, write)
    try:
        if before is None:
            return send("POST", path.rpartition("/")[0], write.after, write.writer)
        if write.after is None:
            return send("DELETE", path)
        version = {"resourceVersion": before["metadata"]["resourceVersion"]}
        return send("PUT", path, {**write.after, "metadata": {**write.after["metadata"], **version}}, write.writer)
    finally:
        api.request("PATCH", path, {"metadata": {"finalizers": None}}, MERGE)
        api.request("DELETE", path)
        assert api.request("GET", path)[0] == 404


@pytest.mark.parametrize("write", [*permitted()], ids=lambda write: write.what)
def test_what_the_leader_renders_and_records_is_stored(api: ApiServer, send: Send, write: Write) -> None:
    assert objection(api, send, write) == ""


@pytest.mark.parametrize("write", [*attacks()], ids=lambda write: write.what)
def test_whatever_else_its_account_writes_is_refused(api: ApiServer, send: Send, write: Write) -> None:
    refusal = objection(api, send, write)
    assert refusal.endswith(f"denied request: {write.refusal}"), refusal
