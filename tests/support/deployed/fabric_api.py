"""An API server with what fabrics need, and `ovnguard-reconciler cluster` with the rights of deploy/."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from ovnguard import crd_schemas
from ovnguard.crd_schemas import gating
from tests.support.deployed.deployed import OURS, remove_namespace
from tests.support.deployed.installed import create_crd, remove_crd
from tests.support.deployed.process_log import complaints, messages
from tests.support.deployed.running import ACCOUNTS, as_deployed, discard, remove_traces
from tests.support.paths import shared_folder
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import Child, wait_until

PROGRAM = Path(sys.executable).parent / "ovnguard-reconciler"
MERGE = "application/merge-patch+json"
NODES, NAMESPACES = "/api/v1/nodes", "/api/v1/namespaces"
OPERATOR = "/apis/operator.openshift.io/v1/networks"
CUDNS = "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks"
ADVERTISEMENTS = "/apis/k8s.ovn.org/v1/routeadvertisements"
FRR = "/apis/frrk8s.metallb.io/v1beta1/frrconfigurations"
NADS = "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions"
EVENTS = "/apis/events.k8s.io/v1/events"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{OURS}/leases/ovnguard-reconciler-cluster"
KINDS = (CUDNS, OPERATOR, ADVERTISEMENTS, FRR, NADS, NODES, EVENTS)
TENANTS = ("blue", "green")
FRR_NAMESPACE, OVNKUBE = "frr-k8s-system", "ovn-kubernetes"
WAIT = 100.0
OPERATOR_KEY = ("operator.openshift.io", "v1", "Network")
REFLECTORS = gating.features(None, ["RouteReflector=true"])
UPSTREAM = {
    "FRRConfiguration": "frr-k8s/crds/frrk8s.metallb.io_frrconfigurations.yaml",
    "RouteAdvertisements": "ovn-kubernetes/crds/k8s.ovn.org_routeadvertisements.yaml",
}


def reflecting() -> dict[str, Any]:
    """The definition of the operator Network that has route reflectors: the proposed one, with ovnguard's gate on."""
    definition = crd_schemas.crds("enhancement")[OPERATOR_KEY]
    name = definition["metadata"]["name"]
    found: dict[str, Any] = gating.gated(definition, name, "enhancement", REFLECTORS).crd
    return found


def definitions(*, reflectors: bool = False) -> list[dict[str, Any]]:
    """The bundled definitions; those of what is published as released where upstream's data is there."""
    bundled = dict(crd_schemas.crds("released"))
    folder = shared_folder()
    for kind, path in UPSTREAM.items() if folder is not None else ():
        file = Path(str(folder), "conformance", path)
        if file.is_file():
            key = next(key for key in bundled if key[2] == kind)
            bundled[key] = yaml.safe_load(file.read_text(encoding="utf-8"))
    if reflectors:
        bundled[OPERATOR_KEY] = reflecting()
    return list(bundled.values())


@contextmanager
def served(api: ApiServer, *, reflectors: bool = False) -> Iterator[ApiServer]:
    """What `serve` makes, until the block ends."""
    found = definitions(reflectors=reflectors)
    serve(api, found)
    try:
        yield api
    finally:
        empty(api)
        remove_traces(api)
        for name in (FRR_NAMESPACE, OVNKUBE, *TENANTS):
            remove_namespace(api, name)
        for definition in found:
            remove_crd(api, definition["metadata"]["name"])


def serve(api: ApiServer, found: list[dict[str, Any]]) -> None:
    """Make the definitions and the namespaces of ovnguard, frr-k8s, OVN-Kubernetes and tenants."""
    for definition in found:
        create_crd(api, definition)
    for path in KINDS:
        wait_until(lambda path=path: api.request("GET", path)[0] == 200, f"{path} is served", WAIT)
    for name in (OURS, FRR_NAMESPACE, OVNKUBE, *TENANTS):
        labels = {"tenant": name, "k8s.ovn.org/primary-user-defined-network": ""} if name in TENANTS else {}
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
        api.request("POST", NAMESPACES, namespace)


def empty(api: ApiServer) -> None:
    """Delete all objects of the kinds that fabrics are about."""
    for path in KINDS:
        status, answer = api.request("GET", path)
        for item in answer["items"] if status == 200 else ():
            discard(api, place(path, item), item)


def place(path: str, obj: dict[str, Any]) -> str:
    """The path of one object of a resource."""
    root, _, plural = path.rpartition("/")
    namespace = obj["metadata"].get("namespace")
    where = f"{root}/namespaces/{namespace}/{plural}" if namespace else path
    return f"{where}/{obj['metadata']['name']}"


class Fabric:
    """The process under test and the objects around it."""

    def __init__(self, api: ApiServer, folder: Path) -> None:
        self.api, self.folder = api, folder
        self.kubeconfig = as_deployed(api, folder, "ovnguard-reconciler-cluster", *ACCOUNTS[1:])
        self.processes: list[Child] = []

    def start(self, *options: str, mode: str = "own") -> Child:
        number = len(self.processes)
        argv: list[str | Path] = [PROGRAM, "cluster", "--mode", mode, "--kubeconfig", self.kubeconfig]
        argv += ["--resync", "1", "--log-format", "json", *options]
        self.processes.append(Child(f"cluster {number}", argv, self.folder / f"{number}.log"))
        return self.processes[-1]

    def run(self, *options: str) -> tuple[int, str]:
        """Run the command to its end as an administrator; the exit code and the last line of its errors."""
        argv: list[str | Path] = [PROGRAM, "cluster", "--mode", "own", "--kubeconfig", self.api.kubeconfig, *options]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=WAIT, check=False)
        return done.returncode, (done.stderr.strip().splitlines() or [""])[-1]

    def stop(self) -> None:
        """Stop all processes; the Lease is free then."""
        for process in self.processes:
            process.stop()

    def log_lines(self) -> list[str]:
        """What all processes logged."""
        return messages(*self._logs())

    def complaints(self, *words: str) -> list[str]:
        """The warnings that have one of ``words``, without those about an API server that starts."""
        return complaints(self._logs(), *words)

    def _logs(self) -> list[Path]:
        return [self.folder / f"{number}.log" for number in range(len(self.processes))]

    def until(self, done: Callable[[], bool], what: str) -> None:
        """Wait for a state while the processes run."""
        wait_until(done, what, WAIT, [process for process in self.processes if process.process.poll() is None])

    def create(self, path: str, obj: dict[str, Any], manager: str = "somebody") -> dict[str, Any]:
        where = place(path, obj).rpartition("/")[0]
        status, answer = self.api.request("POST", f"{where}?fieldManager={manager}", obj)
        assert status == 201, answer
        return answer

    def patch(self, path: str, obj: dict[str, Any], change: dict[str, Any]) -> None:
        status, answer = self.api.request("PATCH", place(path, obj), change, MERGE)
        assert status == 200, answer

    def delete(self, path: str, obj: dict[str, Any]) -> None:
        status, answer = self.api.request("DELETE", place(path, obj))
        assert status == 200, answer

    def items(self, path: str) -> dict[str, dict[str, Any]]:
        """Objects of a resource by name; generated ones by the identity in their annotation."""
        status, answer = self.api.request("GET", path)
        assert status == 200, answer
        return {_identity(item): item for item in answer["items"]}

    def add_node(self, name: str, number: int) -> dict[str, Any]:
        """A node with the address 172.18.0.``number`` and a pod subnet."""
        address = f"172.18.0.{number}"
        notes = {
            "k8s.ovn.org/node-id": str(number),
            "k8s.ovn.org/node-subnets": json.dumps({"default": [f"10.128.{2 * number}.0/23"]}),
            "k8s.ovn.org/node-primary-ifaddr": json.dumps({"ipv4": f"{address}/16"}),
        }
        labels = {"kubernetes.io/hostname": name}
        metadata = {"name": name, "labels": labels, "annotations": notes}
        node = self.create(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": metadata})
        status = {"status": {"addresses": [{"type": "InternalIP", "address": address}]}}
        assert self.api.request("PATCH", f"{NODES}/{name}/status", status, MERGE)[0] == 200
        return node

    def add_default_network(self, routing: str = "Managed") -> dict[str, Any]:
        """A no-overlay default network."""
        config = {
            "routeAdvertisements": "Enabled",
            "transport": "NoOverlay",
            "noOverlayConfig": {"outboundSNAT": "Enabled", "routing": routing},
            "bgpManagedConfig": {"asNumber": 64600, "bgpTopology": "FullMesh"},
        }
        spec = {
            "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
            "serviceNetwork": ["172.30.0.0/16"],
            "additionalRoutingCapabilities": {"providers": ["FRR"]},
            "defaultNetwork": {"type": "OVNKubernetes", "ovnKubernetesConfig": config},
        }
        kind = {"apiVersion": "operator.openshift.io/v1", "kind": "Network", "metadata": {"name": "cluster"}}
        return self.create(OPERATOR, {**kind, "spec": spec})

    def events(self, about: str) -> list[dict[str, Any]]:
        """Events about objects of this name, the oldest first."""
        found = [each for each in self.items(EVENTS).values() if each["regarding"]["name"] == about]
        return sorted(found, key=lambda each: str(each["eventTime"]))


def _identity(item: dict[str, Any]) -> str:
    name, notes = item["metadata"]["name"], item["metadata"].get("annotations", {})
    identity = notes.get("k8s.ovn.org/route-advertisements", name)
    return str(identity if name.startswith("ovnk-generated-") else name)


def no_overlay(name: str, cidr: str, routing: str = "Managed") -> dict[str, Any]:
    """A ClusterUserDefinedNetwork without an overlay."""
    network = {
        "topology": "Layer3",
        "layer3": {"role": "Primary", "subnets": [{"cidr": cidr, "hostSubnet": 24}]},
        "transport": "NoOverlay",
        "noOverlay": {"outboundSNAT": "Enabled", "routing": routing},
    }
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": name, "labels": {"advertise": name}},
        "spec": {"namespaceSelector": {"matchLabels": {"tenant": name}}, "network": network},
    }


def frr_configuration(name: str, asn: int, namespace: str = FRR_NAMESPACE, **metadata: Any) -> dict[str, Any]:
    """An FRRConfiguration of a user."""
    return {
        "apiVersion": "frrk8s.metallb.io/v1beta1",
        "kind": "FRRConfiguration",
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": {"bgp": {"routers": [{"asn": asn, "neighbors": [{"address": "10.0.0.1", "asn": 64700}]}]}},
    }


def advertising(name: str) -> dict[str, Any]:
    """A RouteAdvertisements of a user, for the default network and the network `blue`."""
    cudns = {"networkSelector": {"matchLabels": {"advertise": "blue"}}}
    selectors = [
        {"networkSelectionType": "DefaultNetwork"},
        {"networkSelectionType": "ClusterUserDefinedNetworks", "clusterUserDefinedNetworkSelector": cudns},
    ]
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "RouteAdvertisements",
        "metadata": {"name": name},
        "spec": {
            "advertisements": ["PodNetwork"],
            "frrConfigurationSelector": {"matchLabels": {"use": "peers"}},
            "networkSelectors": selectors,
            "nodeSelector": {},
        },
    }
