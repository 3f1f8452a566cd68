"""`ovnguard-reconciler run` as users start it, with a real API server and a real Northbound database."""

import contextlib
import json
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard import crd_schemas
from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.plan.rows.row import NETWORK_KEY
from tests.support.deployed.deployed import OURS, remove_namespace
from tests.support.deployed.installed import create_crd, remove_crd
from tests.support.deployed.process_log import complaints, messages
from tests.support.paths import ROOT
from tests.testbed.apiserver import ApiServer
from tests.testbed.ovn import OvnZone
from tests.testbed.process import Child, wait_until

PROGRAM = Path(sys.executable).parent / "ovnguard-reconciler"

CUDNS = "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks"
UDNS = "/apis/k8s.ovn.org/v1/namespaces/default/userdefinednetworks"
OPERATOR = "/apis/operator.openshift.io/v1/networks"
NODES = "/api/v1/nodes"
EGRESS_IPS = "/apis/k8s.ovn.org/v1/egressips"
PODS = "/api/v1/pods"
EVENTS = "/apis/events.k8s.io/v1/events"
NAMESPACES = "/api/v1/namespaces"
ACCOUNTS = (
    "components/reconciler/account.yaml",
    "components/cluster/account.yaml",
    "components/own/rights.yaml",
    "components/own/node-topology.yaml",
    "components/own/frr-k8s.yaml",
    "components/own/attachments.yaml",
    "components/own/pod-records.yaml",
)
# The label of namespaces that a test makes.
TEST = "out"
RIGHTS = "/apis/rbac.authorization.k8s.io/v1"
ROOTS = {"rbac": RIGHTS, "admissionregistration": "/apis/admissionregistration.k8s.io/v1"}
"""Paths of the API groups of accounts and rights; others are the core's."""
MERGE = "application/merge-patch+json"
LASTING: dict[str, Any] = {"expirationSeconds": 30 * 24 * 3600}
"""Of a token that no kubelet renews: longer than the longest test, and than a cluster of `make cluster` is needed."""
NODE = "worker-a"
ID, KEYS, TRANSIT = (f"ovnguard.io/{key}" for key in ("network-id", "tunnel-keys", "transit-subnets"))


def cudn(name: str, subnet: str, **annotations: str) -> dict[str, Any]:
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": name, "annotations": annotations},
        "spec": {
            "namespaceSelector": {"matchLabels": {"t": name}},
            "network": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": [subnet]}},
        },
    }


class Zone:
    """The process under test, what it says, and the world around it."""

    def __init__(self, api: ApiServer, ovn: OvnZone, folder: Path) -> None:
        self.api, self.ovn, self.folder = api, ovn, folder
        self.frr = folder / "frr.conf"
        self.process: Child | None = None
        self.kubeconfig = api.kubeconfig

    def start(self, *options: str, node: str = NODE, record: bool = True) -> Child:
        """``record``: it is the only process; otherwise a leader records."""
        where = ["--kubeconfig", str(self.kubeconfig), "--nb-db", self.ovn.nb, "--frr-conf", str(self.frr)]
        argv: list[str | Path] = [
            PROGRAM,
            "run",
            "--mode",
            "own",
            *(["--record"] if record else []),
            "--node",
            node,
            *where,
            "--resync",
            "1",
            "--log-format",
            "json",
            *options,
        ]
        self.process = Child("reconciler", argv, self.folder / "run.log")
        return self.process

    def log_lines(self) -> list[str]:
        return messages(self.folder / "run.log")

    def complaints(self, *words: str) -> list[str]:
        """The warnings that have one of ``words``, without those about an API server that starts."""
        return complaints([self.folder / "run.log"], *words)

    def until(self, done: Callable[[], bool], what: str) -> None:
        assert self.process is not None
        wait_until(done, what, 100.0, [self.process])

    def rows(self) -> int:
        """How many rows tell that they are a user-defined network's; the default one has its own all the time."""
        with contextlib.closing(NorthboundStore(self.ovn.nb)) as store:
            ids = [row.columns.get("external_ids", {}) for row in store.read()]
        networks = [each.get(NETWORK_KEY, "") for each in ids if isinstance(each, Mapping)]
        return sum(network not in ("", "default") for network in networks)

    def has_router(self, network: str) -> bool:
        return f"({network}_transit_router)" in self.ovn.nbctl("lr-list")

    def events(self, about: str) -> list[dict[str, Any]]:
        """Events about objects of this name, the oldest first."""
        status, answer = self.api.request("GET", EVENTS)
        assert status == 200, answer
        found = [each for each in answer["items"] if each["regarding"]["name"] == about]
        return sorted(found, key=lambda each: each["eventTime"])

    def get(self, name: str, path: str = CUDNS) -> dict[str, Any]:
        status, obj = self.api.request("GET", f"{path}/{name}")
        assert status == 200, obj
        return obj

    def create(self, obj: dict[str, Any], path: str = CUDNS) -> dict[str, Any]:
        status, stored = self.api.request("POST", path, obj)
        assert status == 201, stored
        return stored

    def annotate(self, node: str, key: str, value: object) -> None:
        change = {"metadata": {"annotations": {key: json.dumps(value)}}}
        assert self.api.request("PATCH", f"{NODES}/{node}", change, MERGE)[0] == 200

    def delete(self, name: str, path: str = CUDNS) -> None:
        assert self.api.request("DELETE", f"{path}/{name}")[0] == 200


def condition(obj: dict[str, Any], kind: str = "TransitSubnetAllocated") -> dict[str, Any] | None:
    found = [each for each in obj.get("status", {}).get("conditions", []) if each["type"] == kind]
    assert len(found) < 2
    return found[0] if found else None


def as_deployed(api: ApiServer, folder: Path, account: str, *files: str, without: Collection[str] = ()) -> Path:
    """A kubeconfig with the rights that ``files`` of deploy/ give an account, ``without`` those about some resources.

    The fixture `api` takes everything away again, with the namespaces that did not exist.
    """
    documents = [each for file in files for each in account_of(file)]
    for name in {OURS, *(each["metadata"].get("namespace", OURS) for _, each in documents)}:
        metadata = {"name": name, "labels": {TEST: ""}}
        api.request("POST", NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    for path, document in documents:
        if "rules" in document:
            document["rules"] = [rule for rule in document["rules"] if not set(without) & set(rule["resources"])]
        api.request("DELETE", f"{path}/{document['metadata']['name']}")
        status, answer = api.request("POST", path, document)
        assert status == 201, answer
    return kubeconfig_of(api, folder, account)


def kubeconfig_of(api: ApiServer, folder: Path, account: str) -> Path:
    """A kubeconfig of an account in our namespace."""
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": LASTING}
    place = f"{NAMESPACES}/{OURS}/serviceaccounts/{account}/token"
    status, answer = api.request("POST", place, request)
    assert status == 201, answer
    config = json.loads(api.kubeconfig.read_text())
    config["users"] = [{"name": config["users"][0]["name"], "user": {"token": answer["status"]["token"]}}]
    kubeconfig = folder / f"kubeconfig-{account}"
    kubeconfig.write_text(json.dumps(config))
    return kubeconfig


def bound_to(api: ApiServer, folder: Path, node: str) -> Path:
    """A kubeconfig with a token as a Pod of the DaemonSet on this node has it."""
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"reconciler-{node}", "namespace": OURS},
        "spec": {
            "nodeName": node,
            "serviceAccountName": "ovnguard-reconciler",
            "containers": [{"name": "reconciler", "image": "ovnguard"}],
        },
    }
    status, stored = api.request("POST", f"/api/v1/namespaces/{OURS}/pods", pod)
    assert status == 201, stored
    reference = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": stored["metadata"]["name"],
        "uid": stored["metadata"]["uid"],
    }
    spec = {"boundObjectRef": reference} | LASTING
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
    place = f"/api/v1/namespaces/{OURS}/serviceaccounts/ovnguard-reconciler/token"
    status, answer = api.request("POST", place, request)
    assert status == 201, answer
    config = json.loads(api.kubeconfig.read_text())
    config["users"] = [{"name": config["users"][0]["name"], "user": {"token": answer["status"]["token"]}}]
    path = folder / f"kubeconfig-{node}"
    path.write_text(json.dumps(config))
    return path


def account_of(file: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Documents of a file in deploy/ about accounts and rights, with the paths of their kinds."""
    for document in yaml.safe_load_all((ROOT / "deploy" / file).read_text(encoding="utf-8")):
        root = next((path for group, path in ROOTS.items() if document["apiVersion"].startswith(group)), "/api/v1")
        namespace = document["metadata"].get("namespace")
        where = f"/namespaces/{namespace}" if namespace else ""
        kind = document["kind"].lower()
        yield f"{root}{where}/{kind.removesuffix('y')}{'ies' if kind.endswith('y') else 's'}", document


def remove_traces(api: ApiServer) -> None:
    """Take away what a bare API server would keep: namespaces of ours and of tests, and rights."""
    for file in ACCOUNTS:
        for path, document in account_of(file):
            api.request("DELETE", f"{path}/{document['metadata']['name']}")
    for item in api.request("GET", NAMESPACES)[1]["items"]:
        name = item["metadata"]["name"]
        if name == OURS or TEST in item["metadata"].get("labels", {}):
            remove_namespace(api, name)


def discard(api: ApiServer, path: str, obj: dict[str, Any]) -> None:
    """Delete an object, though no leader is there any more that removes its finalizer."""
    if obj["metadata"].get("finalizers"):
        api.request("PATCH", path, {"metadata": {"finalizers": None}}, MERGE)
    api.request("DELETE", path)


def remove_all(api: ApiServer) -> None:
    for path in (CUDNS, UDNS, OPERATOR, NODES, EGRESS_IPS):
        status, answer = api.request("GET", path)
        for item in answer["items"] if status == 200 else ():
            discard(api, f"{path}/{item['metadata']['name']}", item)
    for path in (EVENTS, PODS):
        for item in api.request("GET", path)[1]["items"]:
            root, _, plural = path.rpartition("/")
            place = f"{root}/namespaces/{item['metadata']['namespace']}/{plural}"
            done = api.request("DELETE", f"{place}/{item['metadata']['name']}?gracePeriodSeconds=0")
            assert done[0] == 200, done


@pytest.fixture(scope="module")
def api(apiserver: ApiServer) -> Iterator[ApiServer]:
    """The API server with all our CRDs but one: NetworkAttachmentDefinitions are not served."""
    bundled = [crd for key, crd in crd_schemas.crds("enhancement").items() if key[2] != "NetworkAttachmentDefinition"]
    for crd in bundled:
        create_crd(apiserver, crd)
    for path in (CUDNS, UDNS, OPERATOR):
        wait_until(lambda path=path: apiserver.request("GET", path)[0] == 200, f"{path} is served", 100)
    yield apiserver
    remove_all(apiserver)
    remove_traces(apiserver)
    for crd in bundled:
        remove_crd(apiserver, crd["metadata"]["name"])


@pytest.fixture
def zone(api: ApiServer, ovn_zone, tmp_path: Path) -> Iterator[Zone]:
    """Three nodes, a default network, an empty zone; the process is stopped afterwards."""
    remove_all(api)
    for file in sorted((ROOT / "deploy/examples/nodes").glob("*.yaml")):
        node = yaml.safe_load(file.read_text())
        assert api.request("POST", NODES, node)[0] == 201
        status = {"status": node["status"]}
        assert api.request("PATCH", f"{NODES}/{node['metadata']['name']}/status", status, MERGE)[0] == 200
    default = yaml.safe_load((ROOT / "deploy/examples/valid/default-network.yaml").read_text())
    assert api.request("POST", OPERATOR, default)[0] == 201
    made = Zone(api, ovn_zone(NODE), tmp_path)
    yield made
    if made.process is not None:
        made.process.stop()
    remove_all(api)
