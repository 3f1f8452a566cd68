"""The forms of a plan, and its comparison with a store."""

import json
import re

from tests.support.fake_cluster import cudn
from tests.support.reconciler_cli import (
    APPLICABLE,
    NO_SERVICES,
    NODES,
    SELECTED,
    VALID,
    WORKERS,
    apply,
    plan,
    run,
    write_cudn,
)


def test_json_is_operations_frr_and_host_by_node():
    done = plan("-f", VALID, "--nodes", NODES, "-o", "json")
    assert (done.code, done.err) == (0, "")
    value = json.loads(done.out)
    of_routing = ["documents", "patches", "statuses", "default_network"]
    assert list(value) == ["nodes", *of_routing, "guessed", "not_planned", "notes", "errors"]
    assert list(value["nodes"]) == WORKERS
    assert value["errors"] == []
    for zone in value["nodes"].values():
        assert set(zone) == {"operations", "frr", "host", "left_out"}
        assert set(zone["host"]) == {"nft", "commands", "notes"}
        assert zone["frr"].count("remote-as") == 2
        assert {frozenset(step) - {"guessed"} for step in zone["operations"]} == {
            frozenset(("op", "table", "uuid", "row"))
        }
        assert {step["op"] for step in zone["operations"]} == {"insert"}


def test_text_counts_rows_and_lists_them_on_demand():
    done = plan("-f", VALID, "--nodes", NODES)
    listed = "    + Logical_Router cluster_udn_blue_transit_router\n"
    assert listed not in done.out
    assert done.out.count("    + Logical_Router                  2\n") == 3
    assert plan("-f", VALID, "--nodes", NODES, "-v").out.count(listed) == len(WORKERS)
    assert plan("-f", VALID, "--nodes", NODES, "--node", "worker-b").out.count(listed) == 1
    assert done.code == 0
    assert [line for line in done.out.splitlines() if line.startswith("network ")] == [
        f"network {name}: {count} to add, 0 to change, 0 to destroy on each of 3 nodes"
        for name, count in (("cluster_udn_blue", 43), ("cluster_udn_green", 53), ("default", 48))
    ]
    *notes, unchecked = done.err.splitlines()
    assert notes == [
        SELECTED,
        NO_SERVICES,
        "note: host subnets of cluster_udn_green are a guess, the next free ones; OVN-Kubernetes may allocate others",
    ]
    assert unchecked.startswith("note: ")
    assert " rules not checked: no RouteAdvertisements, " in unchecked
    assert unchecked.endswith(" given (-v lists them)")
    every = plan("-f", VALID, "--nodes", NODES, "-v").err.splitlines()
    assert every[:3] == notes
    assert every[3:]
    assert all(line.startswith("note: network ") and ": not checked: needs " in line for line in every[3:])


def test_svg_is_the_picture_of_the_whole_plan():
    done = plan("-f", VALID, "--nodes", NODES, "-o", "svg")
    assert 'aria-label="The whole plan: 3 networks on 3 nodes"' in done.out
    # every network is new, on each of three nodes in four columns, and in the key
    assert len(re.findall(r'<rect class="mark c\d new"', done.out)) == 3 * 3 * 4 + 3
    assert done.out.count(">worker-b</text>") == 1


def test_svg_without_anything_to_draw_says_so():
    done = plan("-f", NODES, "--nodes", NODES, "-o", "svg")
    assert (done.code, ">No network is planned.</text>" in done.out) == (0, True)


def test_a_picture_has_the_namespaces_that_use_a_network(tmp_path):
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"t": "blue"}}}
    objects = tmp_path / "objects.json"
    objects.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [cudn("blue"), space]}))
    assert ">shop</text>" in plan("-f", objects, "--nodes", NODES, "-o", "svg").out


def test_commands_of_one_node_are_a_script_and_of_all_have_headings():
    whole = plan("-f", VALID, "--nodes", NODES, "-o", "nbctl")
    one = plan("-f", VALID, "--nodes", NODES, "-o", "nbctl", "--node", "worker-b")
    assert [line for line in whole.out.splitlines() if line.startswith("# ----")] == [
        f"# ---- node {n}" for n in WORKERS
    ]
    assert one.out.startswith("# shared by all networks\novn-nbctl \\\n  -- --id=")
    assert f"# ---- node worker-b\n{one.out}" in whole.out


def test_frr_of_one_node_is_a_file_and_of_all_has_headings():
    whole = plan("-f", VALID, "--nodes", NODES, "-o", "frr")
    one = plan("-f", VALID, "--nodes", NODES, "-o", "frr", "--node", "worker-b")
    assert [line for line in whole.out.splitlines() if line.startswith("! ----")] == [f"! ---- {n}" for n in WORKERS]
    assert one.out.startswith("log ")
    assert f"! ---- worker-b\n{one.out}" in whole.out


def test_one_node_is_that_part_of_the_whole():
    whole = json.loads(plan("-f", VALID, "--nodes", NODES, "-o", "json").out)
    one = json.loads(plan("-f", VALID, "--nodes", NODES, "-o", "json", "--node", "worker-b").out)
    assert one["nodes"] == {"worker-b": whole["nodes"]["worker-b"]}


def test_plan_against_a_store_shows_what_apply_would_do(tmp_path):
    call = ["-f", tmp_path / "n", "--nodes", NODES, "--store", tmp_path / "store"]
    write_cudn(tmp_path / "n", "b.yaml", "n0154", "10.21.0.0/16")
    assert run("apply", *call).code == 0
    write_cudn(tmp_path / "n", "a.yaml", "n0034", "10.22.0.0/16")
    shown = json.loads(run("plan", *call, "-o", "json").out)["nodes"]["worker-a"]["operations"]
    assert {step["op"] for step in shown if step["table"] != "Copp"} == {"insert"}
    assert run("apply", *call).code == 0
    assert json.loads(run("plan", *call, "-o", "json").out)["nodes"]["worker-a"]["operations"] == []


def test_plan_against_a_store_writes_nothing(examples):
    done = plan(*APPLICABLE, "--store", examples / "store")
    assert done.code == 0
    assert " to add, " in done.out
    assert not (examples / "store").exists()


def test_the_objects_of_one_node_are_not_compared(examples):
    apply(examples)
    where = ("-f", examples / "networks", "--nodes", examples / "nodes", "--store", examples / "store")
    assert "objects: " not in plan(*where, "--node", "worker-a").out


def test_a_cache_that_cannot_be_used_is_reported(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    words = ("-f", VALID, "--nodes", NODES)
    assert plan(*words).code == 0
    folder = tmp_path / "ovnguard" / "compiled"
    assert list(folder.iterdir())
    folder.chmod(0o755)
    note = f"note: compiled definitions are not kept: {folder} is open to other users: its mode must be 0700\n"
    assert note in plan(*words, "-v").err
    assert note not in plan(*words).err
