"""deploy/ in force: applied by kubectl, asked by the API server through the Service, with the account's own rights.

The webhook is the process of the Deployment, with its options, outside of a pod; its Service leads to it by name.
"""

import base64
import http.client
import json
import ssl
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.network.model import TRANSIT_ANNOTATION
from tests.support.deployed.deployed import OURS, Kubectl, remove_namespace
from tests.support.deployed.in_force import CUDNS, MERGE, SECRET, Deployed, Replica, asked, cudn, overlay_applied
from tests.testbed.apiserver import ApiServer
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

pytestmark = pytest.mark.e2e
INFRASTRUCTURES = "/apis/config.openshift.io/v1/infrastructures"
GLASS = ("--as=somebody", "--as-group=ovnguard:break-glass")


class Cluster(Deployed):
    """The cluster and the one replica in it."""

    def __init__(self, api: ApiServer, kubectl: Kubectl, folder: Path) -> None:
        self.replica = Replica(api, folder)
        super().__init__(api, kubectl, folder, self.replica.port)

    def asked(self, act: Callable[[], Any]) -> list[tuple[str, str, str]]:
        return asked([self.replica], act)


@pytest.fixture(scope="module")
def cluster(apiserver: ApiServer, parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    need(parts, "kube-apiserver")
    made = Cluster(apiserver, Kubectl(parts, apiserver), tmp_path_factory.mktemp("deployed"))
    with overlay_applied(made), closing(made.replica):
        made.replica.start()
        made.until_asked()
        yield made


def test_the_authority_is_agreed_upon_through_the_api(cluster: Cluster) -> None:
    _, secret = cluster.api.request("GET", SECRET)
    bundle = secret["data"]["ca.crt"]
    assert cluster.bundles() == {bundle}
    assert b"BEGIN CERTIFICATE" in base64.b64decode(bundle)


def test_rights_are_enough(cluster: Cluster) -> None:
    """What may not be seen in other namespaces of a cluster without OpenShift is known not to be known."""
    refusals = [line for line in cluster.replica.log().splitlines() if "forbidden" in line.lower()]
    for line in refusals:
        assert "openshift-ovn-kubernetes" in line or "openshift-network-operator" in line
    trust = ssl.create_default_context(cadata=base64.b64decode(next(iter(cluster.bundles()))).decode())
    connection = http.client.HTTPSConnection("localhost", cluster.replica.port, timeout=60, context=trust)
    with closing(connection):
        connection.request("GET", "/readyz")
        assert connection.getresponse().status == 200


def test_applying_again_changes_nothing(cluster: Cluster) -> None:
    """Authority and bundles are the webhook's own to write."""
    before = (cluster.bundles(), cluster.api.request("GET", SECRET)[1]["data"])
    assert cluster.kubectl("diff", "-k", cluster.overlay).stdout == ""
    output = cluster.apply()
    assert (cluster.bundles(), cluster.api.request("GET", SECRET)[1]["data"]) == before
    changed = [line for line in output.splitlines() if not line.endswith(" unchanged")]
    # kubectl replaces the selector of a budget whatever it is; the object stays as it was, as the diff says
    assert changed == ["poddisruptionbudget.policy/ovnguard-webhook configured"]


def test_authority_rotated_by_hand(cluster: Cluster) -> None:
    """The two commands of docs/webhook.md."""
    before = cluster.bundles()
    cluster.kubectl("-n", OURS, "patch", "secret", "ovnguard-authority", "--type", "merge", "-p", '{"data":null}')
    cluster.replica.stop()
    cluster.replica.start()
    cluster.until_asked()
    after = cluster.bundles()
    assert len(after) == 1
    assert after != before


def test_kubectl_shows_our_text(cluster: Cluster) -> None:
    done = cluster.apply_object(cudn("red", "100.65.128.0/17"))
    assert done.returncode == 1
    assert 'The ClusterUserDefinedNetwork "red" is invalid: spec.network.layer2.subnets[0]: ' in done.stderr
    assert "pod or join subnet overlaps with already configured internal subnets" in done.stderr


def test_network_gets_its_transit_subnet(cluster: Cluster) -> None:
    assert cluster.apply_object(cudn("blue", "100.88.0.0/15")).returncode == 0
    _, stored = cluster.api.request("GET", f"{CUDNS}/blue")
    assert stored["metadata"]["annotations"][TRANSIT_ANNOTATION] == "100.90.0.0/16"


def test_policies_are_in_force(cluster: Cluster) -> None:
    """A policy speaks before any webhook does."""
    network = cudn("kept", "10.5.0.0/16")
    network["spec"]["network"] = {
        "topology": "Layer3",
        "layer3": {"role": "Primary", "subnets": [{"cidr": "10.5.0.0/16"}]},
    }
    cluster.post(CUDNS, network)
    no_overlay = {"transport": "NoOverlay", "noOverlayOptions": {"outboundSNAT": "Enable", "routing": "Unmanaged"}}
    change = {"spec": {"network": no_overlay}}
    status, answer = cluster.api.request("PATCH", f"{CUDNS}/kept?dryRun=All", change, MERGE)
    assert status == 422, answer
    assert "Transport is immutable" in answer["message"]


def test_status_of_the_platform_is_always_judged(cluster: Cluster) -> None:
    infrastructure = {
        "apiVersion": "config.openshift.io/v1",
        "kind": "Infrastructure",
        "metadata": {"name": "cluster"},
        "spec": {},
    }
    cluster.post(INFRASTRUCTURES, infrastructure)
    status = {"status": {"infrastructureName": "a"}}
    asked = cluster.asked(lambda: cluster.patch(f"{INFRASTRUCTURES}/cluster/status", status))
    assert asked == [("/validate", "UPDATE", "status")]
    labels = {"metadata": {"labels": {"a": "b"}}}
    assert cluster.asked(lambda: cluster.patch(f"{INFRASTRUCTURES}/cluster", labels)) == []
    cluster.api.request("DELETE", f"{INFRASTRUCTURES}/cluster")


def test_what_is_never_asked_about(cluster: Cluster) -> None:
    data = {"zone-mode": "multizone", "fast-forward-to-multizone": ""}

    def config_map(namespace: str, name: str) -> Callable[[], None]:
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
        return lambda: cluster.post(f"/api/v1/namespaces/{namespace}/configmaps?dryRun=All", obj)

    name = "ovn-interconnect-configuration"
    place = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "openshift-ovn-kubernetes"}}
    cluster.post("/api/v1/namespaces", place)
    try:
        assert cluster.asked(config_map("default", name)) == []
        assert cluster.asked(config_map("openshift-ovn-kubernetes", "other")) == []
        assert cluster.asked(config_map("openshift-ovn-kubernetes", name)) == [
            ("/mutate", "CREATE", ""),
            ("/validate", "CREATE", ""),
        ]
    finally:
        remove_namespace(cluster.api, "openshift-ovn-kubernetes")
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "deployed"}}
    assert cluster.asked(lambda: cluster.post("/api/v1/nodes", node)) == [("/validate", "CREATE", "")]
    heartbeat = {
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        "metadata": {"annotations": {"a": "b"}},
    }
    assert cluster.asked(lambda: cluster.patch("/api/v1/nodes/deployed/status", heartbeat)) == []
    zone = {"metadata": {"annotations": {"k8s.ovn.org/zone-name": "deployed"}}}
    assert cluster.asked(lambda: cluster.patch("/api/v1/nodes/deployed/status", zone)) == [
        ("/validate", "UPDATE", "status")
    ]
    gone = {"metadata": {"annotations": {"k8s.ovn.org/zone-name": None}}}
    assert cluster.asked(lambda: cluster.patch("/api/v1/nodes/deployed", gone)) == [("/validate", "UPDATE", "")]
    cluster.api.request("DELETE", "/api/v1/nodes/deployed")


def test_only_our_own_annotations_pass_unasked(cluster: Cluster) -> None:
    """The group stands for rights that the overlay does not give; what counts is the name."""
    cluster.post(CUDNS, cudn("recorded", "10.95.0.0/16"))
    ours = ("--as=system:serviceaccount:ovnguard-system:ovnguard-reconciler-cluster", "--as-group=system:masters")
    somebody = ("--as=somebody", "--as-group=system:masters")

    def patching(user: tuple[str, ...], change: dict[str, Any]) -> Callable[[], Any]:
        flags = ("patch", "clusteruserdefinednetwork", "recorded", "--type", "merge", "-p", json.dumps(change))
        return lambda: cluster.kubectl(*flags, *user, check=False)

    def annotations(number: str, **others: str) -> dict[str, Any]:
        return {"metadata": {"annotations": {"ovnguard.io/network-id": number, **others}}}

    assert cluster.asked(patching(ours, annotations("7"))) == []
    assert cluster.asked(patching(somebody, annotations("8"))) != []
    assert cluster.asked(patching(ours, annotations("9", other="x"))) != []
    assert cluster.asked(patching(ours, {"metadata": {"labels": {"a": "b"}}})) != []
    change = {"spec": {"namespaceSelector": {"matchLabels": {"t": "other"}}}}
    assert cluster.asked(patching(ours, change)) != []
    cluster.api.request("DELETE", f"{CUDNS}/recorded")


def test_the_label_that_exempts_is_guarded(cluster: Cluster) -> None:
    """Who may write namespaces may not exempt them; who has the verb may."""
    role: dict[str, Any] = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "labels-namespaces"},
        "rules": [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get", "create", "patch", "update"]}],
    }
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "labeller"}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "labels-namespaces"}
    binding = {**role, "kind": "ClusterRoleBinding", "roleRef": reference, "subjects": [subject]}
    del binding["rules"]
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    cluster.post(f"{rbac}/clusterroles", role)
    cluster.post(f"{rbac}/clusterrolebindings", binding)
    cluster.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "guarded"}})

    def label(text: str) -> str:
        return cluster.kubectl("label", "namespace", "guarded", text, "--as=labeller", check=False).stderr

    try:
        refused = 'the label ovnguard.io/exempt needs permission for the verb "exempt" on this namespace'
        wait_until(lambda: refused in label("ovnguard.io/exempt="), "the policy is in force", 60)
        assert label("other=x") == ""
        role["rules"][0]["verbs"].append("exempt")
        assert cluster.api.request("PUT", f"{rbac}/clusterroles/labels-namespaces", role)[0] == 200
        wait_until(lambda: label("ovnguard.io/exempt=") == "", "the verb is granted", 60)
        assert label("other-") == ""
    finally:
        remove_namespace(cluster.api, "guarded")
        cluster.api.request("DELETE", f"{rbac}/clusterroles/labels-namespaces")
        cluster.api.request("DELETE", f"{rbac}/clusterrolebindings/labels-namespaces")


def test_services_are_asked_about_when_they_balance(cluster: Cluster) -> None:
    def service(kind: str) -> Callable[[], None]:
        obj = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}
        spec = {"type": kind, "ports": [{"port": 80}], "selector": {"a": "b"}}
        return lambda: cluster.post("/api/v1/namespaces/default/services?dryRun=All", {**obj, "spec": spec})

    assert cluster.asked(service("ClusterIP")) == []
    assert cluster.asked(service("LoadBalancer")) == [("/validate", "CREATE", "")]


def test_an_outage_of_the_webhook_does_not_lock_the_cluster(cluster: Cluster) -> None:
    cluster.post(CUDNS, cudn("present", "10.6.0.0/16"))
    cluster.replica.stop()
    try:
        _check_outage(cluster)
    finally:
        cluster.replica.start()
    cluster.until_asked()


def _check_outage(cluster: Cluster) -> None:
    done = cluster.apply_object(cudn("absent", "10.7.0.0/16"))
    assert 'failed calling webhook "mutate.udn.ovnguard.io"' in done.stderr
    # who breaks the glass, for one request
    assert cluster.apply_object(cudn("absent", "10.7.0.0/16"), *GLASS).returncode == 0
    # what is of others, what repairs, what ends
    attachments = "/apis/k8s.cni.cncf.io/v1/namespaces/default/network-attachment-definitions"
    config = json.dumps({"cniVersion": "1.1.0", "type": "ovn-k8s-cni-overlay", "name": "n", "topology": "layer2"})
    attachment = {"apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition", "metadata": {"name": "n"}}
    cluster.post(f"{attachments}?dryRun=All", {**attachment, "spec": {"config": config}})
    cluster.post("/api/v1/nodes?dryRun=All", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})
    space = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "exempt", "labels": {"ovnguard.io/exempt": ""}},
    }
    cluster.post("/api/v1/namespaces", space)
    cluster.patch(f"{CUDNS}/present", {"metadata": {"finalizers": ["example.com/hold"]}})
    cluster.patch(f"{CUDNS}/present", {"metadata": {"finalizers": None}})
    assert cluster.api.request("DELETE", f"{CUDNS}/present")[0] == 200
    # a namespace that is passed over
    layer2 = {"role": "Secondary", "subnets": ["10.8.0.0/16"]}
    network = {"apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork", "metadata": {"name": "n"}}
    network["spec"] = {"topology": "Layer2", "layer2": layer2}
    networks = "/apis/k8s.ovn.org/v1/namespaces/%s/userdefinednetworks?dryRun=All"
    cluster.post(networks % "exempt", network)
    assert cluster.api.request("POST", networks % "default", network)[0] == 500
    remove_namespace(cluster.api, "exempt")
    # and the last resort
    for kind in ("validatingwebhookconfiguration", "mutatingwebhookconfiguration"):
        cluster.kubectl("delete", kind, "ovnguard")
    wait_until(lambda: cluster.api.request("POST", networks % "default", network)[0] == 201, "nobody is asked", 60)
    cluster.apply()


def test_metrics_of_the_api_server_are_those_of_the_alerts(cluster: Cluster) -> None:
    """Names and labels that alerts and dashboard read, from a server that has met an outage."""
    cluster.replica.stop()
    try:
        cluster.apply_object(cudn("unasked", "10.9.0.0/16"))
        cluster.post("/api/v1/nodes?dryRun=All", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})
    finally:
        cluster.replica.start()
    _, text = cluster.api.request("GET", "/metrics")
    counted = "apiserver_admission_webhook_"
    assert f'{counted}rejection_count{{error_type="calling_webhook_error",name="mutate.udn.ovnguard.io"' in text
    assert f'{counted}fail_open_count{{name="nodes.validate.ovnguard.io"' in text
    cluster.until_asked()
