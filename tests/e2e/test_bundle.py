"""`bundle` of a real API server and a real zone, with the rights of docs/bundle.md: through a pod and by --nb-db."""

import base64
import io
import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard.reconciler.apply.files.ovsdb_file import read_database_file
from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from tests.support.bundled_cluster import CANARY, contents, has_canary
from tests.support.deployed import running
from tests.support.deployed.kubelet import kubelet
from tests.support.deployed.running import NAMESPACES, NODES, OURS, PROGRAM, TEST, Zone, cudn, kubeconfig_of
from tests.support.paths import ROOT
from tests.testbed.parts import Parts
from tests.testbed.pki import Authority

api, zone = running.api, running.zone

NODE = "worker-a"
OVNKUBE = "openshift-ovn-kubernetes"
STORE = "network_logs/ovnk_database_store"
RBAC = "/apis/rbac.authorization.k8s.io/v1"


def posted(zone: Zone, path: str, obj: dict[str, Any]) -> None:
    status, answer = zone.api.request("POST", path, obj)
    assert status == 201, answer


def namespaced(zone: Zone, name: str) -> None:
    metadata = {"name": name, "labels": {TEST: ""}}
    zone.api.request("POST", NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})


@pytest.fixture
def account(zone: Zone, tmp_path: Path) -> Iterator[Path]:
    """A kubeconfig with the rights of the page, and a zone with a network."""
    role = yaml.safe_load((ROOT / "docs/bundle.md").read_text().split("```yaml\n")[1].split("```")[0])
    for name in (OURS, OVNKUBE):
        namespaced(zone, name)
    metadata = {"name": "bundle", "namespace": OURS}
    posted(zone, f"{NAMESPACES}/{OURS}/serviceaccounts", {"metadata": metadata})
    posted(zone, f"{RBAC}/clusterroles", role)
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role["metadata"]["name"]}
    binding = {
        "metadata": {"name": "bundle"},
        "roleRef": reference,
        "subjects": [{"kind": "ServiceAccount", **metadata}],
    }
    posted(zone, f"{RBAC}/clusterrolebindings", binding)
    zone.create(cudn("blue", "10.50.0.0/16"))
    zone.start()
    zone.until(lambda: zone.rows() > 0, "rows")
    yield kubeconfig_of(zone.api, tmp_path, "bundle")
    zone.api.request("DELETE", f"{RBAC}/clusterrolebindings/bundle")
    zone.api.request("DELETE", f"{RBAC}/clusterroles/{role['metadata']['name']}")
    zone.api.request("DELETE", f"{NAMESPACES}/{OURS}/serviceaccounts/bundle")


def bundle(account: Path, *args: str | Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([PROGRAM, "bundle", "--kubeconfig", account, *args], capture_output=True, check=False)


def stop(zone: Zone) -> None:
    assert zone.process is not None
    zone.process.stop()


@contextmanager
def node_with(zone: Zone, folder: Path, words: Mapping[str, str | Path]) -> Iterator[None]:
    """Give the node of the zone a kubelet."""
    folder.mkdir()
    with kubelet(Authority(folder).server("kubelet"), words) as port:
        addresses = [{"type": "InternalIP", "address": "127.0.0.1"}]
        status = {"addresses": addresses, "daemonEndpoints": {"kubeletEndpoint": {"Port": port}}}
        assert zone.api.request("PATCH", f"{NODES}/{NODE}/status", {"status": status}, running.MERGE)[0] == 200
        yield


def rows(zone: Zone) -> dict[str, Any]:
    with closing(NorthboundStore(zone.ovn.nb)) as store:
        return {row.uuid: row for row in store.read_everything()}


def rows_in(data: bytes) -> dict[str, Any]:
    return {row.uuid: row for row in read_database_file(io.BytesIO(data), "nb").rows}


def test_a_database_by_its_remote(zone: Zone, account: Path, tmp_path: Path, parts: Parts) -> None:
    file = tmp_path / "bundle.tar.gz"
    done = bundle(account, "-o", file, "--nb-db", f"{NODE}={zone.ovn.nb}")
    assert done.stderr.decode().splitlines() == [
        f"not read: Northbound database of {node}: no pod of OVN-Kubernetes serves it"
        for node in ("worker-b", "worker-c")
    ]
    assert (done.returncode, done.stdout) == (1, b"")
    copy = contents(file.read_bytes())[f"{STORE}/{NODE}_nbdb"]
    stop(zone)
    assert rows_in(copy).keys() == rows(zone).keys()
    switches = {uuid for uuid, row in rows(zone).items() if row.table == "Logical_Switch"}
    assert {row["_uuid"][1] for row in selected(parts, tmp_path, copy)} == switches
    audited = subprocess.run([PROGRAM, "audit", file, "-o", "json"], capture_output=True, check=False)
    found = json.loads(audited.stdout)["nodes"]
    assert list(found) == [NODE]
    assert found[NODE]["rowsAsPlanned"] > 0


def selected(parts: Parts, folder: Path, database: bytes) -> list[Any]:
    """The switches in a database file, as OVSDB's own tool reads it."""
    (folder / "nb.db").write_bytes(database)
    query = json.dumps(["OVN_Northbound", {"op": "select", "table": "Logical_Switch", "where": []}])
    argv: list[str | Path] = [parts.ovn.tool("ovsdb-tool"), "query", folder / "nb.db", query]
    answer = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
    found: list[Any] = answer[0]["rows"]
    return found


def test_a_database_without_names_is_one_for_the_real_server(
    zone: Zone, account: Path, tmp_path: Path, parts: Parts
) -> None:
    file = tmp_path / "bundle.tar.gz"
    assert bundle(account, "-o", file, "--anonymize", "--nb-db", f"{NODE}={zone.ovn.nb}").returncode == 1
    stop(zone)
    (copy,) = (data for name, data in contents(file.read_bytes()).items() if name.endswith("_nbdb"))
    names = [row["name"] for row in selected(parts, tmp_path, copy)]
    assert len(names) == sum(row.table == "Logical_Switch" for row in rows(zone).values())
    assert not [name for name in names if "blue" in name or NODE in name]
    audited = subprocess.run([PROGRAM, "audit", file, "-o", "json"], capture_output=True, check=False)
    (found,) = json.loads(audited.stdout)["nodes"].values()
    assert found["rowsAsPlanned"] > 0


def test_databases_and_logs_through_a_pod(zone: Zone, account: Path, tmp_path: Path, parts: Parts) -> None:
    words: dict[str, str | Path] = {
        "ovsdb-client": parts.ovn.tool("ovsdb-client"),
        "unix:/var/run/ovn/ovnnb_db.sock": zone.ovn.nb,
        "unix:/var/run/ovn/ovnsb_db.sock": zone.ovn.sb,
    }
    with node_with(zone, tmp_path / "kubelet", words):
        containers = [
            {"name": name, "image": "ovn", "env": [{"name": "A", "value": CANARY}]} for name in ("nbdb", "sbdb")
        ]
        pod = {"metadata": {"name": "ovnkube-node-x"}, "spec": {"nodeName": NODE, "containers": containers}}
        posted(zone, f"{NAMESPACES}/{OVNKUBE}/pods", pod)
        secret = {"metadata": {"name": CANARY}, "data": {"password": base64.b64encode(CANARY.encode()).decode()}}
        posted(zone, f"{NAMESPACES}/{OURS}/secrets", secret)
        done = bundle(account, "-o", "-", "--logs")
        zone.api.request("DELETE", f"{NAMESPACES}/{OURS}/secrets/{CANARY}")
    assert done.returncode == 1
    assert not [line for line in done.stderr.decode().splitlines() if NODE in line], done.stderr
    (tmp_path / "bundle.tar.gz").write_bytes(done.stdout)
    assert has_canary(tmp_path / "bundle.tar.gz") == []
    files = contents(done.stdout)
    stop(zone)
    assert rows_in(files[f"{STORE}/ovnkube-node-x_nbdb"]).keys() == rows(zone).keys()
    assert files[f"{STORE}/ovnkube-node-x_sbdb"].startswith(b"OVSDB JSON ")
    log = f"namespaces/{OVNKUBE}/pods/ovnkube-node-x/nbdb/nbdb/logs/current.log"
    assert files[log] == f"log of {OVNKUBE}/ovnkube-node-x/nbdb\n".encode()


def test_a_command_that_fails_in_a_pod_is_named(zone: Zone, account: Path, tmp_path: Path) -> None:
    with node_with(zone, tmp_path / "kubelet", {"ovsdb-client": "false"}):
        containers = [{"name": "nb-ovsdb", "image": "ovn"}]
        pod = {"metadata": {"name": "ovnkube-node-y"}, "spec": {"nodeName": NODE, "containers": containers}}
        posted(zone, f"{NAMESPACES}/{OVNKUBE}/pods", pod)
        done = bundle(account, "-o", tmp_path / "bundle.tar.gz")
    assert done.returncode == 1
    assert f"not read: OVN_Northbound of {NODE}: ovsdb-client: exit code 1" in done.stderr.decode().splitlines()
