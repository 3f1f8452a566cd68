"""What apply writes into a store and into files of FRR."""

import json

from ovnguard.reconciler.apply.files.file_store import FileStore
from tests.support.frr_samples import neighbor, router
from tests.support.manifests.network_objects import frr
from tests.support.reconciler_cli import APPLICABLE, NODES, WORKERS, apply, plan, run


def test_apply_writes_the_plan_and_a_second_apply_does_nothing(examples):
    first = apply(examples)
    assert first.code == 0
    assert first.out.count("    + Logical_Router                  2\n") == 2
    assert "transit_router" not in first.out
    store = FileStore(examples / "store")
    assert list(store.nodes()) == WORKERS
    planned = json.loads(plan(*APPLICABLE, "-o", "json").out)["nodes"]
    for name in WORKERS:
        assert {row.uuid for row in store.read(name)} == {step["uuid"] for step in planned[name]["operations"]}
        assert store.read_frr(name) == planned[name]["frr"]
    total = sum(len(zone["operations"]) for zone in planned.values())
    plans, done = (
        f"{total} {add}, 0 {change}, 0 {destroy} on 3 nodes; FRR configuration of 3 nodes; "
        f"objects: 6 {add}, 0 {change}, 0 {destroy}"
        for add, change, destroy in (("to add", "to change", "to destroy"), ("added", "changed", "destroyed"))
    )
    assert first.out.splitlines()[-2:] == [f"Plan: {plans}", f"Applied: {done}"]

    files = {path: path.stat().st_mtime_ns for path in (examples / "store").rglob("*.*")}
    second = apply(examples)
    assert second.out == "no changes\n"
    assert {path: path.stat().st_mtime_ns for path in (examples / "store").rglob("*.*")} == files


def test_objects_that_make_routes_are_in_the_store(examples):
    where = ("-f", examples / "networks", "--nodes", examples / "nodes", "--store", examples / "store")
    titles = json.loads(plan(*where, "-o", "json").out)["objects"]["added"]
    assert len(titles) == 6
    assert {"FRRConfiguration openshift-frr-k8s/ovnk-managed-bgp", "RouteAdvertisements ovnk-managed-bgp-default"} <= {
        *titles
    }
    shown = "".join(f"  + {title}\n" for title in titles)
    assert f"objects: 6 to add, 0 to change, 0 to destroy\n{shown}" in plan(*where).out
    assert f"objects: 6 to add, 0 to change, 0 to destroy\n{shown}" in run("diff", *where).out
    assert shown in apply(examples).out
    documents = json.loads(plan(*where, "-o", "json").out)["documents"]
    stored = FileStore(examples / "store").read_objects()
    assert len(stored) == len(documents) == 6
    assert all(each in documents for each in stored)
    compared = run("diff", *where, "-o", "json")
    assert (compared.code, json.loads(compared.out)["objects"]) == (0, {"added": [], "changed": [], "removed": []})
    assert "objects: " not in plan(*where).out + run("diff", *where).out


def test_objects_of_the_store_change_and_go_with_their_reason(examples):
    apply(examples)
    file = examples / "store/objects.json"
    before = file.read_text()
    network = examples / "networks/default-network.yaml"
    text = network.read_text()
    network.write_text(text.replace("/14", "/99"))
    assert apply(examples).code == 1
    assert file.read_text() == before
    network.write_text(text)
    (examples / "nodes/worker-c.yaml").unlink()
    last = apply(examples).out.splitlines()[-1]
    assert last.endswith("objects: 0 added, 3 changed, 1 destroyed")
    network.unlink()
    done = apply(examples)
    assert done.code == 0
    assert "  - RouteAdvertisements ovnk-managed-bgp-default\n" in done.out
    assert done.out.splitlines()[-1].endswith("objects: 0 added, 0 changed, 5 destroyed")
    assert not file.exists()


def test_a_difference_of_objects_alone_is_one(examples):
    apply(examples)
    where = ("-f", examples / "networks", "--nodes", examples / "nodes", "--store", examples / "store")
    (examples / "store/objects.json").unlink()
    done = run("diff", *where)
    assert done.code == 1
    assert done.out.startswith("objects: 6 to add, 0 to change, 0 to destroy\n  + ")
    text = "0 {0}, 0 {1}, 0 {2} on 0 nodes; objects: 6 {0}, 0 {1}, 0 {2}"
    assert done.out.splitlines()[-1] == f"Plan: {text.format('to add', 'to change', 'to destroy')}"
    assert apply(examples).out.splitlines()[-1] == f"Applied: {text.format('added', 'changed', 'destroyed')}"
    assert run("diff", *where).code == 0


def test_a_spoiled_file_of_objects_stops_before_anything_is_written(examples):
    file = examples / "store/objects.json"
    file.parent.mkdir()
    file.write_text("{")
    where = ("-f", examples / "networks", "--nodes", examples / "nodes", "--store", examples / "store")
    for command in ("plan", "apply", "diff"):
        done = run(command, *where)
        assert done.code == 2
        problem = "is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"
        assert done.err.splitlines()[-1] == f"error: {file}: {problem}; move it away"
    assert not (examples / "store/nb").exists()


def test_apply_lists_every_row_on_demand(examples):
    assert "    + Logical_Router cluster_udn_blue_transit_router\n" in apply(examples, "--verbose").out


def test_a_node_that_moves_away_is_a_small_difference(examples):
    apply(examples)
    (examples / "nodes/worker-c.yaml").unlink()
    expected = plan("-f", examples / "networks", "--nodes", examples / "nodes", "--store", examples / "store")
    done = apply(examples)
    assert done.code == 0
    *changes, last = expected.out.splitlines()
    assert done.out.splitlines()[: len(changes) + 1] == [*changes, last]
    assert "network cluster_udn_blue: 0 to add, 2 to change, 47 to destroy on 3 nodes" in changes
    assert done.out.splitlines()[-1] == last.replace("Plan: ", "Applied: ").replace("to add", "added").replace(
        "to change", "changed"
    ).replace("to destroy", "destroyed")
    assert FileStore(examples / "store").nodes() == ("worker-a", "worker-b")


def test_a_network_that_is_refused_now_keeps_its_rows(examples):
    apply(examples)
    rows = FileStore(examples / "store").read("worker-a")
    blue = examples / "networks/blue-layer2.yaml"
    blue.write_text(blue.read_text().replace("100.88.0.0/15", "100.88.0.0/99"))
    done = apply(examples)
    assert done.code == 1
    assert FileStore(examples / "store").read("worker-a") == rows
    blue.unlink()
    assert apply(examples).code == 0
    left = FileStore(examples / "store").read("worker-a")
    assert {row.network for row in left} - {""} == {"default"}


def test_a_default_network_that_is_refused_now_keeps_its_frr(examples):
    apply(examples)
    text = FileStore(examples / "store").read_frr("worker-a")
    file = examples / "networks/default-network.yaml"
    file.write_text(file.read_text().replace("/14", "/99"))
    assert apply(examples).code == 1
    assert FileStore(examples / "store").read_frr("worker-a") == text


def test_only_the_file_of_frr_has_the_password(examples, zones_of_files, tmp_path):
    """A user's session next to the mesh, in the networks' folder."""
    session = neighbor("192.0.2.9", 65001, password="open-sesame")
    (examples / "networks/frr.yaml").write_text(json.dumps(frr(router(session, asn=64600))))
    call = ("-f", examples / "networks", "--nodes", examples / "nodes")
    hidden = "  neighbor 192.0.2.9 password <hidden>\n"
    for form in ("text", "json", "frr"):
        shown = run("plan", *call, "-o", form)
        assert (shown.code, "sesame" in shown.out + shown.err) == (0, False)
        assert "ignored" not in shown.err
    assert hidden in run("plan", *call, "-o", "frr", "--node", "worker-a").out
    assert apply(examples).code == 0
    assert hidden in FileStore(examples / "store").read_frr("worker-a")
    assert "sesame" not in (examples / "store/objects.json").read_text()
    done = run("apply", *call, "--nb-db", "worker-a=unix:a.sock", "--frr-dir", tmp_path / "frr")
    assert (done.code, "sesame" in done.out + done.err) == (0, False)
    file = (tmp_path / "frr/worker-a.conf").read_text()
    assert "  neighbor 192.0.2.9 password open-sesame\n" in file
    assert "<hidden>" not in file


def test_another_password_is_a_change_that_shows_neither(examples, zones_of_files, tmp_path):
    file = examples / "networks/frr.yaml"
    file.write_text(json.dumps(frr(router(neighbor("192.0.2.9", 65001, password="open-sesame"), asn=64600))))
    call = ("-f", examples / "networks", "--nodes", NODES, "--nb-db", "worker-a=unix:a", "--frr-dir", tmp_path / "frr")
    assert run("apply", *call).code == 0
    assert run("apply", *call).out == "no changes\n"
    file.write_text(file.read_text().replace("open-sesame", "close-sesame"))
    done = run("apply", *call)
    assert (done.code, "sesame" in done.out + done.err) == (0, False)
    assert "    +! a password changes\n" in done.out
    assert done.out.splitlines()[-1].endswith("; FRR configuration of 1 node")
    assert "password close-sesame\n" in (tmp_path / "frr/worker-a.conf").read_text()


def test_a_configuration_that_cannot_be_merged_keeps_its_frr(examples, zones_of_files, tmp_path, monkeypatch):
    call = ("apply", *APPLICABLE, "--nb-db", "worker-a=unix:a.sock", "--frr-dir", tmp_path / "frr")
    apply(examples)
    run(*call)
    files = examples / "store/frr/worker-a.conf", tmp_path / "frr/worker-a.conf"
    before = [file.read_text() for file in files]
    monkeypatch.setattr("ovnguard.reconciler.plan.planner.FrrFiles.on", lambda *_: ("", None))
    apply(examples)
    run(*call)
    assert [file.read_text() for file in files] == before


def test_a_live_apply_says_that_frr_is_left_alone(zones_of_files, tmp_path):
    call = ["apply", *APPLICABLE, "--nb-db", "worker-a=unix:worker-a"]
    text = "note: FRR is left alone; --frr-dir DIR writes its configuration"
    assert text in run(*call).err.splitlines()
    assert text not in run(*call, "--frr-dir", tmp_path / "frr").err
    assert (tmp_path / "frr" / "worker-a.conf").exists()
    assert text not in run("apply", *APPLICABLE, "--store", tmp_path / "store").err
