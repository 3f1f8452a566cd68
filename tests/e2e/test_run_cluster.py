"""`ovnguard-reconciler cluster` on a real API server: one leads, another one takes over, nothing is given twice."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.deployed import running
from tests.support.deployed.running import ACCOUNTS, MERGE, NODES, OPERATOR, as_deployed, cudn, remove_all
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import Child, wait_until

api = running.api
PROGRAM = Path(sys.executable).parent / "ovnguard-reconciler"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/ovnguard-system/leases/ovnguard-reconciler-cluster"
NODE_ID, SUBNETS = "k8s.ovn.org/node-id", "k8s.ovn.org/node-subnets"


def layer3(name: str) -> dict[str, Any]:
    found = cudn(name, "")
    subnets = [{"cidr": "10.20.0.0/16", "hostSubnet": 24}]
    found["spec"]["network"] = {"topology": "Layer3", "layer3": {"role": "Primary", "subnets": subnets}}
    return found


class Cluster:
    """Processes under test and the objects that they write."""

    def __init__(self, api: ApiServer, folder: Path) -> None:
        self.api, self.folder = api, folder
        self.kubeconfig = as_deployed(api, folder, "ovnguard-reconciler-cluster", *ACCOUNTS[1:])
        self.processes: list[Child] = []

    def start(self) -> Child:
        log = self.folder / f"{len(self.processes)}.log"
        argv: list[str | Path] = [
            PROGRAM,
            "cluster",
            "--mode",
            "own",
            "--kubeconfig",
            str(self.kubeconfig),
            "--resync",
            "1",
            "--log-format",
            "json",
        ]
        self.processes.append(Child(f"cluster {len(self.processes)}", argv, log))
        return self.processes[-1]

    def log_lines(self, number: int) -> list[str]:
        lines = (self.folder / f"{number}.log").read_text().splitlines()
        return [json.loads(line)["message"] for line in lines]

    def create(self, path: str, obj: dict[str, Any]) -> None:
        status, answer = self.api.request("POST", path, obj)
        assert status == 201, answer

    def add_node(self, name: str) -> None:
        self.create(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})

    def notes(self) -> dict[str, dict[str, str]]:
        items = self.api.request("GET", NODES)[1]["items"]
        return {item["metadata"]["name"]: item["metadata"].get("annotations", {}) for item in items}

    def given(self, network: str) -> dict[str, tuple[str, list[str]]]:
        """Node ids and subnets of nodes that have both."""
        found = {}
        for name, notes in self.notes().items():
            subnets = json.loads(notes.get(SUBNETS, "{}")).get(network)
            if subnets and NODE_ID in notes:
                found[name] = (notes[NODE_ID], subnets)
        return found

    def until(self, done: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
        wait_until(done, what, seconds)


@pytest.fixture
def cluster(api: ApiServer, tmp_path: Path) -> Iterator[Cluster]:
    remove_all(api)
    api.request("DELETE", LEASE)
    made = Cluster(api, tmp_path)
    config = {"type": "OVNKubernetes", "ovnKubernetesConfig": {}}
    spec = {"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}], "defaultNetwork": config}
    kind = {"apiVersion": "operator.openshift.io/v1", "kind": "Network", "metadata": {"name": "cluster"}}
    made.create(OPERATOR, {**kind, "spec": {**spec, "serviceNetwork": ["172.30.0.0/16"]}})
    yield made
    for process in made.processes:
        process.stop()
    remove_all(api)


def test_what_one_leader_gives_the_next_one_keeps(cluster: Cluster) -> None:
    cluster.add_node("b")
    cluster.create(running.CUDNS, layer3("wide"))
    first = cluster.start()
    wide = "cluster_udn_wide"
    cluster.until(lambda: len(cluster.given(wide)) == 1, "the first node")
    assert cluster.given(wide) == {"b": ("2", ["10.20.0.0/24"])}
    assert cluster.given("default") == {"b": ("2", ["10.128.0.0/23"])}
    cluster.start()
    cluster.until(lambda: any("watching" in line for line in cluster.log_lines(1)), "the second process")
    cluster.add_node("a")
    cluster.until(lambda: len(cluster.given(wide)) == 2, "the second node")
    assert [line for line in cluster.log_lines(1) if "leads" in line or "recorded" in line] == []

    os.kill(first.pid, signal.SIGKILL)
    cluster.add_node("c")
    cluster.until(lambda: any(line.endswith(" leads") for line in cluster.log_lines(1)), "another leader", 40)
    cluster.until(lambda: len(cluster.given(wide)) == 3, "the third node")
    assert cluster.given(wide) == {
        "b": ("2", ["10.20.0.0/24"]),
        "a": ("3", ["10.20.1.0/24"]),
        "c": ("4", ["10.20.2.0/24"]),
    }
    assert cluster.api.request("GET", LEASE)[1]["spec"]["leaseTransitions"] == 1
    assert [line for line in cluster.log_lines(1) if "Forbidden" in line] == []


def test_a_stopped_leader_releases_the_lease_at_once(cluster: Cluster) -> None:
    first = cluster.start()
    cluster.until(lambda: any(line.endswith(" leads") for line in cluster.log_lines(0)), "a leader")
    os.kill(first.pid, signal.SIGTERM)
    assert first.process.wait(60) == 0
    assert cluster.api.request("GET", LEASE)[1]["spec"].get("holderIdentity", "") == ""
    cluster.processes.remove(first)
    (cluster.folder / "0.log").unlink()
    cluster.start()
    cluster.until(lambda: any(line.endswith(" leads") for line in cluster.log_lines(0)), "the next leader", 60)


def test_of_two_nodes_with_one_id_the_later_gets_another(cluster: Cluster) -> None:
    cluster.add_node("a")
    cluster.start()
    cluster.until(lambda: len(cluster.given("default")) == 1, "the first node")
    double = {"metadata": {"annotations": {NODE_ID: "7"}}}
    cluster.add_node("z")
    for name in "az":
        assert cluster.api.request("PATCH", f"{NODES}/{name}", double, MERGE)[0] == 200
    cluster.until(lambda: cluster.notes()["z"].get(NODE_ID) not in (None, "7"), "another id")
    assert cluster.notes()["a"][NODE_ID] == "7"
    assert cluster.notes()["z"][NODE_ID] == "8"
