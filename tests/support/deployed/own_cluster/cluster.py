"""A whole cluster without OVN-Kubernetes: the overlay `own` on a real API server, with everything that it runs.

Two replicas of the webhook behind a balancer, two leaders and a zone for each node run with the options, accounts,
rights and policies of the overlay. Nodes are machines with real OVN, Open vSwitch and FRR. kwok plays the kubelets, and
kube-controller-manager removes namespaces and dependants and writes EndpointSlices; all else that the bed writes is in
`permitted_writes`.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple, Self
from urllib.parse import urlsplit

from ovnguard import crd_schemas
from ovnguard.reconciler.apply.kube_report import KEY as REPORT_KEY
from tests.support.deployed.audit_log import audited
from tests.support.deployed.balancer import Balancer
from tests.support.deployed.deployed import Kubectl
from tests.support.deployed.first_pod import RECORD, spec_of, written_by_ovnkube_node
from tests.support.deployed.in_force import Deployed, Replica, bundler, published_address, start_together
from tests.support.deployed.installed import create_crd
from tests.support.deployed.own_cluster.machines import Machines
from tests.support.deployed.own_cluster.permitted_writes import REQUESTED, Author
from tests.support.deployed.own_cluster.processes import Processes
from tests.support.deployed.own_cluster.watcher import Watcher
from tests.support.deployed.proxy import Proxy
from tests.support.deployed.running import NAMESPACES, NODES, OPERATOR, OURS
from tests.testbed.controller_manager import ControllerManager
from tests.testbed.endpoint import Endpoint
from tests.testbed.kwok_controller import Kwok
from tests.testbed.ovs import EXTERNAL
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

CUDNS: Final = "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks"
LEADERS: Final = ("leader-a", "leader-b")
FRR_NAMESPACE: Final = "frr-k8s-system"
WAIT: Final = 180.0
_SUBNETS: Final = "k8s.ovn.org/node-subnets"
_NOT_YET: Final = 500
_STARTING: Final = 429
"""What an API server answers for a moment after its start."""


class Placed(NamedTuple):
    """A pod on a node; ``network`` is the attachment that its machine is plugged into."""

    namespace: str
    name: str
    node: str
    network: str
    is_requested: bool = False


def addresses_of(record: dict[str, Any]) -> dict[str, Any]:
    """The fields of a Pod's status with its addresses: those of the default network."""
    found = [each.partition("/")[0] for each in record.get("default", {}).get("ip_addresses", [])]
    return {"podIP": found[0], "podIPs": [{"ip": each} for each in found]} if found else {}


class OwnCluster:
    """The cluster while the context lasts. ``names`` are machines; a node joins by `join`."""

    def __init__(self, parts: Parts, names: tuple[str, ...], folder: Path) -> None:
        self.parts, self.names, self.folder = parts, names, folder
        self.pods: dict[tuple[str, str], tuple[str, Endpoint]] = {}
        """The network and the machine of each pod that is plugged in, by namespace and name."""
        self.services: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {}
        """The client and the only server of each service that is used, by its address."""
        self._undo = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as undo:
            self.machines = undo.enter_context(Machines(self.parts, self.names, self._new("machines")))
            self.api = undo.enter_context(audited(self.folder / "audited", self.parts))
            self._door = Proxy(urlsplit(self.api.url).port or 443)
            undo.callback(self._door.close)
            self._door.kubeconfig(self.api.kubeconfig, self.api.kubeconfig)
            self.watcher = Watcher(self.api)
            undo.callback(self.watcher.stop)
            self.authors = {
                name: Author(self.api, name)
                for name in ("kubelet", "scheduler", "ovnkube-node", "controller-manager", "administrator", "tenant")
            }
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    def _new(self, name: str) -> Path:
        (self.folder / name).mkdir()
        return self.folder / name

    # what somebody who installs ovnguard does

    def install(self, operator: dict[str, Any], *options: str, stages: Sequence[dict[str, Any]] = ()) -> None:
        """Make what the overlay needs and apply it; return when all processes run and the webhook is asked.

        Args:
            operator: the network operator's Network.
            options: more of leaders and zones.
            stages: of pods, for kwok; without any, kwok lets pods run.
        """
        for definition in crd_schemas.crds("released").values():
            create_crd(self.api, definition)
        wait_until(lambda: self.api.request("GET", CUDNS)[0] == 200, "networks are served", WAIT)
        wait_until(lambda: self.api.request("GET", OPERATOR)[0] == 200, "the operator's kind is served", WAIT)
        self.watcher.start()
        self.space(FRR_NAMESPACE)
        self.replicas = [Replica(self.api, self.folder / name) for name in ("one", "two")]
        self.balancer = self._undo.enter_context(Balancer([replica.port for replica in self.replicas]))
        kubectl = Kubectl(self.parts, self.api)
        self.deployed = Deployed(self.api, kubectl, self._new("overlay"), self.balancer.port, overlay="own")
        self._undo.enter_context(published_address(self.api))
        self.deployed.apply()
        self._undo.enter_context(bundler(self.api, self.deployed.folder))
        for replica in self.replicas:
            self._undo.callback(replica.kill)
        start_together(self.replicas)
        self.deployed.until_asked()
        wait_until(lambda: self._has_accepted(operator), "both replicas know the cluster", WAIT)
        kwok = Kwok(self.parts.kwok, self.api.kubeconfig, self.folder / "kwok", stages)
        self.kwok = self._undo.enter_context(kwok).child
        if self.parts.kube_controller_manager.reason is None:
            folder = self.folder / "controllers"
            self._undo.enter_context(ControllerManager(self.parts.kube_controller_manager, self.api, folder))
        self.processes = Processes(self.api, self.parts, self.machines, self._new("processes"))
        self._undo.callback(self.processes.close)
        self.processes.options = options
        for name in LEADERS:
            self.processes.lead(name)

    def _has_accepted(self, operator: dict[str, Any]) -> bool:
        """Whether the operator's Network is created: a replica that starts has not seen the whole cluster yet."""
        answer = self.authors["administrator"].send("POST", OPERATOR, operator, (201, _NOT_YET))
        return bool(answer["kind"] == operator["kind"])

    def restart_api_server(self) -> None:
        """Kill the API server and start it again, at the same address for everybody."""
        self.api.restart()
        self._door.target = urlsplit(self.api.url).port or 443
        self._door.kubeconfig(self.api.kubeconfig, self.api.kubeconfig)
        self.processes.moved()

    # what others of a cluster write

    def write(self, author: str, verb: str, path: str, body: Any = None) -> dict[str, Any]:
        """One permitted request, which succeeds."""
        return self.authors[author].send(verb, path, body)

    def get(self, path: str) -> dict[str, Any]:
        """An object or list that exists."""
        found: list[dict[str, Any]] = []

        def asked() -> bool:
            status, answer = self.api.request("GET", path)
            assert status in (200, _STARTING), answer
            found.append(answer)
            return bool(status == 200)

        wait_until(asked, path, WAIT)
        return found[-1]

    def space(self, name: str, *, primary: bool = False, **labels: str) -> None:
        """A namespace; with the label that a primary network of its own needs."""
        own = {"k8s.ovn.org/primary-user-defined-network": ""} if primary else {}
        metadata = {"name": name, "labels": labels | own}
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
        self.write("administrator", "POST", NAMESPACES, body)

    def join(self, node: str) -> None:
        """A node joins: its kubelet registers it, ovnkube-node writes what it does, and its Pod of the zone starts."""
        self.register(node)
        self.equip(node)
        self.processes.join(node)

    def register(self, node: str) -> None:
        """Make a Node."""
        metadata = {"name": node, "labels": {"kubernetes.io/hostname": node}}
        self.write("kubelet", "POST", NODES, {"apiVersion": "v1", "kind": "Node", "metadata": metadata})

    def equip(self, node: str) -> None:
        """What its kubelet and ovnkube-node write on a Node."""
        addresses = [{"type": "InternalIP", "address": spec_of(node).ips[0]}]
        self.write("kubelet", "PATCH", f"{NODES}/{node}/status", {"status": {"addresses": addresses}})
        annotations = written_by_ovnkube_node(node, EXTERNAL)
        self.write("ovnkube-node", "PATCH", f"{NODES}/{node}", {"metadata": {"annotations": annotations}})

    def run_pods(self, *placed: Placed, author: str = "tenant") -> None:
        """Pods are created, bound and plugged in, and have their addresses."""
        for each in placed:
            self.create_pod(each, author)
            self.bind(each.namespace, each.name, each.node)
        for each in placed:
            self.plug(each.namespace, each.name, each.network)
        for each in placed:
            self.address(each.namespace, each.name)

    def create_pod(self, placed: Placed, author: str) -> None:
        """A pod that is not bound; it requests a network that it does not have anyway."""
        namespace, name = placed.namespace, placed.name
        annotations = {REQUESTED: placed.network} if placed.is_requested else {}
        metadata = {"name": name, "namespace": namespace, "labels": {"app": name}, "annotations": annotations}
        spec = {"containers": [{"name": "main", "image": "none"}], "terminationGracePeriodSeconds": 0}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
        self.write(author, "POST", f"{NAMESPACES}/{namespace}/pods", pod)

    def bind(self, namespace: str, name: str, node: str) -> None:
        """The scheduler's decision."""
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target}
        self.write("scheduler", "POST", f"{NAMESPACES}/{namespace}/pods/{name}/binding", binding)

    def record(self, namespace: str, name: str) -> dict[str, Any]:
        """What ovnguard recorded at a pod, by attachment."""
        annotations = self.get(f"{NAMESPACES}/{namespace}/pods/{name}")["metadata"].get("annotations", {})
        return dict(json.loads(annotations.get(RECORD, "{}")))

    def plug(self, namespace: str, name: str, network: str) -> None:
        """The CNI plugin's work, once the record is there."""
        self.until(lambda: network in self.record(namespace, name), f"the record of {namespace}/{name}")
        pod, entry = self.get(f"{NAMESPACES}/{namespace}/pods/{name}"), self.record(namespace, name)[network]
        self.pods[namespace, name] = network, self.machines.plug(pod, network, entry)

    def address(self, namespace: str, name: str) -> None:
        """The kubelet's report of what the CNI plugin answered, in place of the address that kwok made up."""
        path = f"{NAMESPACES}/{namespace}/pods/{name}"
        if addresses := addresses_of(self.record(namespace, name)):
            self.until(lambda: "podIP" in self.get(path)["status"], f"kwok lets {namespace}/{name} run")
            self.write("kubelet", "PATCH", f"{path}/status", {"status": addresses})

    def end_pod(self, namespace: str, name: str, author: str = "tenant") -> None:
        """A pod is deleted; kwok ends it, and its machine goes."""
        self.write(author, "DELETE", f"{NAMESPACES}/{namespace}/pods/{name}")
        self.unplug(namespace, name)
        self.until_gone(f"{NAMESPACES}/{namespace}/pods/{name}")

    def unplug(self, namespace: str, name: str) -> None:
        """The machine of a pod is gone."""
        _, machine = self.pods.pop((namespace, name))
        self.machines.lab.unplug(machine)

    def until_gone(self, path: str) -> None:
        """Wait until an object is deleted."""
        self.until(lambda: self.api.request("GET", path)[0] == 404, f"{path} is gone")

    def until(self, done: Callable[[], bool], what: str, seconds: float = WAIT) -> None:
        """Wait for a state while all processes run."""

        def looked() -> bool:
            ended = self.processes.ended()
            assert ended == [], ended
            return done()

        wait_until(looked, what, seconds)

    def settle(self, seconds: float = WAIT) -> None:
        """Wait until every condition is True, no zone reports a problem, and BGP has brought all routes."""
        self.until(lambda: not self.unsettled(), "conditions, reports and routes", seconds)

    def unsettled(self) -> list[str]:
        """What is not as it should be in the end: conditions, reports of zones, routes to pods of other nodes."""
        nodes = {each["metadata"]["name"]: each["metadata"]["annotations"] for each in self.get(NODES)["items"]}
        shares = {name: json.loads(notes.get(_SUBNETS, "{}")).get("default", []) for name, notes in nodes.items()}
        missing = [
            f"{name} has no route to {share}"
            for name in nodes
            for other, subnets in shares.items()
            for share in subnets
            if other != name and share not in self.machines.frr[name].bgp_routes()
        ]
        reported = [f"{name} reports {text}" for name in nodes for text in self.reported(name)]
        return [*self.watcher.untrue(), *missing, *reported]

    def reported(self, node: str) -> list[str]:
        """The problems in the report of a zone."""
        status, report = self.api.request("GET", f"{NAMESPACES}/{OURS}/configmaps/ovnguard-zone-{node}")
        if status != 200:
            return ["nothing"]
        contents = json.loads(report["data"][REPORT_KEY])
        return [*map(str, contents["networks"]["problems"].items()), *contents["zone"]]
