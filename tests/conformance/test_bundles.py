"""`bundle` of recorded clusters: what it collects, what it never contains, and that an audit of it finds the same."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from ovnguard.reconciler.apply.files.must_gather import MARKER
from ovnguard.validators.cluster.client_protocol import ClusterError
from tests.support.bundled_cluster import CANARY, FORBIDDEN, BundledCluster, contents, has_canary
from tests.support.gathered_archive import removed, write_archive
from tests.support.reconciler_cli import Outcome, run

RECORDINGS = (
    "connect",
    "cudn-two-namespaces",
    "dynamic-layer3@egressip",
    "egressip-layer3",
    "egressservice-layer3",
    "layer2-mixed",
    "layer3-dual-shared",
    "migration-layer2",
    "no-overlay-cudn-enabled",
    "openshift@default",
    "routed-mix@swapped",
    "secondary",
    "services-layer2-ipv4-shared",
    "uplink-layer3",
)


@pytest.fixture
def bundle(tmp_path, monkeypatch):
    """`bundle(cluster, ...)` runs the command on a cluster and returns its outcome; the file is bundle.tar.gz."""

    def start(cluster: BundledCluster, *args: str) -> Outcome:
        monkeypatch.setattr("ovnguard.reconciler.commands.bundle.connected", lambda _: cluster)
        return run("bundle", "-o", str(tmp_path / "bundle.tar.gz"), *args)

    return start


def audited(archive: Path) -> Any:
    """What an audit finds; the places of errors differ between archives."""
    found = json.loads(run("audit", str(archive), "-o", "json").out)
    places = ("file", "line", "column")
    errors = [{key: value for key, value in each.items() if key not in places} for each in found["errors"]]
    return {**found, "errors": sorted(errors, key=str)}


@pytest.mark.parametrize("name", RECORDINGS)
def test_an_audit_of_a_bundle_finds_what_one_of_all_fields_finds(name, bundle, tmp_path):
    cluster = BundledCluster(name)
    done = bundle(cluster)
    unread = [f"not read: Northbound database of {node}: no pod of OVN-Kubernetes serves it" for node in cluster.absent]
    assert (done.code, done.out, done.err.splitlines()) == (cluster.exit_code, "", unread)
    whole = write_archive(tmp_path / "whole.tar.gz", name, collected=None, is_whole=True)
    found = audited(tmp_path / "bundle.tar.gz")
    assert found == audited(whole)
    assert found["judgedPercent"] == 100


def test_a_drift_is_found_in_a_bundle(bundle, tmp_path):
    gone = removed("Logical_Switch_Port", name="red.net_red_one")
    bundle(BundledCluster("layer3-dual-shared", lambda _, tables: gone(tables)))
    done = run("audit", str(tmp_path / "bundle.tar.gz"))
    assert "\n  critical: red.net_red_one of network red_net on node1 has no network: its" in done.out
    assert done.code == 1


def _planted(obj: dict[str, Any], whole: frozenset[str]) -> dict[str, Any]:
    """An object with an unknown field in every mapping, but not in the values that are kept as they are."""

    def plant(value: Any, path: str) -> Any:
        if path in whole:
            return value
        if isinstance(value, list):
            return [plant(each, path) for each in value]
        if isinstance(value, dict):
            return {**{key: plant(each, f"{path}.{key}") for key, each in value.items()}, CANARY: f"{CANARY}{path}"}
        return value

    planted: dict[str, Any] = plant(obj, "")
    return planted


# What a plan reads as a whole: definitions have no other field there, and labels are what selectors select.
WHOLE = {
    "ClusterNetworkConnect": ".spec",
    "ClusterUserDefinedNetwork": ".spec",
    "ConfigMap": ".data",
    "EgressIP": ".spec",
    "EgressService": ".spec",
    "FRRConfiguration": ".spec",
    "NetworkAttachmentDefinition": ".spec",
    "Network": ".spec.defaultNetwork .spec.clusterNetwork",
    "Node": ".status.addresses .metadata.annotations.k8s",
    "RouteAdvertisements": ".spec",
    "Service": ".spec.ports",
    "EndpointSlice": ".ports",
    "Uplink": ".spec",
    "UplinkState": ".spec .status.ovsBridge",
    "UserDefinedNetwork": ".spec",
}
_SELECTED = ("Node", "Namespace", "Pod", "EgressIP", *(kind for kind in WHOLE if "Network" in kind or "FRR" in kind))
_MANAGED = {"manager": CANARY, "fieldsV1": {CANARY: {}}}
_CONTAINER = {
    "name": "web",
    "image": CANARY,
    "env": [{"name": "PASSWORD", "value": CANARY}],
    "args": [CANARY],
}


def _with_canaries(cluster: BundledCluster) -> None:
    """Canaries in every field that no audit reads, in Secrets, and in objects that configure something else."""
    encoded = base64.b64encode(CANARY.encode()).decode()
    planted = []
    for obj in cluster.objects:
        labels = {".metadata.labels"} if obj["kind"] in _SELECTED else set()
        each = _planted(obj, frozenset({*WHOLE.get(obj["kind"], "").split(), *labels}))
        metadata = each["metadata"]
        applied = {"kubectl.kubernetes.io/last-applied-configuration": encoded, f"k8s.ovn.org/{CANARY}": CANARY}
        metadata["annotations"] = {**metadata.get("annotations", {}), **applied}
        metadata["managedFields"] = [_MANAGED]
        if obj["kind"] == "Pod":
            each["spec"]["volumes"] = [{"secret": {"secretName": CANARY}}]
            each["spec"]["initContainers"] = [_CONTAINER]
            each["status"] = {**each.get("status", {}), "conditions": [{"message": CANARY}]}
        if obj["kind"] == "FRRConfiguration":
            each["spec"] = {**each["spec"], "raw": {"rawConfig": f"neighbor 192.0.2.1 password {CANARY}"}}
            for router in each["spec"]["bgp"].get("routers", []):
                router["neighbors"] = [{**neighbor, "password": CANARY} for neighbor in router.get("neighbors", [])]
        planted.append(each)
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": CANARY, "namespace": "default"}}
    planted.append({**secret, "data": {"password": encoded}})
    for namespace in ("ovn-kubernetes", "default"):
        metadata = {"name": "other", "namespace": namespace}
        planted.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"key": CANARY}})
    event = {"reportingComponent": "kubelet", "message": CANARY, "metadata": {"name": "e", "namespace": "default"}}
    planted.append({"apiVersion": "v1", "kind": "Event", **event})
    cluster.objects = planted


@pytest.mark.parametrize("name", ["layer3-dual-shared", "routed-mix@swapped", "uplink-layer3", "connect"])
def test_no_bundle_contains_what_no_audit_reads(name, bundle, tmp_path):
    cluster = BundledCluster(name)
    _with_canaries(cluster)
    assert bundle(cluster).code == cluster.exit_code
    assert has_canary(tmp_path / "bundle.tar.gz") == []
    assert not [path for path in cluster.requests if "secret" in path]
    whole = write_archive(tmp_path / "whole.tar.gz", name, collected=None, is_whole=True)
    assert audited(tmp_path / "bundle.tar.gz") == audited(whole)


@pytest.mark.parametrize(
    "text", [CANARY, *(base64.b64encode(f"{'xyz'[:at]}{CANARY}!".encode()).decode() for at in range(4))]
)
def test_the_search_for_canaries_finds_them(text, bundle, tmp_path):
    cluster = BundledCluster("secondary")
    metadata = {"name": "last", "labels": {"a": text}}
    cluster.objects.append({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    bundle(cluster)
    assert len(has_canary(tmp_path / "bundle.tar.gz")) == 1


def test_what_a_bundle_contains_besides(bundle, tmp_path):
    cluster = BundledCluster("secondary")
    event = {"reason": "ZoneDrift", "reportingComponent": "ovnguard-reconciler", "message": "1 row"}
    cluster.objects.append(
        {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"}, **event}
    )
    labels = {"ovnguard.io/report": "zone"}
    report = {"metadata": {"name": "r", "namespace": "x", "labels": labels}, "data": {"report.json": "{}"}}
    cluster.objects.append({"apiVersion": "v1", "kind": "ConfigMap", **report})
    assert bundle(cluster, "--logs").code == cluster.exit_code
    files = contents((tmp_path / "bundle.tar.gz").read_bytes())
    about = json.loads(files.pop(MARKER))
    assert about.keys() == {"format", "ovnguard", "kubernetes", "anonymous", "kinds"}
    assert (about["format"], about["kubernetes"]) == (1, "v1.36.1")
    assert "core/pods" in about["kinds"]
    assert "core/configmaps" not in about["kinds"]
    listed = [each for data in files.values() if data[:1] == b"{" for each in json.loads(data)["items"]]
    assert [each["reason"] for each in listed if each["kind"] == "Event"] == ["ZoneDrift"]
    assert [each["data"] for each in listed if each["metadata"]["name"] == "r"] == [{"report.json": "{}"}]
    log = "namespaces/openshift-ovn-kubernetes/pods/ovnkube-node-node1/nbdb/nbdb/logs/current.log"
    path = "/api/v1/namespaces/openshift-ovn-kubernetes/pods/ovnkube-node-node1/log"
    assert files[log] == f"log of {path} nbdb".encode()
    assert files["network_logs/ovnk_database_store/ovnkube-node-node1_sbdb"] == b"southbound"


def test_what_cannot_be_read_is_named_and_the_rest_is_collected(bundle, tmp_path):
    cluster = BundledCluster("egressip-default")
    cluster.refused = {"/egressfirewalls": FORBIDDEN, "/ovnkube-node-node1/exec": FORBIDDEN}
    cluster.broken = {"node2"}
    done = bundle(cluster)
    assert done.code == 1
    assert done.err.splitlines() == [
        "not read: egressfirewalls: 403 Forbidden: may not",
        "not read: OVN_Northbound of node1: 403 Forbidden: may not",
        "not read: OVN_Southbound of node1: 403 Forbidden: may not",
        "not read: OVN_Northbound of node2: the connection ended before the command",
        "not read: Northbound database of node3: no pod of OVN-Kubernetes serves it",
    ]
    files = contents((tmp_path / "bundle.tar.gz").read_bytes())
    assert "k8s.ovn.org/egressfirewalls" not in json.loads(files[MARKER])["kinds"]
    assert [name.rpartition("/")[2] for name in files if name.endswith("db")] == ["ovnkube-node-node2_sbdb"]
    audit = run("audit", str(tmp_path / "bundle.tar.gz"))
    assert "note: no Northbound database of node node1, node2" in audit.err


def test_a_cluster_that_goes_away_leaves_no_file(bundle, tmp_path):
    cluster = BundledCluster("secondary")
    cluster.refused = {"/services": ClusterError("https://api: connection refused")}
    done = bundle(cluster)
    assert (done.code, done.err) == (3, "error: https://api: connection refused\n")
    assert list(tmp_path.iterdir()) == []
