"""A cluster of two nodes without a kubelet: API server, webhook, leader and zones with their own accounts, real OVN.

The bed writes only what kubelets, the scheduler and ovnkube-node would: Nodes with their chassis and gateway, Pods with
a node. It plugs a machine into a port as the CNI plugin does, from the record of its pod.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from ovnguard.reconciler.plan.rows.names import pod_port
from ovnguard.validators.base.json_types import JsonObject
from tests.support.deployed.deployed import remove_namespace
from tests.support.deployed.installed import installed
from tests.support.deployed.running import (
    ACCOUNTS,
    NAMESPACES,
    NODES,
    OPERATOR,
    as_deployed,
    bound_to,
    kubeconfig_of,
    remove_traces,
)
from tests.support.lab.wire import OUTSIDE4, LabFactory
from tests.testbed.apiserver import ApiServer
from tests.testbed.endpoint import Endpoint
from tests.testbed.ovnlab import OvnLab
from tests.testbed.ovs import NodeSpec
from tests.testbed.process import Child, wait_until

PROGRAM = Path(sys.executable).parent / "ovnguard-reconciler"
ZONE, LEADER = "ovnguard-reconciler", "ovnguard-reconciler-cluster"
CUDNS = "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks"
NADS = "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions"
RECORD: Final = "k8s.ovn.org/pod-networks"
MEMBERS: Final = ("node1", "node2")
WAIT: Final = 100.0
MERGE = "application/merge-patch+json"


def spec_of(name: str) -> NodeSpec:
    """The machine of a node."""
    number = int(name.removeprefix("node")) + 1
    return NodeSpec(name, f"chassis-{name}", f"02:42:ac:12:00:{number:02x}", (f"172.18.0.{number}/16",))


def written_by_ovnkube_node(name: str, bridge: str = "breth0") -> dict[str, str]:
    """The annotations of a Node that ovnkube-node writes and ovnguard needs."""
    spec = spec_of(name)
    gateway = {
        "mode": "shared",
        "bridge-id": bridge,
        "interface-id": f"{bridge}_{name}",
        "mac-address": spec.mac,
        "ip-addresses": list(spec.addresses),
        "next-hops": [OUTSIDE4],
        "node-port-enable": "true",
    }
    texts = {"node-chassis-id": spec.chassis, "l3-gateway-config": json.dumps({"default": gateway})}
    return {f"k8s.ovn.org/{key}": text for key, text in texts.items()}


def node(name: str) -> JsonObject:
    """A Node with what ovnkube-node writes, and without a number."""
    address = {"k8s.ovn.org/node-primary-ifaddr": json.dumps({"ipv4": spec_of(name).addresses[0]})}
    annotations = written_by_ovnkube_node(name) | address
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "annotations": annotations}}


def network(name: str, subnet: str, share: int = 0) -> JsonObject:
    """A primary network of the namespace ``name``: Layer3 where nodes have a ``share``, else Layer2."""
    listed = [{"cidr": subnet, "hostSubnet": share}] if share else [subnet]
    block = {"role": "Primary", "subnets": listed}
    spec: JsonObject = {"topology": "Layer3", "layer3": block} if share else {"topology": "Layer2", "layer2": block}
    selector = {"matchLabels": {"kubernetes.io/metadata.name": name}}
    kind = {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork"}
    return {**kind, "metadata": {"name": name}, "spec": {"namespaceSelector": selector, "network": spec}}


class FirstPods:
    """The cluster under test."""

    def __init__(self, api: ApiServer, lab: OvnLab, folder: Path) -> None:
        self.api, self.lab, self.folder = api, lab, folder
        self.children: list[Child] = []
        # the tokens of the zones, by node
        self.bound: dict[str, Path] = {}

    def start(self, name: str, kubeconfig: Path, *options: str) -> None:
        """Start a process of ours in mode own."""
        argv: list[str | Path] = [PROGRAM, *options, "--mode", "own", "--kubeconfig", kubeconfig]
        self.children.append(Child(name, [*argv, "--log-format", "json"], self.folder / f"{name}.log"))

    def begin(self, *options: str, zones: Sequence[str] = MEMBERS) -> None:
        """Start the leader and the zones, each with its account."""
        self.start("leader", kubeconfig_of(self.api, self.folder, LEADER), "cluster", *options)
        for name in zones:
            self.begin_zone(name, *options)

    def begin_zone(self, name: str, *options: str) -> None:
        """Start the process of a node."""
        place = ("--node", name, "--nb-db", self.lab[name].zone.nb, "--report", "ovnguard-system")
        self.bound[name] = self.bound.get(name) or bound_to(self.api, self.folder, name)
        self.start(name, self.bound[name], "run", *place, *options)

    def stop(self) -> None:
        """Stop all processes."""
        for child in self.children:
            child.stop()
        self.children = []

    def log(self, name: str) -> list[JsonObject]:
        """What a process logged."""
        return [json.loads(line) for line in (self.folder / f"{name}.log").read_text("utf-8").splitlines()]

    def decisions(self) -> list[JsonObject]:
        """What the webhook decided, without the requests of the bed that find out whether it is asked."""
        lines = (self.folder / "webhook" / "log").read_text("utf-8").splitlines()
        found = [json.loads(line) for line in lines if line.endswith("}")]
        return [each for each in found if each.get("message") == "decision" and each.get("name") != "probe"]

    def create(self, path: str, obj: JsonObject) -> None:
        """Create an object, which succeeds."""
        status, answer = self.api.request("POST", path, obj)
        assert status == 201, answer

    def get(self, path: str) -> JsonObject:
        """An object that exists."""
        status, answer = self.api.request("GET", path)
        assert status == 200, answer
        return dict(answer)

    def until(self, done: Any, what: str) -> None:
        """Wait while all processes live."""
        wait_until(done, what, WAIT, self.children)

    def space(self, name: str, *, primary: bool = True) -> None:
        """A namespace, with the label for a primary network."""
        labels = {"k8s.ovn.org/primary-user-defined-network": ""} if primary else {}
        self.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})

    def bind(self, namespace: str, name: str, node: str) -> None:
        """A Pod that the scheduler has bound to a node."""
        spec = {"nodeName": node, "containers": [{"name": "main", "image": "none"}]}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
        self.create(f"{NAMESPACES}/{namespace}/pods", pod)

    def record(self, namespace: str, name: str) -> Mapping[str, Any]:
        """What the pod records."""
        metadata = self.get(f"{NAMESPACES}/{namespace}/pods/{name}")["metadata"]
        return dict(json.loads(metadata.get("annotations", {}).get(RECORD, "{}")))

    def plugged(self, namespace: str, name: str, attachment: str) -> Endpoint:
        """The machine in a pod, behind its port in the network of ``attachment``, once both are there."""
        self.until(lambda: attachment in self.record(namespace, name), f"the record of {namespace}/{name}")
        pod = self.get(f"{NAMESPACES}/{namespace}/pods/{name}")
        entry, node = self.record(namespace, name)[attachment], pod["spec"]["nodeName"]
        port = pod_port(attachment, namespace, name)
        zone = self.lab[node].zone
        listed = ("--bare", "--columns=name", "list", "Logical_Switch_Port")
        self.until(lambda: port in zone.nbctl(*listed).split(), f"the port {port}")
        place = (f"{namespace}-{name}", node, port, entry["mac_address"], entry["ip_addresses"], entry["gateway_ips"])
        machine = self.lab.pod(*place, version=pod["metadata"]["uid"])
        self.lab[node].wait_up(port)
        return machine


@contextmanager
def first_pods(
    api: ApiServer, ovn_lab: LabFactory, folder: Path, *options: str, zones: Sequence[str] = MEMBERS
) -> Iterator[FirstPods]:
    """The cluster with its nodes, webhook, leader and ``zones``; namespaces and networks come later."""
    with ExitStack() as undo:
        undo.callback(remove_traces, api)
        undo.enter_context(installed(api, folder / "webhook"))
        lab = ovn_lab([spec_of(name) for name in MEMBERS], (f"{OUTSIDE4}/16",))
        made = FirstPods(api, lab, folder)
        undo.callback(clear, api)
        as_deployed(api, folder, LEADER, *ACCOUNTS)
        made.create(OPERATOR, operator())
        for name in MEMBERS:
            made.create(NODES, node(name))
            addresses = [{"type": "InternalIP", "address": spec_of(name).ips[0]}]
            status, answer = api.request("PATCH", f"{NODES}/{name}/status", {"status": {"addresses": addresses}}, MERGE)
            assert status == 200, answer
        undo.callback(made.stop)
        made.begin(*options, zones=zones)
        yield made


def operator() -> JsonObject:
    """The operator's Network: subnets of pods and services."""
    spec = {
        "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
        "serviceNetwork": ["172.30.0.0/16"],
        "defaultNetwork": {"type": "OVNKubernetes", "ovnKubernetesConfig": {"mtu": 1400}},
    }
    kind = {"apiVersion": "operator.openshift.io/v1", "kind": "Network"}
    return {**kind, "metadata": {"name": "cluster"}, "spec": spec}


def clear(api: ApiServer) -> None:
    """Delete what a test made, though nobody removes finalizers any more."""
    for path in (NADS, CUDNS):
        for obj in api.request("GET", path)[1].get("items", ()):
            root, _, plural = path.rpartition("/")
            metadata = obj["metadata"]
            place = f"{root}/namespaces/{metadata['namespace']}/{plural}" if "namespace" in metadata else path
            api.request("PATCH", f"{place}/{metadata['name']}", {"metadata": {"finalizers": None}}, MERGE)
            api.request("DELETE", f"{place}/{metadata['name']}")
    for path in (OPERATOR, NODES):
        for obj in api.request("GET", path)[1].get("items", ()):
            api.request("DELETE", f"{path}/{obj['metadata']['name']}")
    for name in ("wide", "flat", "plain"):
        if api.request("GET", f"{NAMESPACES}/{name}")[0] == 200:
            remove_namespace(api, name)
