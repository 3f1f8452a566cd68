"""Golden texts of plans and diffs, as a terminal without colour shows them: standard output, then standard error."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from ovnguard.reconciler.apply.files.file_store import FileStore
from ovnguard.reconciler.plan.rows.row import Row
from tests.support.reconciler_cli import INVALID, NODES, VALID, Outcome, run

Golden = Callable[[str, str], None]


class Workspace:
    """The example manifests and a store, to be changed by a test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(VALID, folder / "networks")
        shutil.copytree(NODES, folder / "nodes")
        self.where = ("-f", folder / "networks", "--nodes", folder / "nodes")
        self.store = ("--store", folder / "store")

    def run(self, command: str, *args: object) -> str:
        return self.shown(run(command, *self.where, *args))

    def shown(self, done: Outcome) -> str:
        return f"exit code {done.code}\n{done.out}{done.err}".replace(f"{self.folder}/", "")

    def edit(self, name: str, old: str, new: str) -> None:
        file = self.folder / name
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


@pytest.fixture
def applied(work: Workspace) -> Workspace:
    """What can be applied: no node has host subnets of the Layer3 network."""
    (work.folder / "networks/green-layer3.yaml").unlink()
    run("apply", *work.where, *work.store)
    return work


def test_a_first_plan(work: Workspace, golden: Golden) -> None:
    golden("plan/text/first-plan.txt", work.run("plan"))


def test_one_node(work: Workspace, golden: Golden) -> None:
    golden("plan/text/one-node.txt", work.run("plan", "--node", "worker-b"))


def test_columns_of_new_rows(work: Workspace, golden: Golden) -> None:
    (work.folder / "networks/default-network.yaml").unlink()
    golden("plan/text/verbose.txt", work.run("plan", "--node", "worker-b", "-v"))


def test_a_changed_subnet(applied: Workspace, golden: Golden) -> None:
    applied.edit("networks/blue-layer2.yaml", "100.88.0.0/15", "10.33.0.0/16")
    golden("plan/text/changed-subnet.txt", applied.run("plan", *applied.store))


def test_nothing_changes(applied: Workspace, golden: Golden) -> None:
    golden("plan/text/no-changes.txt", applied.run("diff", *applied.store))


def test_a_node_that_leaves(applied: Workspace, golden: Golden) -> None:
    (applied.folder / "nodes/worker-c.yaml").unlink()
    golden("plan/text/node-leaves.txt", applied.run("diff", *applied.store))


def test_a_network_that_goes(applied: Workspace, golden: Golden) -> None:
    (applied.folder / "networks/blue-layer2.yaml").unlink()
    golden("plan/text/network-goes.txt", applied.run("apply", *applied.store, "--dry-run"))


def test_a_new_network_on_many_nodes(work: Workspace, golden: Golden) -> None:
    node = (work.folder / "nodes/worker-c.yaml").read_text()
    for number, letter in enumerate("def", 5):
        text = node.replace("worker-c", f"worker-{letter}").replace("172.18.0.4", f"172.18.0.{number}")
        text = text.replace('node-id: "4"', f'node-id: "{number}"').replace("000000000004", f"00000000000{number}")
        text = text.replace("10.128.4.0/23", f"10.128.{2 * number - 4}.0/23")
        (work.folder / f"nodes/worker-{letter}.yaml").write_text(text.replace("0000:0c", f"0000:0{number}"))
    green = work.folder / "networks/green-layer3.yaml"
    change = green.rename(work.folder / "green.yaml")
    golden("plan/text/new-network.txt", work.run("plan", "--change", change))


def test_a_change_that_is_refused(work: Workspace, golden: Golden) -> None:
    shutil.copy(f"{INVALID}/join-overlap.yaml", work.folder)
    golden("plan/text/refused.txt", work.run("plan", "--change", work.folder / "join-overlap.yaml"))


def test_errors_of_nodes(work: Workspace, golden: Golden) -> None:
    rules = {"apiVersion": "frrk8s.metallb.io/v1beta1", "kind": "FRRConfiguration"}
    session = {"address": "172.18.0.3", "asn": 64600, "port": 1179}
    spec = {"bgp": {"routers": [{"asn": 64600, "neighbors": [session]}]}}
    manifest = {**rules, "metadata": {"name": "user", "namespace": "openshift-frr-k8s"}, "spec": spec}
    (work.folder / "networks/frr.yaml").write_text(yaml.safe_dump(manifest))
    golden("plan/text/errors-of-nodes.txt", work.run("plan"))


class _Database:
    """A zone's database with rows of two writers."""

    def __init__(self, ours: tuple[Row, ...], theirs: tuple[Row, ...]) -> None:
        self._ours, self._theirs = ours, theirs

    def read(self) -> tuple[Row, ...]:
        return self._ours

    def others(self) -> tuple[Row, ...]:
        return self._theirs

    def read_everything(self) -> tuple[Row, ...]:
        return *self._ours, *self._theirs

    def apply(self, operations: object) -> None:
        raise AssertionError("a diff writes nothing")

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def databases(applied: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Databases of two nodes: another writer has a router of the same name, a MAC differs, and one port is missing."""
    store = FileStore(applied.folder / "store")
    zones = {}
    for name in ("worker-a", "worker-b"):
        rows = {str(row.columns.get("name", row.uuid)): row for row in store.read(name)}
        router, port = rows["cluster_udn_blue_transit_router"], rows["trtos-cluster_udn_blue_ovn_layer2_switch"]
        del rows[f"k8s-cluster_udn_blue_{name}"]
        other = Row(router.table, "0fe0b0a5-0000-4000-8000-000000000001", router.columns)
        rows["port"] = Row(port.table, port.uuid, {**port.columns, "mac": "0a:58:00:00:00:01"})
        del rows["trtos-cluster_udn_blue_ovn_layer2_switch"]
        zones[name] = _Database(tuple(rows.values()), (other,))
    monkeypatch.setattr("ovnguard.reconciler.commands.options.Target.databases", lambda *_, **__: zones)
    return applied


REMOTES = ("--nb-db", "worker-a=unix:a", "--nb-db", "worker-b=unix:b")


def test_rows_of_another_writer(databases: Workspace, golden: Golden) -> None:
    golden("plan/text/foreign-rows.txt", databases.run("diff", *REMOTES))


@pytest.mark.parametrize("options", [(), ("--dry-run",)], ids=["apply", "dry-run"])
def test_apply_refuses_zones_that_another_writer_occupies(databases: Workspace, options: tuple[str, ...]) -> None:
    error = (
        "the database has 1 row of another writer: network cluster_udn_blue: Logical_Router "
        "cluster_udn_blue_transit_router; stop the other writer, then take its networks over with "
        "run --mode own --adopt NETWORK"
    )
    text = databases.run("apply", *options, *REMOTES)
    assert "exit code 2\n" in text
    assert all(f"error: node {name}: {error}\n" in text for name in ("worker-a", "worker-b"))
    assert "to add" not in text
    assert "+ " not in text


def test_an_audit(databases: Workspace, golden: Golden) -> None:
    golden("plan/text/audit.txt", databases.run("audit", *REMOTES))
