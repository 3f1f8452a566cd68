"""Ids of Nodes with deploy/ in force: who may remove one, and what a Node gets that joins with pods of its own.

The overlay, the webhook and the leader run with the rights of their accounts; kubelets are users of the group that a
cluster gives them.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import MERGE_PATCH, ApiStatusError, ClusterOptions
from ovnguard.validators.cluster.kubernetes_client import connect
from tests.support.deployed.deployed import OURS, PLACES, Kubectl, namespaces
from tests.support.deployed.in_force import CUDNS, MERGE, Deployed, Replica, cudn, overlay_applied
from tests.support.deployed.running import NODES, OPERATOR, PROGRAM, bound_to, discard, kubeconfig_of
from tests.testbed.apiserver import ApiServer
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts
from tests.testbed.process import Child, wait_until

pytestmark = pytest.mark.e2e
LEADER = "ovnguard-reconciler-cluster"
ID, SUBNETS, VERSION = (f"k8s.ovn.org/{key}" for key in ("node-id", "node-subnets", "layer2-topology-version"))
NODE, JOINING = "nodes-a", "nodes-b"
TENANTS = "nodes-tenants"
PODS = f"/api/v1/namespaces/{TENANTS}/pods"
BINDINGS, ROLES = (f"/apis/rbac.authorization.k8s.io/v1/{kind}" for kind in ("clusterrolebindings", "clusterroles"))
REFUSAL = (
    "only the leader of ovnguard removes k8s.ovn.org/node-id; a Node that is deleted and made again gets another one"
)
WITHOUT: JsonObject = {"metadata": {"annotations": {ID: None}}}
NO_ANNOTATIONS: JsonObject = {"metadata": {"annotations": None}}
KUBELET = ("--as=system:node:{node}", "--as-group=system:nodes", "--as-group=system:authenticated")
TENANT = ("--as=tenant", "--as-group=system:authenticated")
LABELLER = ("--as=labeller", "--as-group=system:authenticated")


class Cluster(Deployed):
    """The cluster, the one replica of the webhook, and a leader."""

    def __init__(self, api: ApiServer, kubectl: Kubectl, folder: Path) -> None:
        self.replica = Replica(api, folder)
        super().__init__(api, kubectl, folder, self.replica.port, ["own"])

    def create(self, obj: JsonObject, path: str) -> None:
        status, answer = self.api.request("POST", path, obj)
        assert status == 201, answer

    def patch_as(self, user: tuple[str, ...], change: JsonObject, *flags: str) -> str:
        """What kubectl objects to a change of the Node by a user."""
        named = [each.format(node=NODE) for each in user]
        patch = ("patch", "node", NODE, "--type=merge", "-p", json.dumps(change))
        return self.kubectl(*patch, *named, *flags, check=False).stderr

    def objection(self, kubeconfig: Path, change: JsonObject, subresource: str = "") -> str:
        """What the API server objects to a change of the Node by an account."""
        client = connect(ClusterOptions(str(kubeconfig), None, "test"))
        try:
            client.request("PATCH", f"{NODES}/{NODE}{subresource}", {}, change, MERGE_PATCH)
        except ApiStatusError as error:
            return str(error)
        return ""

    def notes(self, node: str) -> dict[str, str]:
        status, found = self.api.request("GET", f"{NODES}/{node}")
        assert status == 200, found
        return dict(found["metadata"].get("annotations", {}))

    def number(self) -> None:
        """Give the Node its id, as the leader does."""
        change = {"metadata": {"annotations": {ID: "7", VERSION: "2.0"}}}
        assert self.api.request("PATCH", f"{NODES}/{NODE}", change, MERGE)[0] == 200


def permitting(name: str, verb: str) -> JsonObject:
    rules = [{"apiGroups": [""], "resources": ["nodes", "nodes/status"], "verbs": [verb]}]
    kind = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole"}
    return {**kind, "metadata": {"name": name}, "rules": rules}


def granted(name: str, role: str, subject: JsonObject) -> JsonObject:
    named = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}
    kind = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding"}
    subject = {"apiGroup": "rbac.authorization.k8s.io", **subject}
    return {**kind, "metadata": {"name": name}, "roleRef": named, "subjects": [subject]}


@pytest.fixture(scope="module")
def cluster(apiserver: ApiServer, parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    need(parts, "kube-apiserver")
    made = Cluster(apiserver, Kubectl(parts, apiserver), tmp_path_factory.mktemp("nodes"))
    spaces = [{"metadata": {"name": name}} for name in PLACES - {OURS}]
    labels = {"t": "nodes-blue", "k8s.ovn.org/primary-user-defined-network": ""}
    everybody = {"kind": "Group", "name": "system:authenticated"}
    with ExitStack() as undo:
        undo.enter_context(namespaces(apiserver, [*spaces, {"metadata": {"name": TENANTS, "labels": labels}}]))
        undo.enter_context(overlay_applied(made))
        undo.callback(clear, apiserver)
        for path, obj in (
            # kubectl reads what it patches
            (ROLES, permitting("nodes-reader", "get")),
            (BINDINGS, granted("nodes-reader", "nodes-reader", everybody)),
            (ROLES, permitting("nodes-labeller", "patch")),
            (BINDINGS, granted("nodes-labeller", "nodes-labeller", {"kind": "User", "name": "labeller"})),
            (BINDINGS, granted("nodes-kubelets", "system:node", {"kind": "Group", "name": "system:nodes"})),
            (NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}}),
        ):
            made.create(obj, path)
        undo.callback(made.replica.close)
        made.replica.start()
        made.until_asked()
        yield made


def clear(api: ApiServer) -> None:
    for path in (CUDNS, OPERATOR, NODES, PODS):
        for item in api.request("GET", path)[1].get("items", ()):
            discard(api, f"{path}/{item['metadata']['name']}?gracePeriodSeconds=0", item)
    for name in ("reader", "labeller", "kubelets"):
        for path in (ROLES, BINDINGS):
            api.request("DELETE", f"{path}/nodes-{name}")


@pytest.fixture
def numbered(cluster: Cluster) -> Cluster:
    """The policy is in force, and the Node has an id."""
    cluster.number()
    wait_until(lambda: REFUSAL in cluster.patch_as((), WITHOUT, "--dry-run=server"), "the policy is in force", 60)
    return cluster


@pytest.mark.parametrize("subresource", [(), ("--subresource=status",)], ids=["node", "status"])
@pytest.mark.parametrize("change", [WITHOUT, NO_ANNOTATIONS], ids=["the id", "all annotations"])
@pytest.mark.parametrize("user", [KUBELET, LABELLER, ()], ids=["kubelet", "labeller", "administrator"])
def test_who_may_change_a_node_does_not_remove_its_id(
    numbered: Cluster, user: tuple[str, ...], change: JsonObject, subresource: tuple[str, ...]
) -> None:
    assert REFUSAL in numbered.patch_as(user, change, *subresource)
    assert numbered.notes(NODE)[ID] == "7"
    # what does not concern the id is theirs
    assert numbered.patch_as(user, {"metadata": {"annotations": {"note": str(subresource)}}}, *subresource) == ""


def test_a_tenant_changes_no_node(numbered: Cluster) -> None:
    text = 'User "tenant" cannot patch resource "nodes" in API group "" at the cluster scope'
    assert text in numbered.patch_as(TENANT, WITHOUT)


def test_a_zone_removes_no_id_of_its_own_node(numbered: Cluster) -> None:
    zone = bound_to(numbered.api, numbered.folder, NODE)
    refusal = numbered.objection(zone, WITHOUT)
    assert REFUSAL in refusal or f"records nothing on its Node but {VERSION}" in refusal, refusal
    assert 'cannot patch resource "nodes/status"' in numbered.objection(zone, WITHOUT, "/status")
    assert numbered.notes(NODE)[ID] == "7"


def test_the_leader_removes_an_id(numbered: Cluster) -> None:
    leader = kubeconfig_of(numbered.api, numbered.folder, LEADER)
    assert numbered.objection(leader, WITHOUT) == ""
    assert ID not in numbered.notes(NODE)


@pytest.fixture
def leading(cluster: Cluster) -> Iterator[Callable[[Callable[[], Any], str], None]]:
    """The leader runs; wait for what it does."""
    kubeconfig = kubeconfig_of(cluster.api, cluster.folder, LEADER)
    argv: list[str | Path] = [PROGRAM, "cluster", "--mode", "own", "--kubeconfig", kubeconfig, "--log-format", "json"]
    with Child("leader", argv, cluster.folder / "leader.log") as child:
        yield lambda done, what: wait_until(done, what, 100, [child])


def test_a_node_that_joins_and_returns_with_a_pod_gets_its_numbers(
    cluster: Cluster, leading: Callable[[Callable[[], Any], str], None]
) -> None:
    default = {"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}], "serviceNetwork": ["172.30.0.0/16"]}
    ovn = {"defaultNetwork": {"type": "OVNKubernetes", "ovnKubernetesConfig": {"mtu": 1400}}}
    kind = {"apiVersion": "operator.openshift.io/v1", "kind": "Network"}
    cluster.create({**kind, "metadata": {"name": "cluster"}, "spec": {**default, **ovn}}, OPERATOR)
    cluster.create(cudn("nodes-blue", "10.90.0.0/16"), CUDNS)
    spec = {"nodeName": JOINING, "containers": [{"name": "main", "image": "none"}]}
    # a DaemonSet's pod may be bound to the node before the leader sees the Node
    cluster.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "agent"}, "spec": spec}, PODS)
    node = cluster.manifest({"apiVersion": "v1", "kind": "Node", "metadata": {"name": JOINING}})
    kubelet = [each.format(node=JOINING) for each in KUBELET]
    for attempt in ("joins", "returns"):
        cluster.kubectl("create", "-f", node, *kubelet)
        leading(
            lambda: {ID, SUBNETS, VERSION} <= cluster.notes(JOINING).keys(), f"the numbers of a node that {attempt}"
        )
        notes = cluster.notes(JOINING)
        assert (notes[VERSION], json.loads(notes[SUBNETS]).keys()) == ("2.0", {"default"})
        assert int(notes[ID]) > 1
        assert cluster.api.request("DELETE", f"{NODES}/{JOINING}")[0] == 200
    user = f"system:serviceaccount:{OURS}:{LEADER}"
    denied = [line for line in cluster.replica.decisions() if line.get("user") == user and not line["allowed"]]
    assert denied == []
    log = (cluster.folder / "leader.log").read_text(encoding="utf-8")
    assert [line for line in log.splitlines() if "cannot record" in line and JOINING in line] == []
