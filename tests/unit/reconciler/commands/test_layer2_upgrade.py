"""`layer2-upgrade` says which nodes can change next, what keeps the others, and what a change changes."""

import json
from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.network.declared.node import ROUTER_PORT_KEYS, TOPOLOGY_VERSION
from tests.support.fake_cluster import ID, KEYS, TRANSIT, cudn, node, operator
from tests.support.manifests.activity_manifests import pod_on, tenant
from tests.support.reconciler_cli import run

RECORDED: dict[str, Any] = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}
RUNS = "Network cluster_udn_blue_ovn_layer2_switch has running pods, not switching to transit router topology yet: "


def keyed(name: str, number: int, *, upgraded: bool = False):
    found = node(name, number, **{ROUTER_PORT_KEYS: json.dumps({"cluster_udn_blue": str(number)})})
    if not upgraded:
        del found["metadata"]["annotations"][TOPOLOGY_VERSION]
    return found


@pytest.fixture
def live(tmp_path: Path) -> str:
    """One upgraded node, one drained one, and one with a pod."""
    nodes = [keyed("worker-a", 2, upgraded=True), keyed("worker-b", 3), keyed("worker-c", 4)]
    items = [operator(), cudn("blue", **RECORDED), tenant("blue"), *nodes, pod_on("worker-c", "blue", "web")]
    file = tmp_path / "live.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), encoding="utf-8")
    return str(file)


def test_where_each_node_is(live: str) -> None:
    done = run("layer2-upgrade", "-f", live, "--nodes", live)
    assert done.code == 0
    assert done.out.splitlines() == [
        "worker-a  transit router",
        "worker-b  before transit routers  changes as soon as its zone's process runs",
        f"worker-c  before transit routers  {RUNS}blue/web",
        "",
        "1 of 3 nodes uses transit routers.",
        "Can change now: worker-b.",
    ]


def test_what_the_change_of_a_node_changes(live: str) -> None:
    done = run("layer2-upgrade", "-f", live, "--nodes", live, "--node", "worker-b")
    lines = done.out.splitlines()
    assert done.code == 0
    assert "    - Logical_Switch_Port stor-cluster_udn_blue_ovn_layer2_switch_worker-b" in lines
    assert "    + Logical_Router_Port trtor-GR_cluster_udn_blue_worker-b" in lines
    # an old node sees no difference: the upgraded one answers on the same port
    assert "no changes on worker-c" in lines


def test_as_json(live: str) -> None:
    done = run("layer2-upgrade", "-f", live, "--nodes", live, "-o", "json", "--node", "worker-b")
    found = json.loads(done.out)
    assert [(each["node"], each["upgraded"], each["ready"]) for each in found["nodes"]] == [
        ("worker-a", True, False),
        ("worker-b", False, True),
        ("worker-c", False, False),
    ]
    assert found["nodes"][2]["reasons"] == [f"{RUNS}blue/web"]
    assert found["changes"]["worker-a"] == {"insert": 1, "update": 3, "delete": 1}
    assert found["changes"]["worker-c"] == {"insert": 0, "update": 0, "delete": 0}
    assert found["errors"] == []


def test_a_cluster_that_waits_for_pods_names_the_node_to_drain(tmp_path: Path) -> None:
    items = [operator(), cudn("blue", **RECORDED), tenant("blue"), keyed("b", 3), pod_on("b", "blue", "web")]
    file = tmp_path / "live.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), encoding="utf-8")
    done = run("layer2-upgrade", "-f", file, "--nodes", file)
    assert done.out.splitlines()[-2:] == ["0 of 1 node use transit routers.", "Drain next: b."]


def test_a_node_that_there_is_not(live: str) -> None:
    done = run("layer2-upgrade", "-f", live, "--nodes", live, "--node", "worker-z")
    assert (done.code, done.err) == (2, "--node: no node worker-z in --nodes")
