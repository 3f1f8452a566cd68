"""Pods as rules about networks see them."""

from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.pod_index import Pod, pod_of, pods_by_namespace, pods_of_node
from ovnguard.validators.network.cluster_view import EmptyView, ObjectsView
from tests.support.manifests.network_objects import JsonObject


def pod(name: str, namespace: str = "red", **parts: object) -> JsonObject:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace}, **parts}


def test_a_pod() -> None:
    found = pod_of(pod("p", spec={"nodeName": "a", "hostNetwork": True}, status={"phase": "Failed"}))
    assert found == Pod("red", "p", "a", True, True, frozenset())
    assert found.key == "red/p"
    assert not found.runs
    assert pod_of(pod("p", spec={"nodeName": "a"}, status={"phase": "Pending"})).runs
    assert not pod_of(pod("p")).runs
    assert pod_of({}).key == "/"


def test_attachments() -> None:
    obj = pod("p")
    for text, expected in (
        ('{"default":{},"red/blue":{}}', {"default", "red/blue"}),
        ("[]", set()),
        ("{", set()),
        ("[" * 100000, set()),
        ('{"a":1}' + " " * 300000, set()),
        (3, set()),
    ):
        obj["metadata"]["annotations"] = {"k8s.ovn.org/pod-networks": text}
        assert pod_of(obj).attachments == expected


def test_pods_of_namespaces_and_nodes() -> None:
    on = {"nodeName": "a"}
    view = ObjectsView([pod("q", spec=on), pod("p", spec=on), pod("o", "sky", spec={"nodeName": "b"}), pod("n")])
    found = pods_by_namespace(inventory_of(view))
    assert {name: [each.name for each in pods] for name, pods in found.items()} == {
        "red": ["n", "p", "q"],
        "sky": ["o"],
    }
    assert [each.key for each in pods_of_node(inventory_of(view), "a")] == ["red/p", "red/q"]
    empty = EmptyView()
    assert pods_by_namespace(inventory_of(empty)) == {}
