"""A zone's own account changes its node to transit routers, and may change nothing else of any Node."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import MERGE_PATCH, ApiStatusError, ClusterOptions
from ovnguard.validators.cluster.kubernetes_client import connect
from tests.support.deployed import running
from tests.support.deployed import upgrading as upgrading_nodes
from tests.support.deployed.deployed import OURS
from tests.support.deployed.running import (
    ACCOUNTS,
    MERGE,
    NODE,
    NODES,
    PROGRAM,
    Zone,
    as_deployed,
    bound_to,
)
from tests.support.deployed.upgrading import KEYS, NETWORK, PODS, VERSION, progress, version
from tests.support.present import present
from tests.testbed.process import Child, wait_until

pytestmark = pytest.mark.timing
OFF = ("--layer2-legacy", "off")

api, zone, upgrading = running.api, running.zone, upgrading_nodes.upgrading


def test_a_drained_node_gets_transit_routers_with_the_rights_of_its_own_account(upgrading: Zone) -> None:
    zone = upgrading
    as_deployed(zone.api, zone.folder, "ovnguard-reconciler", ACCOUNTS[0], ACCOUNTS[3])
    leader_folder = zone.folder / "leader"
    leader_folder.mkdir()
    kubeconfig = as_deployed(zone.api, leader_folder, "ovnguard-reconciler-cluster", *ACCOUNTS[1:3])
    argv: list[str | Path] = [PROGRAM, "cluster", "--mode", "own", "--kubeconfig", kubeconfig, "--resync", "1"]
    with Child("leader", argv, zone.folder / "leader.log") as leader:
        zone.kubeconfig = bound_to(zone.api, zone.folder, NODE)
        zone.start(record=False)
        zone.until(
            lambda: f"rtos-{NETWORK}_ovn_layer2_switch" in zone.ovn.nbctl("list", "Logical_Router_Port"), "old rows"
        )
        wait_until(lambda: progress(zone) == "False", "progress", 60, [leader])
        zone.until(lambda: any("has running pods" in each for each in zone.log_lines()), "the reason")
        assert version(zone) == ""

        query = "?gracePeriodSeconds=0"
        assert zone.api.request("DELETE", f"{PODS}/web{query}")[0] == 200
        zone.until(lambda: version(zone) == "2.0", "the annotation")
        zone.until(lambda: zone.has_router(NETWORK), "the transit router")
        zone.until(lambda: any(each["reason"] == "Layer2TopologyUpgraded" for each in zone.events(NODE)), "the event")
        # others follow by themselves
        assert {version(zone, node) for node in ("worker-b", "worker-c")} == {""}
        assert progress(zone) == "False"
        for node in ("worker-b", "worker-c"):
            change = {"metadata": {"annotations": {VERSION: "2.0"}}}
            assert zone.api.request("PATCH", f"{NODES}/{node}", change, MERGE)[0] == 200
        wait_until(lambda: progress(zone) == "True", "the end", 60, [leader])
        zone.until(lambda: "upgrade" not in zone.ovn.nbctl("list", "Logical_Switch_Port"), "no temporary rows")

    # the end of the earlier topology: zones first, then the leader; nodes without a zone would have to wait for one
    for node in ("worker-b", "worker-c"):
        zone.delete(node, NODES)
    zone.until(lambda: "worker-b" not in zone.ovn.nbctl("list", "Logical_Router_Port"), "no ports of deleted nodes")
    rows = zone.ovn.nbctl("--columns=name,networks", "list", "Logical_Router_Port")
    present(zone.process).stop()
    with Child("leader", [*argv, *OFF], zone.folder / "leader-off.log") as leader:
        stays = f"the annotation of Layer2 topologies stays: {NODE} still need it"
        wait_until(lambda: stays in leader.log.read_text(), "a zone that needs it", 60, [leader])
        assert version(zone) == "2.0"
        zone.start("--report", OURS, *OFF, record=False)
        zone.until(lambda: version(zone) == "", "no annotation")
        assert KEYS not in zone.get(NODE, NODES)["metadata"]["annotations"]
        time.sleep(2)
        assert zone.ovn.nbctl("--columns=name,networks", "list", "Logical_Router_Port") == rows
    assert zone.complaints("orbidden") == []


@pytest.fixture
def zone_account(zone: Zone) -> Callable[..., str]:
    """Patches a Node as a Pod of the DaemonSet on this node; returns the API server's objection."""
    as_deployed(zone.api, zone.folder, "ovnguard-reconciler", ACCOUNTS[0], ACCOUNTS[3])
    client = connect(ClusterOptions(str(bound_to(zone.api, zone.folder, NODE)), None, "test"))

    def patch(node: str, change: JsonObject) -> str:
        try:
            client.request("PATCH", f"{NODES}/{node}", {}, change, MERGE_PATCH)
        except ApiStatusError as error:
            return str(error)
        return ""

    other = {"metadata": {"annotations": {"a": "b"}}}
    wait_until(lambda: "its own Node" in patch("worker-b", other), "the policy is in force", 60)
    return patch


CHANGES = {
    "another annotation": {"metadata": {"annotations": {"k8s.ovn.org/node-id": "9"}}},
    "one removed": {"metadata": {"annotations": {"k8s.ovn.org/node-id": None}}},
    "another version": {"metadata": {"annotations": {VERSION: "3.0"}}},
    "a label": {"metadata": {"labels": {"node-role.kubernetes.io/control-plane": ""}}},
    "a taint": {"spec": {"taints": [{"key": "a", "effect": "NoExecute"}]}},
    "a finalizer": {"metadata": {"finalizers": ["a.b/c"]}},
}


def test_the_account_changes_nothing_but_its_own_topology(zone: Zone, zone_account: Callable[..., str]) -> None:
    mine = {"metadata": {"annotations": {VERSION: "2.0"}}}
    assert zone_account(NODE, mine) == ""
    refusal = zone_account("worker-b", mine)
    assert f'the zone of node "{NODE}" records its topology only on its own Node, not on worker-b' in refusal
    for what, change in CHANGES.items():
        refusal = zone_account(NODE, change)
        assert f"records nothing on its Node but {VERSION}, which is 2.0" in refusal, what
    assert zone.get(NODE, NODES)["metadata"]["annotations"][VERSION] == "2.0"
