"""Nodes of a real API server that still have the Layer2 topology before transit routers."""

import json

import pytest

from tests.support.deployed.running import MERGE, NAMESPACES, NODE, NODES, TEST, Zone, condition, cudn

VERSION = "k8s.ovn.org/layer2-topology-version"
KEYS = "k8s.ovn.org/udn-layer2-node-gateway-router-lrp-tunnel-ids"
NETWORK = "cluster_udn_blue"
PODS = f"{NAMESPACES}/blue/pods"


@pytest.fixture
def upgrading(zone: Zone) -> Zone:
    """All nodes have the topology before transit routers, and a pod of a primary Layer2 network runs on this one."""
    for number, node in enumerate(("worker-a", "worker-b", "worker-c"), 4):
        annotations = {VERSION: None, KEYS: json.dumps({NETWORK: str(number)})}
        assert zone.api.request("PATCH", f"{NODES}/{node}", {"metadata": {"annotations": annotations}}, MERGE)[0] == 200
    labels = {"t": "blue", TEST: "", "k8s.ovn.org/primary-user-defined-network": ""}
    zone.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "blue", "labels": labels}}, NAMESPACES)
    containers = [{"name": "web", "image": "web"}]
    spec = {"nodeName": NODE, "containers": containers, "terminationGracePeriodSeconds": 0}
    zone.create(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "blue"}, "spec": spec}, PODS
    )
    zone.create(cudn("blue", "10.30.0.0/16"))
    return zone


def version(zone: Zone, node: str = NODE) -> str:
    """What the Node records."""
    found: str = zone.get(node, NODES)["metadata"]["annotations"].get(VERSION, "")
    return found


def progress(zone: Zone) -> str:
    """Status of the condition of the network, or nothing."""
    found = condition(zone.get("blue"), "Layer2TopologyUpgraded")
    return "" if found is None else found["status"]
