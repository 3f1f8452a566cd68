"""The bed of a whole cluster writes what others write, and nothing that is ovnguard's own work."""

from typing import Any

import pytest

from tests.support.deployed.own_cluster.permitted_writes import PERMITS, Author, refusal
from tests.testbed.apiserver import ApiServer

POD = "/api/v1/namespaces/a/pods/b"
RECORD = {"metadata": {"annotations": {"k8s.ovn.org/pod-networks": "{}"}}}
CONDITION: dict[str, Any] = {"status": {"conditions": []}}
CUDN = "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks"

REFUSED = {
    "an address of a pod": (
        "kubelet",
        "PATCH",
        f"{POD}/status",
        RECORD,
        "metadata.annotations.k8s.ovn.org/pod-networks",
    ),
    "a record of a new pod": ("tenant", "POST", POD.rpartition("/")[0], RECORD, "annotations.k8s.ovn.org/pod-networks"),
    "a number of a node": (
        *("ovnkube-node", "PATCH", "/api/v1/nodes/n", {"metadata": {"annotations": {"k8s.ovn.org/node-id": "2"}}}),
        "annotations.k8s.ovn.org/node-id",
    ),
    "a condition": ("administrator", "POST", CUDN, CONDITION, "POST status.conditions of clusteruserdefinednetworks"),
    "a status": ("administrator", "PATCH", f"{CUDN}/x/status", CONDITION, "clusteruserdefinednetworks/status"),
    "an attachment": (
        *("administrator", "POST", "/apis/k8s.cni.cncf.io/v1/namespaces/a/network-attachment-definitions", {}),
        "network-attachment-definitions",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_ovnguards_own_work_is_refused(what: str) -> None:
    author, verb, path, body, words = REFUSED[what]
    assert words in refusal(author, verb, path, body)


def test_bindings_statuses_and_what_ovnkube_node_writes_are_permitted() -> None:
    chassis = {"metadata": {"annotations": {"k8s.ovn.org/node-chassis-id": "x", "k8s.ovn.org/l3-gateway-config": "{}"}}}
    assert refusal("scheduler", "POST", f"{POD}/binding", {"target": {"kind": "Node", "name": "n"}}) == ""
    assert refusal("kubelet", "PATCH", f"{POD}/status", {"status": {"phase": "Running"}}) == ""
    assert refusal("ovnkube-node", "PATCH", "/api/v1/nodes/n", chassis) == ""
    assert refusal("tenant", "POST", f"{POD}/binding", {}) == "tenant does not POST pods/binding"


def test_the_list_has_no_attachment_of_a_network_no_record_and_no_condition() -> None:
    fields = {(each.resource, ".".join(field)) for each in PERMITS for field in each.fields}
    of_kubelets = {("pods/status", "status.conditions")}
    assert not [each for each in fields - of_kubelets if "pod-networks" in each[1] or "conditions" in each[1]]
    assert not [each for each in fields if each[0].startswith(("cluster", "user")) and each[1] != "spec"]
    # what a tenant writes by hand is no attachment of a network's object
    writers = {each.author for each in PERMITS if each.resource == "network-attachment-definitions"}
    assert writers == {"tenant"}
    annotations = {each[1].rpartition("/")[2] for each in fields if each[1].startswith("metadata.annotations.")}
    assert annotations == {"node-chassis-id", "l3-gateway-config", "networks"}


def test_an_author_sends_nothing_that_is_refused(tmp_path) -> None:
    with pytest.raises(PermissionError, match="scheduler does not DELETE pods"):
        Author(ApiServer(tmp_path), "scheduler").send("DELETE", POD)
