"""Offline, a condition NodesSelected decides what is planned, and deletes no row, because it may be old."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ovnguard.reconciler.apply.files.file_store import FileStore
from ovnguard.reconciler.commands.manifests import read_manifests
from ovnguard.reconciler.commands.planned_manifests import plan_manifests
from ovnguard.reconciler.commands.targets import keeps_frr
from ovnguard.reconciler.commands.unused_rows import objects_without, with_unused
from tests.support.fake_cluster import cudn
from tests.support.reconciler_cli import NODES, WORKERS, Outcome, run

BLUE = "cluster_udn_blue"
CONDITION = {"type": "NodesSelected", "status": "True", "reason": "DynamicAllocation", "message": "1 node rendered"}
TENANT = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {"name": "t", "labels": {"t": "blue", "k8s.ovn.org/primary-user-defined-network": ""}},
}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "t"},
    "spec": {"nodeName": "worker-a", "containers": [{"name": "c", "image": "i"}]},
}
BLUE_NETWORK = cudn("blue", "10.20.0.0/16", 0, **{"ovnguard.io/transit-subnets": "100.88.0.0/16"})
ON, OFF = "--enable-dynamic-udn-allocation", "--disable-dynamic-udn-allocation"
DECIDES = f"only a condition says that some are unused, so {ON} or {OFF} has to decide"
BECAUSE = f"note: dynamic allocation is on because network {BLUE} has the condition NodesSelected"


def ovnkube(value: str, namespace: str = "ovn-kubernetes") -> dict[str, Any]:
    text = f"[ovnkubernetesfeature]\nenable-dynamic-udn-allocation={value}\n"
    metadata = {"name": "ovnkube-config", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"ovnkube.conf": text}}


class World:
    """Objects in a folder, and the zones of three nodes: files, or databases."""

    def __init__(self, folder: Path, databases: FileStore, *, live: bool) -> None:
        self.folder, self.live = folder / "in", live
        self.store = databases if live else FileStore(folder / "store")
        self._folder = folder / "store"
        self.folder.mkdir()
        self.put(BLUE_NETWORK, TENANT, POD)

    def put(self, *objects: dict[str, Any]) -> None:
        for obj in objects:
            (self.folder / f"{obj['kind']}-{obj['metadata']['name']}.yaml").write_text(json.dumps(obj))

    def select(self, network: dict[str, Any]) -> None:
        self.put({**network, "status": {"conditions": [CONDITION]}})

    def call(self, command: str, *options: str, nodes: list[str] | None = None) -> Outcome:
        where: list[object] = ["--store", self._folder]
        if self.live:
            where = [each for name in nodes or WORKERS for each in ("--nb-db", f"{name}=unix:{name}")]
        return run(command, "-f", self.folder, "--nodes", NODES, *where, *options)

    def deletes(self, **given: Any) -> dict[str, int]:
        """How many rows `diff` would delete in each zone."""
        found = json.loads(self.call("diff", "-o", "json", **given).out)["nodes"]
        return {node: sum(each["op"] == "delete" for each in changes) for node, changes in found.items()}

    def rows(self) -> dict[str, int]:
        return {node: len(self.store.read(node)) for node in WORKERS}


@pytest.fixture(params=[False, True], ids=["store", "databases"])
def world(request: pytest.FixtureRequest, tmp_path: Path, zones_of_files: FileStore) -> World:
    return World(tmp_path, zones_of_files, live=request.param)


def notes(done: Outcome) -> list[str]:
    return [line for line in done.err.splitlines() if "dynamic" in line or "keeps" in line]


def test_an_old_condition_deletes_no_row_of_a_network_that_every_zone_has(world: World) -> None:
    assert world.call("apply").code == 0
    before = world.rows()
    world.select(BLUE_NETWORK)
    done = world.call("diff")
    kept = f"note: network {BLUE} keeps its rows on worker-a, worker-b, worker-c: {DECIDES}"
    assert (done.code, done.out.splitlines()[-1], notes(done)) == (0, "Plan: no changes", [BECAUSE, kept])
    assert world.call("apply").out.splitlines()[-1] == "no changes"
    assert world.rows() == before


def test_the_zone_of_one_node_shows_that_others_have_the_network(tmp_path: Path, zones_of_files: FileStore) -> None:
    """The port of the other nodes is in use there: connections from outside come through them."""
    world = World(tmp_path, zones_of_files, live=True)
    assert world.call("apply").code == 0
    world.select(BLUE_NETWORK)
    assert world.deletes(nodes=["worker-a"]) == {"worker-a": 0}


def test_an_option_decides(world: World) -> None:
    world.call("apply")
    world.select(BLUE_NETWORK)
    done = world.call("diff", ON)
    assert (done.code, notes(done)) == (1, [f"note: dynamic allocation is on because {ON} is given"])
    done = world.call("diff", OFF)
    off = f"note: dynamic allocation is off because {OFF} is given"
    assert (done.code, done.out.splitlines()[-1], notes(done)) == (0, "Plan: no changes", [off])


@pytest.mark.parametrize(
    ("config", "code", "note"),
    [
        (ovnkube("true"), 1, "on because ConfigMap ovnkube-config in namespace ovn-kubernetes switches it on"),
        (ovnkube("false"), 0, "off because ConfigMap ovnkube-config in namespace ovn-kubernetes switches it off"),
    ],
)
def test_the_configuration_of_ovnkube_decides_before_conditions(
    world: World, config: dict[str, Any], code: int, note: str
) -> None:
    world.call("apply")
    world.select(BLUE_NETWORK)
    world.put(config)
    done = world.call("diff")
    assert (done.code, notes(done)) == (code, [f"note: dynamic allocation is {note}"])


def test_where_the_zones_agree_with_the_condition_everything_is_compared(world: World) -> None:
    world.select(BLUE_NETWORK)
    done = world.call("apply")
    assert (done.code, notes(done)) == (0, [BECAUSE])
    rows = world.rows()
    assert rows["worker-a"] > rows["worker-b"]
    assert world.call("diff").code == 0
    # a pod of a network that another one still uses
    world.put({**POD, "metadata": {"name": "q", "namespace": "t"}})
    world.call("apply")
    (world.folder / "Pod-q.yaml").unlink()
    assert world.deletes() == {"worker-a": 1, "worker-b": 0, "worker-c": 0}


def test_networks_that_nothing_doubts_are_compared_as_ever(world: World) -> None:
    world.put(cudn("old", "10.50.0.0/16", 1, **{"ovnguard.io/transit-subnets": "100.92.0.0/16"}))
    world.call("apply")
    world.select(BLUE_NETWORK)
    (world.folder / "ClusterUserDefinedNetwork-old.yaml").unlink()
    done = world.call("diff", "-o", "json")
    deleted = {
        each["uuid"] for changes in json.loads(done.out)["nodes"].values() for each in changes if each["op"] == "delete"
    }
    rows = [row for node in WORKERS for row in world.store.read(node)]
    assert {row.network for row in rows if row.uuid in deleted} <= {"cluster_udn_old", ""}
    assert {row.uuid for row in rows if row.network == "cluster_udn_old"} <= deleted


def test_without_a_fact_nothing_is_said(world: World) -> None:
    assert notes(world.call("diff")) == []


def test_frr_objects_and_the_machine_follow_the_rows(world: World) -> None:
    world.select(cudn("blue"))
    manifests = read_manifests([str(world.folder)], [NODES])
    planned = plan_manifests(manifests, {})
    zone = planned.plan.zones[1]
    generated = {"kind": "FRRConfiguration", "metadata": {"name": "x", "namespace": "frr-k8s-system"}}
    routing = replace(planned.plan.routing, patches=(generated,))
    plan = replace(planned.plan, zones=(replace(zone, frr="of all networks\n"),), routing=routing)
    whole = replace(planned.desired, plan=plan)
    doubted = replace(planned, everywhere=lambda: whole)
    assert keeps_frr(doubted, zone, "of all networks\n")
    assert not keeps_frr(doubted, zone, "of others\n")
    certain = replace(planned, everywhere=None)
    assert not keeps_frr(certain, zone, "of all networks\n")
    assert objects_without(doubted) == {("FRRConfiguration", "frr-k8s-system", "x")}
    assert objects_without(certain) == frozenset()
    frozen = [with_unused(each, node).frozen for each in (doubted, certain) for node in ("worker-a", "worker-b")]
    assert frozen == [frozenset(), {BLUE}, frozenset(), frozenset()]
