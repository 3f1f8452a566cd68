"""What ClusterNetworkConnects add to the nodes of networks: one hop in both directions, by recorded ids."""

import json
from typing import Any

import pytest

from ovnguard.reconciler.plan.activity.active_nodes import active_nodes_of
from ovnguard.reconciler.plan.connections.recorded_connections import SUBNETS
from ovnguard.reconciler.plan.rows.model import PodPort
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.fake_cluster import ID, cudn, nad

A, B, C = (f"cluster_udn_{name}" for name in "abc")
NETWORKS = [cudn(name, f"10.{number}.0.0/16", 0, **{ID: str(number)}) for number, name in enumerate("abc", 1)]
# of OVN-Kubernetes, on an attachment that no network rendered
BARE = nad("bare", role="secondary")
BARE["metadata"]["annotations"] = {"k8s.ovn.org/network-id": "9"}


def connect(*owners: str, text: Any = None) -> dict[str, Any]:
    record = json.dumps({owner: {"ipv4": "192.168.0.0/24"} for owner in owners}) if text is None else text
    metadata = {"name": "-".join(owners) or "x", "annotations": {SUBNETS: record}}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterNetworkConnect", "metadata": metadata}


def active(*objects: dict[str, Any], **pods: str) -> dict[str, set[str]]:
    """The nodes of each network that not all nodes use; ``pods`` are nodes with a pod of a network."""
    view = ObjectsView([*NETWORKS, *objects])
    ports = {
        f"cluster_udn_{name}": (PodPort(A, "a/b", "a", name, "u", node, "0a:58:00:00:00:01", (), 12),)
        for name, node in pods.items()
    }
    found = active_nodes_of(view, True, inventory_of(view).networks() or (), (), ports)
    return {each.network: set(each.nodes) for each in found}


def test_activity_on_one_network_renders_the_connected_one():
    assert active(connect("layer2_1", "layer3_2"), a="n1") == {A: {"n1"}, B: {"n1"}, C: set()}
    assert active(connect("layer2_1", "layer3_2"), a="n1", b="n2") == {A: {"n1", "n2"}, B: {"n1", "n2"}, C: set()}
    assert active(connect("layer2_1", "layer2_2", "layer2_3"), c="n1") == {A: {"n1"}, B: {"n1"}, C: {"n1"}}


def test_a_connection_is_not_passed_on():
    both = (connect("layer2_1", "layer2_2"), connect("layer2_2", "layer2_3"))
    assert active(*both, a="n1") == {A: {"n1"}, B: {"n1"}, C: set()}
    assert active(*both, b="n1") == {A: {"n1"}, B: {"n1"}, C: {"n1"}}
    assert active(*both[1:], a="n1", b="n2") == {A: {"n1"}, B: {"n2"}, C: {"n2"}}


def test_what_is_connected_with_a_bare_attachment_is_used_everywhere():
    assert active(BARE, connect("layer2_1", "layer2_9"), b="n1") == {B: {"n1"}, C: set()}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[" * 5000,
        '["layer2_1", "layer2_2"]',
        '{"layer2_1": 1, "layer2": {}, "_2_": {}, "layer2_-2": {}, "layer2_77": {}, "layer2_0": {}}',
        7,
        {"layer2_1": {}, "layer2_2": {}},
    ],
)
def test_what_cannot_be_read_connects_nothing(text):
    assert active(connect(text=text), a="n1", b="n2") == {A: {"n1"}, B: {"n2"}, C: set()}


def test_an_unannotated_one_connects_nothing_yet():
    plain = connect("layer2_1", "layer2_2")
    del plain["metadata"]["annotations"]
    assert active(plain, a="n1") == {A: {"n1"}, B: set(), C: set()}
