"""The accounts of zones and of the leader on a real API server: they give pods addresses, and change nothing else."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import MERGE_PATCH, ApiStatusError, Client, ClusterOptions
from ovnguard.validators.cluster.kubernetes_client import connect
from tests.attacks.forged_records import (
    CHANGES,
    ENTRY,
    LEADER,
    MINE,
    NOTHING_ELSE,
    OTHER,
    PLACE,
    WAYS,
    ZONE,
    elsewhere,
    pod,
    with_entry,
)
from tests.support.deployed.deployed import OURS, namespaces
from tests.support.deployed.running import ACCOUNTS, as_deployed, bound_to, kubeconfig_of, remove_traces
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import wait_until

PODS = f"/api/v1/namespaces/{PLACE}/pods"
Send = Callable[..., str]


@pytest.fixture(scope="module")
def api(apiserver: ApiServer) -> Iterator[ApiServer]:
    with namespaces(apiserver, [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": PLACE}}]):
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": PLACE}}
        apiserver.request("POST", f"/api/v1/namespaces/{PLACE}/serviceaccounts", account)
        for name, node in (("mine", MINE), ("other", OTHER)):
            status, answer = apiserver.request("POST", PODS, pod(name, node))
            assert status == 201, answer
        yield apiserver
        for name in ("mine", "other"):
            apiserver.request("DELETE", f"{PODS}/{name}?gracePeriodSeconds=0")
        remove_traces(apiserver)


@pytest.fixture(scope="module")
def accounts(api: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Send]:
    """The deployed accounts, each with a token as its Pod has it; what they send returns the objection."""
    folder = tmp_path_factory.mktemp("accounts")
    as_deployed(api, folder, ZONE, *ACCOUNTS)
    files: dict[str, Path] = {ZONE: bound_to(api, folder, MINE), LEADER: kubeconfig_of(api, folder, LEADER)}
    clients = {name: connect(ClusterOptions(str(file), None, "test")) for name, file in files.items()}
    found: dict[str, Send] = {name: partial(objection, client) for name, client in clients.items()}
    for name, send in found.items():
        wait_until(partial(in_force, send), f"the policy: {name}", 60)
    assert api.request("PATCH", f"{PODS}/mine", {"metadata": {"annotations": {"note": "a"}}}, MERGE_PATCH)[0] == 200
    # without a node in its token, an account of a zone writes nothing
    found["unbound"] = partial(objection, connect(ClusterOptions(str(kubeconfig_of(api, folder, ZONE)), None, "test")))
    return found


def objection(client: Client, method: str, name: str, body: Any = None) -> str:
    try:
        client.request(method, f"{PODS}/{name}".rstrip("/"), None, body, MERGE_PATCH)
    except ApiStatusError as error:
        return str(error)
    return ""


def in_force(send: Send) -> bool:
    """Whether the policy refuses changes; before that, one of two is no change any more."""
    changes: list[JsonObject] = [{"metadata": {"annotations": {"note": text}}} for text in "bc"]
    return any(NOTHING_ELSE in send("PATCH", "mine/status", change) for change in changes)


def test_the_zone_writes_records_of_its_own_pods(api: ApiServer, accounts: dict[str, Send]) -> None:
    assert accounts[ZONE]("PATCH", "mine/status", ENTRY) == ""
    stored = api.request("GET", f"{PODS}/mine")[1]
    assert stored["metadata"]["annotations"] == {"note": "a", **ENTRY["metadata"]["annotations"]}
    assert accounts[ZONE]("PATCH", "other/status", ENTRY).endswith(elsewhere(MINE, "other"))
    assert accounts["unbound"]("PATCH", "mine/status", ENTRY).endswith(elsewhere("", "mine"))


def test_the_leader_writes_records_of_all_pods(accounts: dict[str, Send]) -> None:
    assert [accounts[LEADER]("PATCH", f"{name}/status", ENTRY) for name in ("mine", "other")] == ["", ""]


@pytest.mark.parametrize("account", [ZONE, LEADER])
@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_nothing_else_of_a_pod_changes(
    api: ApiServer, accounts: dict[str, Send], account: str, change: JsonObject
) -> None:
    before = api.request("GET", f"{PODS}/mine")[1]
    refusal = accounts[account]("PATCH", "mine/status", with_entry(change))
    assert refusal.endswith(NOTHING_ELSE), refusal
    assert api.request("GET", f"{PODS}/mine")[1] == before


@pytest.mark.parametrize("account", [ZONE, LEADER])
@pytest.mark.parametrize(("method", "path", "body", "verb", "resource"), WAYS)
def test_no_other_way_leads_to_a_pod(
    accounts: dict[str, Send], account: str, method: str, path: str, body: Any, verb: str, resource: str
) -> None:
    refusal = accounts[account](method, path, body)
    user = f'User "system:serviceaccount:{OURS}:{account}"'
    group = 'in API group ""' + f' in the namespace "{PLACE}"'
    assert f'{user} cannot {verb} resource "{resource}" {group}' in refusal, refusal
