"""The whole way once, with nothing faked: API server, webhook, reconciler, Northbound database.

A refused network stays out; an accepted one gets its transit subnet, its rows come into a real database, and go when
it goes.
"""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard.validators.network.model import NETWORK_ID_ANNOTATION, TRANSIT_ANNOTATION, TUNNEL_KEYS_ANNOTATION
from tests.support.deployed.installed import installed
from tests.testbed.apiserver import ApiServer
from tests.testbed.ovn import OvnZone
from tests.testbed.process import Child, wait_until

BIN = Path(sys.executable).parent
EXAMPLES = Path(__file__).resolve().parents[2] / "deploy" / "examples"
CUDNS = "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks"
NODES = "/api/v1/nodes"
SWITCH = "cluster_udn_blue_ovn_layer2_switch"
LOCAL = "worker-a"


def example(name: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((EXAMPLES / name).read_text(encoding="utf-8"))
    return document


@pytest.fixture
def nodes(apiserver: ApiServer) -> Iterator[list[str]]:
    """The example nodes, with the addresses that a kubelet would report."""
    names = []
    for file in sorted((EXAMPLES / "nodes").glob("*.yaml")):
        node = example(f"nodes/{file.name}")
        status, answer = apiserver.request("POST", NODES, node)
        assert status == 201, answer
        names.append(node["metadata"]["name"])
        merge = "application/merge-patch+json"
        path = f"{NODES}/{names[-1]}/status"
        assert apiserver.request("PATCH", path, {"status": node["status"]}, merge)[0] == 200
    yield names
    for name in names:
        apiserver.request("DELETE", f"{NODES}/{name}")


@pytest.fixture
def run(apiserver: ApiServer, tmp_path: Path) -> Iterator[Callable[[str], Child]]:
    """Start `ovnguard-reconciler run` for the local node on a database."""
    children = []

    def start(database: str) -> Child:
        command: list[str | Path] = [
            BIN / "ovnguard-reconciler",
            "run",
            "--mode",
            "own",
            "--record",
            "--node",
            LOCAL,
            "--kubeconfig",
            apiserver.kubeconfig,
        ]
        command += ["--nb-db", database, "--frr-dir", tmp_path / "frr", "--resync", "2"]
        child = Child("ovnguard-reconciler", command, tmp_path / "run.log")
        children.append(child)
        return child

    yield start
    for child in children:
        child.stop()


def ours(zone: OvnZone) -> list[str]:
    """Names of all switches and routers in the database."""
    names = zone.nbctl("--bare", "--columns=name", "list", "Logical_Switch").split()
    return sorted(names + zone.nbctl("--bare", "--columns=name", "list", "Logical_Router").split())


def test_from_manifest_to_rows_and_away(
    apiserver: ApiServer,
    nodes: list[str],
    ovn_zone: Callable[[str], OvnZone],
    run: Callable[[str], Child],
    tmp_path: Path,
) -> None:
    with installed(apiserver, tmp_path / "webhook"):
        status, answer = apiserver.request("POST", CUDNS, example("invalid/join-overlap.yaml"))
        assert status == 422
        assert answer["message"].endswith(
            'ClusterUserDefinedNetwork.k8s.ovn.org "red" is invalid: spec.network.layer2.subnets[0]: Invalid value: '
            '"100.65.128.0/17": pod or join subnet overlaps with already configured internal subnets: '
            'user defined join subnet "100.65.0.0/16" overlaps user defined subnet "100.65.128.0/17"'
        )
        assert answer["details"]["causes"][0]["field"] == "spec.network.layer2.subnets[0]"
        assert apiserver.request("GET", f"{CUDNS}/red")[0] == 404

        status, answer = apiserver.request("POST", CUDNS, example("valid/blue-layer2.yaml"))
        assert status == 201, answer
        assert answer["metadata"]["annotations"][TRANSIT_ANNOTATION] == "100.90.0.0/16"

        zone = ovn_zone(LOCAL)
        child = run(zone.nb)
        wait_until(lambda: SWITCH in ours(zone), "the rows are in the database", 60)
        assert ours(zone) == [
            f"GR_cluster_udn_blue_{LOCAL}",
            SWITCH,
            "cluster_udn_blue_transit_router",
            f"ext_cluster_udn_blue_{LOCAL}",
        ]
        assert_recorded(apiserver, zone)

        assert apiserver.request("DELETE", f"{CUDNS}/blue")[0] == 200
        wait_until(lambda: ours(zone) == [], "the rows are gone", 60)
        child.check()
        child.stop()
        assert child.process.returncode == 0, child.tail()


def assert_recorded(apiserver: ApiServer, zone: OvnZone) -> None:
    """The object says what the rows were made from, and its condition says so to people."""

    def stored() -> dict[str, Any]:
        obj: dict[str, Any] = apiserver.request("GET", f"{CUDNS}/blue")[1]
        return obj

    wait_until(lambda: stored().get("status", {}).get("conditions"), "the condition is written", 60)
    obj = stored()
    annotations = obj["metadata"]["annotations"]
    keys = json.loads(annotations[TUNNEL_KEYS_ANNOTATION])
    assert keys[0] == 16711683 + int(annotations[NETWORK_ID_ANNOTATION])
    assert zone.nbctl("get", "Logical_Switch", SWITCH, "other_config:requested-tnl-key").strip().strip('"') == str(
        keys[0]
    )
    router = "cluster_udn_blue_transit_router"
    assert zone.nbctl("get", "Logical_Router", router, "options:requested-tnl-key").strip().strip('"') == str(keys[1])
    networks = zone.nbctl("get", "Logical_Router_Port", f"trtor-GR_cluster_udn_blue_{LOCAL}", "networks")
    assert networks.strip() == '["100.90.0.4/31"]'
    [condition] = obj["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == (
        "TransitSubnetAllocated",
        "True",
        "AlternativeSelected",
    )
    assert condition["observedGeneration"] == obj["metadata"]["generation"]
    assert condition["message"] == "Transit subnet 100.90.0.0/16 selected."
