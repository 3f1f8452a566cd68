"""What is found in a must-gather: objects and databases of one or several images, and nothing of Secrets."""

import gzip
import io
import json
import tarfile
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.files.must_gather import MustGather
from ovnguard.reconciler.apply.store_errors import StoreCorruptError

POD = "namespaces/openshift-ovn-kubernetes/pods/ovnkube-node-a/ovnkube-node-a.yaml"
NODES = "cluster-scoped-resources/core/nodes"
CANARY = b"kind: Secret\napiVersion: v1\nmetadata: {name: canary}\n"


def obj(kind: str, name: str, version: str = "v1", namespace: str = "", **more: object) -> bytes:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return json.dumps({"apiVersion": version, "kind": kind, "metadata": metadata, **more}).encode()


def listed(kind: str, *items: bytes) -> bytes:
    value = {"apiVersion": "v1", "kind": f"{kind}List", "items": [json.loads(each) for each in items]}
    return json.dumps(value).encode()


def packed(files: dict[str, bytes]) -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return written.getvalue()


STORE = packed(
    {"./ovnkube-node-a_nbdb": b"nb of a", "./ovnkube-node-a_sbdb": b"sb", "./ovnkube-node-b_nbdb": b"nb of b"}
)
FILES = {
    f"{NODES}/a.yaml": obj("Node", "a"),
    "cluster-scoped-resources/core/nodes.yaml": listed("Node", obj("Node", "a", spec={}), obj("Node", "b")),
    "cluster-scoped-resources/core/persistentvolumes/x.yaml": b"{ this is not YAML",
    "cluster-scoped-resources/k8s.ovn.org/egressips.yaml": listed("EgressIP"),
    POD: obj("Pod", "ovnkube-node-a", namespace="openshift-ovn-kubernetes"),
    "namespaces/shop/shop.yaml": obj("Namespace", "shop"),
    "namespaces/shop/core/services.yaml": listed("Service", obj("Service", "web", namespace="shop")),
    "namespaces/shop/core/secrets.yaml": CANARY,
    "namespaces/shop/core/configmaps/x.yaml": CANARY,
    "namespaces/shop/pods/web/web/logs/current.log": b"kind: Pod",
    "network_logs/ovnk_database_store.tar.gz": STORE,
}


def in_folder(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@pytest.fixture(params=["folder", "archive", "folders of two images", "archive of a folder"])
def gathered(request, tmp_path) -> MustGather:
    spool = tmp_path / "spool"
    spool.mkdir()
    path = tmp_path / "must-gather"
    if request.param == "folder":
        in_folder(path, FILES)
    elif request.param == "folders of two images":
        in_folder(path, {f"quay-io-x-sha256-{number % 2}/{name}": FILES[name] for number, name in enumerate(FILES)})
    else:
        prefix = "" if request.param == "archive" else "must-gather.local.1/quay-io-x/"
        path.write_bytes(packed({prefix + name: content for name, content in FILES.items()}))
    return MustGather(path, spool)


def test_objects_and_databases(gathered):
    found = gathered.collect()
    assert sorted((each.identity.kind, each.identity.namespace, each.identity.name) for each in found.documents) == [
        ("Namespace", "", "shop"),
        ("Node", "", "a"),
        ("Node", "", "b"),
        ("Pod", "openshift-ovn-kubernetes", "ovnkube-node-a"),
        ("Service", "shop", "web"),
    ]
    assert found.problems == ()
    assert {each.kind for each in found.empty_lists} == {"EgressIP"}
    assert found.namespaces["core/services"] == {"shop"}
    assert found.namespaces["core/pods"] == {"openshift-ovn-kubernetes"}
    assert found.namespaces["k8s.ovn.org/egressips"] == {""}
    assert found.central == ()
    assert [(each.pod, each.stream.read(100)) for each in gathered.databases()] == [
        ("ovnkube-node-a", b"nb of a"),
        ("ovnkube-node-b", b"nb of b"),
    ]


def test_the_southbound_database_of_a_pod(gathered):
    gathered.collect()
    found = gathered.southbound({"ovnkube-node-a", "other"})
    assert found is not None
    assert found.read_bytes() == b"sb"
    assert gathered.southbound({"ovnkube-node-b"}) is None


def test_databases_of_older_archives_are_files_of_a_folder(tmp_path):
    store = "x/network_logs/ovnk_database_store"
    files = {
        f"{store}/ovnkube-node-b_nbdb": b"nb of b",
        f"{store}/ovnkube-node-c_nbdb.gz": gzip.compress(b"nb of c"),
        f"{store}/ovnkube-node-c_sbdb.gz": gzip.compress(b"sb of c"),
        "x/network_logs/leader_nbdb.gz": gzip.compress(b"OVSDB CLUSTER"),
        f"x/{NODES}/a.yaml": obj("Node", "a"),
    }
    (tmp_path / "spool").mkdir()
    (tmp_path / "a.tar.gz").write_bytes(packed(files))
    for path in (tmp_path / "a.tar.gz", in_folder(tmp_path / "folder", files)):
        gathered = MustGather(path, tmp_path / "spool")
        assert gathered.collect().central == ("x/network_logs/leader_nbdb.gz",)
        assert {each.pod: each.stream.read(100) for each in gathered.databases()} == {
            "ovnkube-node-b": b"nb of b",
            "ovnkube-node-c": b"nb of c",
        }
        for copy in (tmp_path / "spool").iterdir():
            copy.unlink()


def test_a_file_that_is_no_yaml_is_a_problem_with_its_place(tmp_path):
    path = in_folder(tmp_path / "x", {f"{NODES}/a.yaml": obj("Node", "a"), f"{NODES}/b.yaml": b"kind: {"})
    found = MustGather(path, tmp_path).collect()
    assert [(each.file, each.line) for each in found.problems] == [(f"{NODES}/b.yaml", 2)]


def test_an_archive_of_something_else_is_an_error(tmp_path):
    with pytest.raises(StoreCorruptError) as error:
        MustGather(in_folder(tmp_path / "x", {"README": b"hello"}), tmp_path).collect()
    assert str(error.value) == f"{tmp_path / 'x'}: contains no objects as oc adm inspect writes them"
