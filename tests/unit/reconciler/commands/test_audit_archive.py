"""`audit` of archives that hold too little, something else, or a database of the central mode."""

import json

import pytest

from tests.support.gathered_archive import packed, record
from tests.support.reconciler_cli import run

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker-a"}}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "ovnkube-node-a", "namespace": "openshift-ovn-kubernetes"},
    "spec": {"nodeName": "worker-a", "hostNetwork": True, "containers": [{"name": "nbdb"}]},
}
SCHEMA = {
    "name": "OVN_Northbound",
    "version": "7.11.0",
    "tables": {"NB_Global": {"columns": {"name": {"type": "string"}}}, "Logical_Switch": {"columns": {}}},
}
UUID = "00000000-0000-4000-8000-000000000001"
OBJECTS = {
    "cluster-scoped-resources/core/nodes/worker-a.yaml": json.dumps(NODE).encode(),
    "namespaces/openshift-ovn-kubernetes/pods/ovnkube-node-a/ovnkube-node-a.yaml": json.dumps(POD).encode(),
}
STORE = "network_logs/ovnk_database_store.tar.gz"


def zone(name: str) -> bytes:
    return record(SCHEMA) + record({"NB_Global": {UUID: {"name": name}}})


def audited(tmp_path, databases: dict[str, bytes], *options: str, **more: bytes):
    path = tmp_path / "a.tar.gz"
    store = {STORE: packed(databases)} if databases else {}
    path.write_bytes(packed({**OBJECTS, **store, **more}))
    return run("audit", str(path), *options)


def test_an_archive_without_databases_says_so(tmp_path):
    done = audited(tmp_path, {})
    assert done.out.splitlines()[0] == f"{tmp_path}/a.tar.gz: the archive names no release; 0 Northbound databases"
    assert "note: no Northbound database of node worker-a\n" in done.err
    assert (done.code, audited(tmp_path, {}, "--strict").code) == (0, 1)


CENTRAL = (
    "the archive is of the central mode, before one zone per node: ovnkube-node-a_nbdb served all nodes, and its rows "
    "are not judged"
)


@pytest.mark.parametrize(
    ("pod", "content", "note"),
    [
        ("b", zone("b"), "ovnkube-node-b_nbdb: no pod ovnkube-node-b says which node it is of; not judged"),
        ("a", zone("global"), CENTRAL),
        ("a", record({"server_id": UUID}, "CLUSTER"), CENTRAL),
        ("a", record({**SCHEMA, "name": "OVS"}), "ovnkube-node-a_nbdb: is the database OVS; not judged"),
        (
            "a",
            zone("worker-a") + b"OVSDB JSON 9",
            "ovnkube-node-a_nbdb: ends in the middle of a transaction, which is left out",
        ),
    ],
)
def test_a_database_of_something_else_is_a_note(pod, content, note, tmp_path):
    assert f"note: {note}\n" in audited(tmp_path, {f"ovnkube-node-{pod}_nbdb": content}).err


def test_a_central_database_is_one_note(tmp_path):
    done = audited(tmp_path, {}, **{"network_logs/leader_nbdb.gz": b"x"})
    assert done.err.splitlines() == [
        "note: the archive is of the central mode, before one zone per node: network_logs/leader_nbdb.gz served all "
        "nodes, and its rows are not judged"
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello", "a.tar.gz: is no tar archive, or is damaged: truncated header"),
        (packed({"README": b"x"}), "a.tar.gz: contains no objects as oc adm inspect writes them"),
        (packed({"../x": b"x"}), "a.tar.gz: the file name '../x' leads out of the archive"),
        (
            packed({**OBJECTS, STORE: packed({"ovnkube-node-a_nbdb": b"hello\n"})}),
            "ovnkube-node-a_nbdb: record 1 does not begin with a header of ovsdb-server",
        ),
        (
            packed({**OBJECTS, "cluster-scoped-resources/core/nodes/b.yaml": b"kind: {"}),
            "cluster-scoped-resources/core/nodes/b.yaml:2:1: ",
        ),
    ],
)
def test_an_archive_that_cannot_be_read_is_one_error(content, message, tmp_path):
    (tmp_path / "a.tar.gz").write_bytes(content)
    done = run("audit", str(tmp_path / "a.tar.gz"))
    assert message in done.err
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)


def test_json_names_what_was_judged(tmp_path):
    found = json.loads(audited(tmp_path, {"ovnkube-node-a_nbdb": zone("worker-a")}, "-o", "json").out)
    assert found == {
        "worst": [],
        "nodes": {"worker-a": found["nodes"]["worker-a"]},
        "judgedPercent": 0,
        "mayExplainDrift": [],
    }


def test_a_database_without_a_pod_has_the_name_of_its_node(tmp_path):
    done = audited(tmp_path, {"worker-a_nbdb": zone("worker-a")})
    assert "node worker-a: " in done.out
    assert "not judged" not in done.err


def test_the_marker_of_a_bundle_must_name_kinds(tmp_path):
    done = audited(tmp_path, {"worker-a_nbdb": zone("worker-a")}, **{"ovnguard-bundle.json": b'{"kinds": 1}'})
    assert (done.code, done.err) == (2, "ovnguard-bundle.json:1:1: does not name the kinds of a bundle")
