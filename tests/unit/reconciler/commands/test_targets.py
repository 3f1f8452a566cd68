"""Stores and databases: what live rows keep, and which of them fail."""

import errno
import gc
import os
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.files.file_store import FileStore
from ovnguard.reconciler.apply.store_errors import StoreUnavailableError
from tests.support.reconciler_cli import APPLICABLE, NODES, SELECTED, VALID, WORKERS, apply, plan, run, write_cudn


def keys_of(rows, network: str) -> dict[str, str]:
    columns = {"Logical_Switch": "other_config", "Logical_Router": "options"}
    own = [row for row in rows if row.table in columns and row.columns["name"].startswith(f"{network}_")]
    return {row.table: row.columns[columns[row.table]]["requested-tnl-key"] for row in own}


@pytest.mark.parametrize("live", [False, True], ids=["store", "databases"])
def test_a_live_network_keeps_its_keys_next_to_an_earlier_one_of_the_same_hash(tmp_path, zones_of_files, live):
    where = ["--store", tmp_path / "store"]
    if live:
        where = [arg for name in WORKERS for arg in ("--nb-db", f"{name}=unix:{name}")]
    store = zones_of_files if live else FileStore(tmp_path / "store")
    call = ["apply", "-f", tmp_path / "n", "--nodes", NODES, *where]
    write_cudn(tmp_path / "n", "b.yaml", "n0154", "10.21.0.0/16")
    assert run(*call).code == 0
    before = keys_of(store.read("worker-a"), "cluster_udn_n0154")
    assert len(before) == 2
    write_cudn(tmp_path / "n", "a.yaml", "n0034", "10.22.0.0/16")
    assert run(*call).code == 0
    for name in WORKERS:
        rows = store.read(name)
        assert keys_of(rows, "cluster_udn_n0154") == before
        moved = keys_of(rows, "cluster_udn_n0034")
        assert int(moved["Logical_Switch"]) == int(before["Logical_Switch"]) + 1
    again = run(*call)
    assert (again.code, again.out.splitlines()[-1]) == (0, "no changes")


def transit_of(rows) -> set[str]:
    """Transit subnets of the router."""
    routers = [row for row in rows if row.columns.get("name") == "cluster_udn_blue_transit_router"]
    return {row.columns["external_ids"]["ovnguard.io/transit-subnets"] for row in routers}


@pytest.mark.parametrize("live", [False, True], ids=["store", "databases"])
def test_a_live_network_keeps_its_transit_subnet_while_it_is_valid(tmp_path, zones_of_files, live):
    where = ["--store", tmp_path / "store"]
    if live:
        where = [arg for name in WORKERS for arg in ("--nb-db", f"{name}=unix:{name}")]
    store = zones_of_files if live else FileStore(tmp_path / "store")
    call = ["apply", "-f", tmp_path / "n", "--nodes", NODES, *where]
    folder, note = tmp_path / "n", "note: network cluster_udn_blue: transit subnets"
    write_cudn(folder, "b.yaml", "blue", "100.88.0.0/15")
    first = run(*call)
    assert first.err.splitlines().count(SELECTED) == 1
    assert transit_of(store.read("worker-a")) == {"100.90.0.0/16"}

    # its subnets move away from the default transit subnet, which would now be selected
    write_cudn(folder, "b.yaml", "blue", "10.20.0.0/16")
    kept = run(*call)
    assert (kept.code, note in kept.err) == (0, False)
    assert transit_of(store.read("worker-a")) == {"100.90.0.0/16"}

    write_cudn(folder, "b.yaml", "blue", "100.90.0.0/16")
    moved = run(*call)
    assert f"{note} 100.88.0.0/16 selected in place of 100.90.0.0/16, which are not valid: " in moved.err
    assert transit_of(store.read("worker-a")) == {"100.88.0.0/16"}
    assert run(*call).out.splitlines()[-1] == "no changes"


def test_a_recorded_transit_subnet_comes_before_that_of_the_store(tmp_path):
    call = ["-f", tmp_path / "n", "--nodes", NODES, "--store", tmp_path / "store"]
    write_cudn(tmp_path / "n", "b.yaml", "blue", "10.20.0.0/16")
    assert run("apply", *call).code == 0
    write_cudn(tmp_path / "n", "b.yaml", "blue", "10.20.0.0/16", **{"ovnguard.io/transit-subnets": "100.92.0.0/16"})
    assert run("apply", *call).code == 0
    assert transit_of(FileStore(tmp_path / "store").read("worker-a")) == {"100.92.0.0/16"}


def test_a_spoiled_store_is_exit_code_2(examples):
    apply(examples)
    (examples / "store/nb/worker-a.json").write_text("{}")
    for done in (apply(examples), plan("-f", VALID, "--nodes", NODES, "--store", examples / "store")):
        assert (done.code, done.out) == (2, "")
        file = examples / "store/nb/worker-a.json"
        assert done.err == f'error: {file}: is not of this store: it has no "OVN_Northbound"; move it away\n'


def test_a_store_that_is_a_file_is_exit_code_2(examples):
    (examples / "store").write_text("")
    done = apply(examples)
    assert (done.code, done.out, done.err) == (2, "", f"error: {examples}/store: File exists\n")
    done = plan("-f", VALID, "--nodes", NODES, "--store", examples / "store/nb")
    assert (done.code, done.out, done.err) == (2, "", f"error: {examples}/store/nb/nb/worker-a.json: Not a directory\n")


@pytest.mark.parametrize(
    ("number", "code"), [(errno.EROFS, 2), (errno.EACCES, 2), (errno.EPERM, 2), (errno.ENOSPC, 3), (errno.EIO, 3)]
)
def test_a_folder_that_cannot_be_written(examples, monkeypatch, number, code):
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr("ovnguard.validators.base.atomic_file.replace", refuse)
    done = apply(examples)
    assert (done.code, done.out.splitlines()[-1].partition(" ")[0]) == (code, "Plan:")
    assert done.err == f"error: {examples}/store/nb/worker-a.json: {os.strerror(number)}\n"


def test_a_database_that_is_not_there_is_exit_code_3(tmp_path):
    remotes = [f"{name}=unix:{tmp_path}/{name}.sock" for name in ("worker-a", "worker-b")]
    done = run("apply", "-f", VALID, "--nodes", NODES, *(arg for remote in remotes for arg in ("--nb-db", remote)))
    assert (done.code, done.out) == (3, "")
    assert [line for line in done.err.splitlines() if line.startswith("error: ")] == [
        f"error: node {name}: unix:{tmp_path}/{name}.sock: No such file or directory"
        for name in ("worker-a", "worker-b")
    ]


def test_a_database_that_refuses_connections_says_nothing_of_changes():
    done = run("apply", "-f", VALID, "--nodes", NODES, "--nb-db", "worker-a=tcp:127.0.0.1:1", "--insecure-nb")
    assert (done.code, done.out) == (3, "")
    assert done.err.splitlines()[-1] == "error: node worker-a: tcp:127.0.0.1:1: Connection refused"
    del done
    gc.collect()  # here and not in a test that would be blamed for it


class ZoneThatFails:
    """A database that never answers."""

    closed = 0

    def read(self):
        raise StoreUnavailableError("gone")

    def apply(self, operations):
        raise AssertionError("what cannot be read is not written")

    def close(self):
        self.closed += 1


def test_one_database_that_fails_does_not_keep_the_others_from_being_written(zones_of_files, monkeypatch):
    zone = zones_of_files.zone("worker-b")
    remotes = [arg for name in ("worker-a", "worker-b") for arg in ("--nb-db", f"{name}=unix:{name}")]
    call = ["apply", *APPLICABLE, *remotes]
    broken = ZoneThatFails()
    zones = {"worker-a": broken, "worker-b": zone}
    monkeypatch.setattr("ovnguard.reconciler.commands.options.Target.databases", lambda *_, **__: zones)
    first = run(*call)
    assert first.code == 3
    assert zone.read() != ()
    assert first.out.splitlines()[-1].endswith(" added, 0 changed, 0 destroyed on 1 node")
    assert first.err.splitlines()[-1] == "error: node worker-a: gone"
    second = run(*call)
    assert (second.code, second.out) == (3, "")
    assert broken.closed == 2
