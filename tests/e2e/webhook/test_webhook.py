"""The webhook in the hands of a real API server: registered, asked, obeyed.

The process is the one users start, with the API server itself as its view.
"""

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.network.model import TRANSIT_ANNOTATION
from ovnguard.webhook.certificates.self_signed import SelfSigned
from tests.support.deployed.installed import registered, running_webhook, served_crds
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import wait_until

CUDNS = "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks"
NADS = "/apis/k8s.cni.cncf.io/v1/namespaces/default/network-attachment-definitions"
NETWORKS = "/apis/operator.openshift.io/v1/networks"
MERGE = "application/merge-patch+json"
OVERLAPS = "100.88.0.0/15"
"""Covers the default transit subnet 100.88.0.0/16 (and the one behind it)."""


def cudn(name: str, subnet: str, **metadata: Any) -> dict[str, Any]:
    layer2 = {"role": "Primary", "subnets": [subnet]}
    spec = {"namespaceSelector": {"matchLabels": {"t": name}}, "network": {"topology": "Layer2", "layer2": layer2}}
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": name, **metadata},
        "spec": spec,
    }


def nad(name: str, config: str) -> dict[str, Any]:
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"config": config},
    }


class Cluster:
    """The API server with our CRDs and registrations, and the webhook behind them."""

    def __init__(self, api: ApiServer, folder: Path) -> None:
        self.api = api
        self.folder = folder
        self.port = "0"
        self._running = contextlib.ExitStack()

    def start_webhook(self) -> str:
        """Start it on the port it had before, if it had one; the answer is its URL."""
        url = self._running.enter_context(running_webhook(self.api, self.folder, self.port))
        self.port = url.rpartition(":")[2]
        return url

    def stop_webhook(self) -> None:
        self._running.close()

    def decisions(self) -> list[dict[str, Any]]:
        lines = map(json.loads, (self.folder / "log").read_text().splitlines())
        return [line for line in lines if line["message"] == "decision"]

    def asked(self, act: Callable[[], tuple[int, Any]]) -> list[str]:
        """Which routes a request went through, in order, each once; it must succeed.

        When the API server's cache is behind, it patches again, and asks again.
        """
        before = len(self.decisions())
        status, answer = act()
        assert status in (200, 201), answer
        return list(dict.fromkeys(line["path"] for line in self.decisions()[before:]))

    def create(self, obj: dict[str, Any], path: str = CUDNS) -> tuple[int, Any]:
        return self.api.request("POST", path, obj)

    def patch(self, name: str, patch: Any, path: str = CUDNS, subresource: str = "") -> tuple[int, Any]:
        return self.api.request("PATCH", f"{path}/{name}{subresource}", patch, MERGE)

    def stored(self, name: str, path: str = CUDNS) -> tuple[int, Any]:
        return self.api.request("GET", f"{path}/{name}")


@pytest.fixture(scope="module")
def cluster(apiserver: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(apiserver, tmp_path_factory.mktemp("webhook"))

    def in_force() -> bool:
        apiserver.request("POST", f"{CUDNS}?dryRun=All", cudn("probe", "10.5.0.0/16"))
        return {"/validate", "/mutate"} <= {line["path"] for line in made.decisions() if line["allowed"]}

    with contextlib.ExitStack() as undo:
        undo.enter_context(served_crds(apiserver))
        undo.callback(made.stop_webhook)
        undo.enter_context(registered(apiserver, made.start_webhook(), made.folder / "ca.crt"))
        wait_until(in_force, "both registrations are in force", 60)
        yield made


def test_refused_network_stays_out_with_our_text(cluster: Cluster) -> None:
    status, answer = cluster.create(cudn("red", "100.65.128.0/17"))
    assert (status, answer["reason"]) == (422, "Invalid")
    assert answer["message"].startswith(
        'admission webhook "mutate.udn.ovnguard.io" denied the request: '
        'ClusterUserDefinedNetwork.k8s.ovn.org "red" is invalid: spec.network.layer2.subnets[0]: Invalid value: '
        '"100.65.128.0/17": pod or join subnet overlaps with already configured internal subnets: '
    )
    [cause] = answer["details"]["causes"]
    assert (cause["reason"], cause["field"]) == ("FieldValueInvalid", "spec.network.layer2.subnets[0]")
    assert cluster.stored("red")[0] == 404


def test_default_network_is_judged_on_the_way_to_its_defaults(cluster: Cluster) -> None:
    default = {"type": "OVNKubernetes", "ovnKubernetesConfig": {"mtu": 1400}}
    subnets = {"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}], "serviceNetwork": ["10.129.0.0/16"]}
    obj = {"apiVersion": "operator.openshift.io/v1", "kind": "Network", "metadata": {"name": "cluster"}}
    status, answer = cluster.create({**obj, "spec": {**subnets, "defaultNetwork": default}}, NETWORKS)
    assert status == 422
    assert answer["message"].startswith(
        'admission webhook "mutate.network.ovnguard.io" denied the request: '
        'Network.operator.openshift.io "cluster" is invalid: '
    )
    assert [cause["field"] for cause in answer["details"]["causes"]] == ["spec.serviceNetwork[0]"]
    assert cluster.stored("cluster", NETWORKS)[0] == 404


def test_overlapping_network_gets_its_transit_subnet_stored(cluster: Cluster) -> None:
    status, answer = cluster.create(cudn("blue", OVERLAPS))
    assert status == 201, answer
    assert cluster.stored("blue")[1]["metadata"]["annotations"] == {TRANSIT_ANNOTATION: "100.90.0.0/16"}
    assert cluster.stored("blue")[1]["spec"]["network"]["layer2"]["subnets"] == [OVERLAPS]


def test_selected_subnet_stays_when_somebody_takes_it_away(cluster: Cluster) -> None:
    cluster.create(cudn("kept", OVERLAPS))
    chosen = cluster.stored("kept")[1]["metadata"]["annotations"]
    status, answer = cluster.patch("kept", {"metadata": {"annotations": {TRANSIT_ANNOTATION: None, "other": "x"}}})
    assert status == 200, answer
    assert cluster.stored("kept")[1]["metadata"]["annotations"] == {**chosen, "other": "x"}


def test_attachment_gets_its_transit_subnet_into_its_configuration(cluster: Cluster) -> None:
    config = {"cniVersion": "1.1.0", "type": "ovn-k8s-cni-overlay", "name": "att", "netAttachDefName": "default/att"}
    config |= {"topology": "layer2", "role": "primary", "subnets": OVERLAPS}
    status, answer = cluster.create(nad("att", json.dumps(config)), NADS)
    assert status == 201, answer
    stored = json.loads(cluster.stored("att", NADS)[1]["spec"]["config"])
    assert stored == config | {"transitSubnet": "100.90.0.0/16"}


def test_view_is_the_live_cluster(cluster: Cluster) -> None:
    """A node that lives in the next free subnet is seen, and the choice goes around it."""
    annotations = {"k8s.ovn.org/node-id": "2", "k8s.ovn.org/host-cidrs": '["100.90.0.7/16"]'}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "webhook-node", "annotations": annotations}}
    status, answer = cluster.create(node, "/api/v1/nodes")
    assert status == 201, answer

    def selected() -> str:
        answer = cluster.api.request("POST", f"{CUDNS}?dryRun=All", cudn("around", OVERLAPS))[1]
        return answer["metadata"]["annotations"][TRANSIT_ANNOTATION]

    try:
        wait_until(lambda: selected() == "100.91.0.0/16", "the node is in the view", 60)
    finally:
        cluster.api.request("DELETE", "/api/v1/nodes/webhook-node")


def test_dry_run_stores_nothing(cluster: Cluster) -> None:
    status, answer = cluster.api.request("POST", f"{CUDNS}?dryRun=All", cudn("dry", OVERLAPS))
    assert (status, answer["metadata"]["annotations"]) == (201, {TRANSIT_ANNOTATION: "100.90.0.0/16"})
    assert cluster.stored("dry")[0] == 404


def test_change_of_what_is_fixed_is_refused(cluster: Cluster) -> None:
    cluster.create(cudn("fixed", "10.6.0.0/16"))
    status, answer = cluster.patch("fixed", {"spec": {"network": {"layer2": {"subnets": ["10.7.0.0/16"]}}}})
    assert status == 422
    assert 'ClusterUserDefinedNetwork.k8s.ovn.org "fixed" is invalid: spec.network' in answer["message"]
    assert cluster.stored("fixed")[1]["spec"]["network"]["layer2"]["subnets"] == ["10.6.0.0/16"]


def test_which_writes_are_asked_about(cluster: Cluster) -> None:
    both = ["/mutate", "/validate"]
    assert cluster.asked(lambda: cluster.create(cudn("asked", "10.8.0.0/16"))) == both
    released = {"metadata": {"finalizers": None}}
    with contextlib.ExitStack() as undo:
        undo.callback(cluster.patch, "asked", released)
        held = {"metadata": {"finalizers": ["k8s.ovn.org/user-defined-network-protection"]}}
        assert cluster.asked(lambda: cluster.patch("asked", held)) == []
        # advertisements select networks by their labels; a transit subnet does not depend on them
        assert cluster.asked(lambda: cluster.patch("asked", {"metadata": {"labels": {"a": "b"}}})) == ["/validate"]
        condition = {"type": "NetworkCreated", "status": "True", "reason": "R", "message": "m"}
        condition["lastTransitionTime"] = "2026-01-01T00:00:00Z"
        status = {"status": {"conditions": [condition]}}
        assert cluster.asked(lambda: cluster.patch("asked", status, subresource="/status")) == []
        assert cluster.stored("asked")[1]["status"]["conditions"] == [condition]
        assert cluster.asked(lambda: cluster.patch("asked", {"metadata": {"annotations": {"a": "b"}}})) == both
        selector = {"spec": {"namespaceSelector": {"matchLabels": {"t": "other"}}}}
        assert cluster.asked(lambda: cluster.patch("asked", selector)) == both
        assert cluster.asked(lambda: cluster.patch("asked", released)) == []
    assert cluster.asked(lambda: cluster.api.request("DELETE", f"{CUDNS}/asked")) == ["/validate"]


def test_which_attachments_are_asked_about(cluster: Cluster) -> None:
    both = ["/mutate", "/validate"]
    ours = '{"cniVersion":"1.1.0","type":"%s","name":"%s","netAttachDefName":"default/%s","topology":"layer2"}'
    other = nad("sriov", '{"cniVersion": "0.3.1", "type": "sriov"}')
    plain = nad("plain", ours % ("ovn-k8s-cni-overlay", "plain", "plain"))
    escaped = nad("escaped", ours % ("ovn-k8s-cni-\\u006fverlay", "escaped", "escaped"))
    assert cluster.asked(lambda: cluster.create(other, NADS)) == []
    assert cluster.asked(lambda: cluster.create({**other, "metadata": {"name": "empty"}, "spec": {}}, NADS)) == []
    assert cluster.asked(lambda: cluster.create(plain, NADS)) == both
    assert cluster.asked(lambda: cluster.create(escaped, NADS)) == both
    assert cluster.asked(lambda: cluster.patch("plain", {"spec": other["spec"]}, NADS)) == both


def test_no_network_changes_while_the_webhook_is_away(cluster: Cluster) -> None:
    cluster.create(cudn("present", "10.10.0.0/16"))
    cluster.stop_webhook()
    try:
        status, answer = cluster.create(cudn("absent", "10.11.0.0/16"))
        assert (status, answer["reason"]) == (500, "InternalError")
        assert 'failed calling webhook "mutate.udn.ovnguard.io"' in answer["message"]
        # ... but other attachments, finalizers and deletions do not wait for it
        assert cluster.create(nad("macvlan", '{"cniVersion": "0.3.1", "type": "macvlan"}'), NADS)[0] == 201
        assert cluster.patch("present", {"metadata": {"finalizers": ["example.com/hold"]}})[0] == 200
        assert cluster.patch("present", {"metadata": {"finalizers": None}})[0] == 200
        assert cluster.api.request("DELETE", f"{CUDNS}/present")[0] == 200
    finally:
        SelfSigned(cluster.folder, ["renewed.example"]).ensure()
        cluster.start_webhook()
    # another leaf of the registered authority
    wait_until(lambda: cluster.create(cudn("absent", "10.11.0.0/16"))[0] == 201, "the webhook is back", 60)
