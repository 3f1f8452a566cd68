"""What is read from a cluster, and how often: lists, single objects, discovery, and nothing else."""

from collections.abc import Mapping
from typing import Any

import pytest

from ovnguard.validators.bundled.catalog import GroupVersionKind
from ovnguard.validators.cluster.client_protocol import ApiStatusError
from ovnguard.validators.cluster.live_cluster import LiveCluster
from ovnguard.validators.network.cluster_view import CUDN, NODE, UDN

K8S_OVN = {
    "resources": [
        {"name": "userdefinednetworks", "kind": "UserDefinedNetwork", "namespaced": True},
        {"name": "userdefinednetworks/status", "kind": "UserDefinedNetwork", "namespaced": True},
        {"name": "clusteruserdefinednetworks", "kind": "ClusterUserDefinedNetwork", "namespaced": False},
        "nonsense",
    ]
}
NET = {"apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork", "metadata": {"name": "net"}}


class Answers:
    """An API server that has only the given answers."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = answers
        self.asked: list[tuple[str, str]] = []

    def request(self, method: str, path: str, query: Mapping[str, str] | None = None, *_: Any) -> Any:
        self.asked.append((method, path))
        answer = self._answers.get(f"{path}?{(query or {}).get('continue', '')}", self._answers.get(path))
        if isinstance(answer, int):
            raise ApiStatusError(answer, "Reason", "text")
        if answer is None:
            raise ApiStatusError(404, "NotFound", "not found")
        return answer

    def watch(self, *_: Any) -> Any:
        raise AssertionError("a preflight does not watch")


def test_surroundings_page_by_page_with_what_is_absent_and_forbidden() -> None:
    nodes = "/api/v1/nodes"
    server = Answers(
        {
            f"{nodes}?": {"items": [{"metadata": {"name": "a"}}], "metadata": {"continue": "more"}},
            f"{nodes}?more": {"items": [{"metadata": {"name": "b"}}], "metadata": {}},
            "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks": {"items": [], "metadata": {}},
            "/api/v1/pods": 403,
        }
    )
    found = LiveCluster(server, "https://s").surroundings()
    assert [(each["apiVersion"], each["kind"], each["metadata"]["name"]) for each in found.objects] == [
        ("v1", "Node", "a"),
        ("v1", "Node", "b"),
    ]
    # what is not served does not exist either
    assert {CUDN, UDN} <= found.empty
    assert NODE not in found.empty
    assert found.forbidden == ["pods"]
    assert {method for method, _ in server.asked} == {"GET"}


def test_any_other_refusal_ends_the_run() -> None:
    with pytest.raises(ApiStatusError, match="500"):
        LiveCluster(Answers({"/api/v1/nodes": 500}), "https://s").surroundings()


def test_stored_objects_by_discovery() -> None:
    stored = {"metadata": {"name": "net", "uid": "1"}}
    path = "/apis/k8s.ovn.org/v1/namespaces/red/userdefinednetworks/net"
    server = Answers({"/apis/k8s.ovn.org/v1": K8S_OVN, path: stored})
    cluster = LiveCluster(server, "https://s")
    assert cluster.stored(NET, "red") == stored
    assert cluster.stored({**NET, "metadata": {"name": "new", "namespace": "red"}}, "") is None
    assert cluster.stored({**NET, "kind": "Unserved"}, "red") is None
    assert cluster.stored({"apiVersion": "none.io/v1", "kind": "None", "metadata": {"name": "x"}}, "red") is None
    assert cluster.stored({**NET, "metadata": {"generateName": "net"}}, "red") is None
    assert [path for _, path in server.asked].count("/apis/k8s.ovn.org/v1") == 1


def test_definitions_of_kinds() -> None:
    crd = {"metadata": {"name": "userdefinednetworks.k8s.ovn.org"}}
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/userdefinednetworks.k8s.ovn.org"
    cluster = LiveCluster(Answers({"/apis/k8s.ovn.org/v1": K8S_OVN, path: crd}), "https://s")
    kinds = [GroupVersionKind("k8s.ovn.org", "v1", kind) for kind in ("UserDefinedNetwork", "Nothing")]
    assert list(cluster.definitions([*kinds, GroupVersionKind("", "v1", "Pod")])) == [crd]
