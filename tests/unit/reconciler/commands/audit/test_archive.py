"""`audit` of archives that hold too little, something else, or a database of the central mode."""

import json
from typing import Any

import pytest

from tests.support.example_archive import contents
from tests.support.gathered_archive import packed, record
from tests.support.reconciler_cli import run
from tests.support.soak import limit

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
    assert (
        done.out.splitlines()[0]
        == f"{tmp_path}/a.tar.gz: no object names the release; 1 node, 0 networks, 0 Northbound databases"
    )
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
        "release": "",
        "releaseIsCompared": False,
        "worst": [],
        "packets": [],
        "nodes": {"worker-a": found["nodes"]["worker-a"]},
        "judgedPercent": 0,
        "mayExplainDrift": [],
        "errors": [],
    }


def test_a_database_without_a_pod_has_the_name_of_its_node(tmp_path):
    done = audited(tmp_path, {"worker-a_nbdb": zone("worker-a")})
    assert "node worker-a: " in done.out
    assert "says which node" not in done.err


def test_the_marker_of_a_bundle_must_name_kinds(tmp_path):
    done = audited(tmp_path, {"worker-a_nbdb": zone("worker-a")}, **{"ovnguard-bundle.json": b'{"kinds": 1}'})
    assert (done.code, done.err) == (2, "ovnguard-bundle.json:1:1: does not name the kinds of a bundle")


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """The archive of docs/support.md: one port is missing on worker-b, and one has another MAC on worker-c."""
    path = tmp_path_factory.mktemp("example") / "a.tar.gz"
    path.write_bytes(packed(contents()))
    return str(path)


MISSING = (
    "critical: k8s-cluster_udn_blue_worker-b of network cluster_udn_blue on worker-b has no network: "
    "its switch port is missing"
)
CHANGED = (
    "high: port trtos-cluster_udn_blue_ovn_layer2_switch of a router of network cluster_udn_blue on worker-c has other "
    "addresses or options"
)


@limit(180)  # processes start
def test_every_number_of_processes_reports_the_same(example):
    one, three = run("audit", example), run("audit", example, "-j", "3")
    assert (one.out, one.err, one.code) == (three.out, three.err, 1)
    assert f"  {MISSING}\n  {CHANGED}\nnode worker-a: " in one.out


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--node", "worker-b"), [MISSING]),
        (("--network", "cluster_udn_blue"), [MISSING, CHANGED]),
        (("--network", "default"), []),
        (("--namespace", "other"), []),
    ],
)
def test_options_narrow_the_report(example, options, found):
    done = run("audit", example, *options)
    assert [line.strip() for line in done.out.splitlines() if line.startswith(("  critical: ", "  high: "))] == found
    assert done.code == (1 if found else 0)


def test_a_namespace_stands_for_its_networks(tmp_path):
    config = {"cniVersion": "1.1.0", "name": "cluster_udn_blue", "netAttachDefName": "shop/blue", "topology": "layer2"}
    config |= {"type": "ovn-k8s-cni-overlay", "role": "primary", "subnets": "100.88.0.0/15"}
    rendered = {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": "blue", "namespace": "shop"},
        "spec": {"config": json.dumps(config)},
    }
    place = "namespaces/shop/k8s.cni.cncf.io/network-attachment-definitions/blue.yaml"
    path = tmp_path / "a.tar.gz"
    path.write_bytes(packed({**contents(), place: json.dumps(rendered).encode()}))
    assert MISSING in run("audit", str(path), "--namespace", "shop").out


def test_objects_that_are_newer_than_a_database_are_not_judged(tmp_path):
    files = contents()
    blue = next(name for name in files if "clusteruserdefinednetworks" in name)
    value = json.loads(files[blue])
    value["metadata"]["creationTimestamp"] = "2026-01-01T00:00:10Z"
    files[blue] = json.dumps(value).encode()
    path = tmp_path / "a.tar.gz"
    for seconds, code in ((5, 0), (15, 1)):
        path.write_bytes(packed(files, 1_767_225_600 + seconds))
        done = run("audit", str(path), "--node", "worker-b")
        text = "not judged, because these objects changed during collection: ClusterUserDefinedNetwork blue 1"
        assert (done.code, text in done.out) == (code, not code)


def test_a_release_that_nobody_compared_is_named_once(example, tmp_path):
    note = "(docs/audit.md): some drift may be a difference between releases"
    assert run("audit", example).out.count(f"\novnguard was not compared with release 4.20.3 {note}\n") == 1
    assert f"\novnguard may not have been compared with this release {note}\n" in audited(tmp_path, {}).out


def test_an_audit_that_takes_long_tells_how_far_it_is(example, monkeypatch):
    monkeypatch.setattr("ovnguard.reconciler.commands.audit.archive._PAUSE", 0.0)
    assert run("audit", example).err.splitlines()[:3] == [f"{done} of 3 databases compared" for done in (1, 2, 3)]


def test_columns_that_an_older_schema_lacks_are_named_once_and_not_judged(tmp_path):
    files = contents()
    for name in [each for each in files if each.endswith("_nbdb")]:
        schema, rows = (json.loads(line) for line in files[name].splitlines()[1::2])
        del schema["tables"]["Static_MAC_Binding"], schema["tables"]["NAT"]["columns"]["match"]
        del rows["Static_MAC_Binding"]
        for row in rows["NAT"].values():
            del row["match"]
        files[name] = record({**schema, "version": "7.3.0"}) + record(rows)
    path = tmp_path / "a.tar.gz"
    path.write_bytes(packed(files))
    done = run("audit", str(path), "--node", "worker-a")
    note = "note: the schema 7.3.0 of the databases has no NAT.match, Static_MAC_Binding; they are not judged\n"
    assert (done.code, done.err.count(note)) == (0, 1)


def test_the_default_network_follows_from_the_options_of_ovnkube(tmp_path):
    """As in a cluster of upstream's chart, which has no object of an operator."""
    files = {name: content for name, content in contents().items() if "operator.openshift.io" not in name}
    options = '[default]\ncluster-subnets="10.128.0.0/14/23"\nmtu="1400"\n[kubernetes]\nservice-cidrs="172.30.0.0/16"\n'
    config: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"ovnkube.conf": options}}
    config["metadata"] = {"name": "ovnkube-config", "namespace": "openshift-ovn-kubernetes"}
    place = "namespaces/openshift-ovn-kubernetes/core/configmaps/ovnkube-config.yaml"
    path = tmp_path / "a.tar.gz"
    path.write_bytes(packed({**files, place: json.dumps(config).encode()}))
    assert "release 4.20.3; 3 nodes, 2 networks, 3 Northbound databases" in run("audit", str(path)).out
