"""Which differences concern objects that are newer than a database."""

import pytest

from ovnguard.reconciler.plan.comparison.newer_objects import newer_objects
from ovnguard.reconciler.plan.comparison.row_differences import Difference, Side
from tests.support.fake_cluster import cudn, node

RECORD = '{"default": {"ip_addresses": ["10.244.1.5/24"], "mac_address": "0a:58:0a:f4:01:05"}}'
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web-1", "namespace": "shop", "annotations": {"k8s.ovn.org/pod-networks": RECORD}},
}
CONFIG = '{"cniVersion":"1.1.0","name":"cluster_udn_red","netAttachDefName":"shop/red","topology":"layer2"}'
RENDERED = {
    "apiVersion": "k8s.cni.cncf.io/v1",
    "kind": "NetworkAttachmentDefinition",
    "metadata": {"name": "red", "namespace": "shop", "ownerReferences": [{"kind": "ClusterUserDefinedNetwork"}]},
    "spec": {"config": CONFIG},
}
NEWER = newer_objects([POD, cudn("blue"), node("node-c"), RENDERED])
PORT, SET = "Logical_Switch_Port", "Address_Set"


@pytest.mark.parametrize(
    ("difference", "title"),
    [
        (Difference(Side.PLANNED, PORT, "shop_web-1", "default", planned="name=shop_web-1"), "Pod shop/web-1"),
        (Difference(Side.PLANNED, PORT, "red.net_shop_web-1", "red"), "Pod shop/web-1"),
        (Difference(Side.PLANNED, PORT, "shop_web-10", "default"), ""),
        (Difference(Side.PLANNED, PORT, "workshop_web-1", "default"), ""),
        (Difference(Side.OBSERVED, PORT, "shop_web-1", "default", observed="name=shop_web-1"), ""),
        (Difference(Side.PLANNED, PORT, "tstor-node-c", "default"), "Node node-c"),
        (Difference(Side.PLANNED, "NAT", "GR_node-a | snat 10.244.1.5", "default"), "Pod shop/web-1"),
        (Difference(Side.PLANNED, "NAT", "GR_node-a | snat 10.244.1.6", "default"), ""),
        (Difference(Side.BOTH, SET, "set", "default", "addresses", planned="10.244.1.5"), "Pod shop/web-1"),
        (Difference(Side.BOTH, SET, "set", "default", "addresses", planned="[10.244.1.5, 10.244.1.6]"), ""),
        (Difference(Side.BOTH, SET, "set", "default", "addresses", observed="10.1.1.1", planned="10.244.1.5"), ""),
        (
            Difference(Side.OBSERVED, "Logical_Router", "x", "cluster_udn_blue"),
            "ClusterUserDefinedNetwork blue",
        ),
        (Difference(Side.PLANNED, "Logical_Router", "x", "cluster_udn_red"), ""),
    ],
)
def test_what_a_difference_concerns(difference, title):
    assert NEWER.concerned(difference) == title
