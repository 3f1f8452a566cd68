"""Manifests whose parts have wrong types: errors and notes, never a fault of the program."""

import json
from pathlib import Path

import pytest

from ovnguard.validators.base.json_types import JsonObject
from tests.support.reconciler_cli import NODES, VALID, run

KINDS = (
    ("v1", "Pod"),
    ("v1", "Node"),
    ("v1", "Namespace"),
    ("v1", "Service"),
    ("v1", "ConfigMap"),
    ("discovery.k8s.io/v1", "EndpointSlice"),
    ("k8s.ovn.org/v1", "EgressIP"),
    ("k8s.ovn.org/v1", "ClusterUserDefinedNetwork"),
    ("k8s.ovn.org/v1", "UserDefinedNetwork"),
    ("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition"),
    ("operator.openshift.io/v1", "Network"),
    ("k8s.ovn.org/v1", "RouteAdvertisements"),
    ("frrk8s.metallb.io/v1beta1", "FRRConfiguration"),
    ("k8s.ovn.org/v1", "ClusterNetworkConnect"),
)
NAMED = {"name": "kubernetes", "namespace": "default", "labels": {"kubernetes.io/service-name": "kubernetes"}}
SHAPES: dict[str, JsonObject] = {
    "nothing": {},
    "empty metadata": {"metadata": None, "spec": None},
    "metadata is a list": {"metadata": [1], "spec": {}},
    "metadata of wrong types": {
        "metadata": {
            "name": 7,
            "namespace": ["x"],
            "labels": 3,
            "annotations": "z",
            "creationTimestamp": 5,
            "ownerReferences": 8,
        },
        "spec": {},
    },
    "spec is a list": {"metadata": NAMED, "spec": [1], "status": [2]},
    "spec is text": {"metadata": NAMED, "spec": "x", "status": "y", "endpoints": "z", "ports": 3, "addressType": 9},
    "members of wrong types": {
        "metadata": NAMED,
        "spec": {
            "clusterIPs": [1, None],
            "ports": [1, {"port": "x"}],
            "network": [],
            "egressIPs": {"a": 1},
            "namespaceSelector": [1],
            "podSelector": 7,
            "nodeName": 3,
            "config": 9,
        },
        "status": {"items": [1, {"egressIP": 5, "node": {}}], "addresses": [1, {"address": []}]},
        "endpoints": [1, {"addresses": [1], "conditions": []}],
        "ports": [1, {"port": "x"}],
        "addressType": "IPv4",
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_malformed_manifests_are_errors_of_the_input(shape: str, tmp_path: Path) -> None:
    for number, (version, kind) in enumerate(KINDS):
        text = json.dumps({"apiVersion": version, "kind": kind, **SHAPES[shape]})
        (tmp_path / f"{number}.json").write_text(text)
    done = run("plan", "-f", tmp_path, "--nodes", NODES)
    assert "internal error" not in done.err
    assert done.code == 1
    assert "ConfigMap declares neither a network nor a node" in done.err


@pytest.mark.parametrize("metadata", [7, "x", [1], {"name": {}}], ids=str)
def test_a_network_without_a_name_is_refused_at_its_position(metadata: object, tmp_path: Path) -> None:
    for file in Path(VALID).glob("*.yaml"):
        lines = file.read_text().splitlines(keepends=True)
        at = lines.index("metadata:\n")
        (tmp_path / file.name).write_text(
            "".join([*lines[:at], f"metadata: {json.dumps(metadata)}\n", *lines[at + 2 :]])
        )
    done = run("plan", "-f", tmp_path, "--nodes", NODES)
    assert done.code == 1
    for name in ("blue-layer2", "green-layer3"):
        assert f"{tmp_path / name}.yaml:2:1: error: <nil>: Invalid value: Clu" in done.err
    assert done.err.count("cannot be handled as a ClusterUserDefinedNetwork: json: cannot unmarshal ") == 2
