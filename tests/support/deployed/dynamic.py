"""Dynamic allocation as it is deployed: a leader, the zone of one node, and one network's namespace."""

import json
import re
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.deployed.proxy import Proxy
from tests.support.deployed.running import (
    ACCOUNTS,
    EGRESS_IPS,
    NAMESPACES,
    NODE,
    NODES,
    PROGRAM,
    TEST,
    Zone,
    as_deployed,
    condition,
    cudn,
)
from tests.testbed.apiserver import free_port
from tests.testbed.process import Child

GRACE = 3
DYNAMIC = ("--enable-dynamic-udn-allocation", "--udn-deletion-grace-period", f"{GRACE}s")
OTHER, THIRD = "worker-b", "worker-c"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/ovnguard-system/leases/ovnguard-reconciler-cluster"
PRIMARY = "k8s.ovn.org/primary-user-defined-network"
ONE, TWO, NONE = (
    "1 node rendered with network",
    "2 nodes rendered with network",
    "no nodes currently rendered with network",
)


def layer3(name: str, cidr: str = "10.20.0.0/16", length: int = 24) -> dict[str, Any]:
    found = cudn(name, "")
    subnets = [{"cidr": cidr, "hostSubnet": length}]
    found["spec"]["network"] = {"topology": "Layer3", "layer3": {"role": "Primary", "subnets": subnets}}
    return found


class Dynamic(Zone):
    """A leader, the zone of one node, and a namespace ``t`` of one network of the same name."""

    def __init__(self, zone: Zone, t: str, proxy: Proxy | None = None) -> None:
        """``proxy``: both processes reach the API server through it."""
        super().__init__(zone.api, zone.ovn, zone.folder)
        self.t, self.pods = t, f"{NAMESPACES}/{t}/pods"
        self.leader_config = as_deployed(self.api, self.folder, "ovnguard-reconciler-cluster", *ACCOUNTS[1:])
        if proxy is not None:
            self.leader_config = proxy.kubeconfig(self.leader_config, self.folder / "leader-by-proxy")
            self.kubeconfig = proxy.kubeconfig(self.api.kubeconfig, self.folder / "zone-by-proxy")
        self.port = free_port()
        labels = {"t": t, TEST: t, PRIMARY: ""}
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": t, "labels": labels}}
        self.create(space, NAMESPACES)
        self._zone = zone
        self.leader = self.lead()
        self.start(*DYNAMIC, record=False)

    def start(self, *options: str, node: str = NODE, record: bool = True) -> Child:
        """As `Zone.start`; the fixture `zone` stops the process."""
        self._zone.process = super().start(*options, node=node, record=record)
        return self._zone.process

    def lead(self, dynamic: Sequence[str] = DYNAMIC) -> Child:
        """Start a leader, with the options of dynamic allocation."""
        options = ("--mode", "own", "--log-format", "json", "--metrics-bind-address", f"127.0.0.1:{self.port}")
        argv: list[str | Path] = [PROGRAM, "cluster", *options, "--kubeconfig", self.leader_config, *dynamic]
        return Child("leader", argv, self.folder / "leader.log")

    def pod(self, name: str, node: str = NODE, **annotations: str) -> None:
        spec = {"containers": [{"name": "c", "image": "example.invalid/none"}]}
        metadata = {"name": name, "annotations": annotations}
        made = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**spec, "nodeName": node}}
        self.create(made, self.pods)

    def no_pod(self, name: str) -> None:
        assert self.api.request("DELETE", f"{self.pods}/{name}?gracePeriodSeconds=0")[0] == 200

    def egress(self, name: str, *nodes: str) -> None:
        items = [{"node": node, "egressIP": f"172.18.0.{100 + index}"} for index, node in enumerate(nodes)]
        spec = {"egressIPs": ["172.18.0.100"], "namespaceSelector": {"matchLabels": {TEST: self.t}}}
        made = {"apiVersion": "k8s.ovn.org/v1", "kind": "EgressIP", "metadata": {"name": name}, "spec": spec}
        self.create({**made, "status": {"items": items}}, EGRESS_IPS)

    def routers(self) -> set[str]:
        """The networks that the zone renders, by their gateway routers, and the nodes that they are connected to."""
        names = re.findall(r"\((\S+)\)", self.ovn.nbctl("lr-list"))
        return {name[3 : -len(f"_{NODE}")] for name in names if name.startswith("GR_") and name != f"GR_{NODE}"}

    def remotes(self) -> set[str]:
        """The nodes that the network's transit switch or router has ports for."""
        ports = self.ovn.nbctl("--bare", "--columns=name", "list", "Logical_Switch_Port").split()
        ports += self.ovn.nbctl("--bare", "--columns=name", "list", "Logical_Router_Port").split()
        found = (re.fullmatch(rf"cluster_udn_{self.t}_(?:tstor-|trtor-GR_\S*)(worker-.)", name) for name in ports)
        layer2 = (re.fullmatch(rf"trtor-GR_cluster_udn_{self.t}_(worker-.)", name) for name in ports)
        return {match[1] for match in (*found, *layer2) if match}

    def subnets(self) -> dict[str, list[str]]:
        found = {}
        for item in self.api.request("GET", NODES)[1]["items"]:
            subnets = json.loads(item["metadata"]["annotations"].get("k8s.ovn.org/node-subnets", "{}"))
            if f"cluster_udn_{self.t}" in subnets:
                found[item["metadata"]["name"]] = subnets[f"cluster_udn_{self.t}"]
        return found

    def subnets_of(self, node: str) -> list[str]:
        """Those that the node has, also while another node's annotation cannot be read."""
        text = self.get(node, NODES)["metadata"]["annotations"].get("k8s.ovn.org/node-subnets", "{}")
        found: list[str] = json.loads(text).get(f"cluster_udn_{self.t}", [])
        return found

    def condition_text(self, name: str) -> str:
        found = condition(self.get(name), "NodesSelected")
        return "" if found is None else found["message"]

    def until_condition(self, text: str) -> None:
        self.until(lambda: self.condition_text(self.t) == text, f"condition: {text}")

    def metric(self) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=60) as answer:
            text = answer.read().decode()
        name = f'ovnk_reconcile_udn_active_nodes{{network_name="cluster_udn_{self.t}"}} '
        return "".join(line.removeprefix(name) for line in text.splitlines() if line.startswith(name))

    def activity(self) -> list[str]:
        reasons = {"NodeActivated", "NodeDeactivated"}
        return sorted(f"{each['reason']}: {each['note']}" for each in self.events(self.t) if each["reason"] in reasons)


@pytest.fixture
def made(zone: Zone) -> Iterator[list[Dynamic]]:
    """What tests start, stopped afterwards."""
    zone.api.request("DELETE", LEASE)
    started: list[Dynamic] = []
    yield started
    for each in started:
        each.leader.stop()


def dynamic(made: list[Dynamic], zone: Zone, t: str, proxy: Proxy | None = None) -> Dynamic:
    """Start one."""
    made.append(Dynamic(zone, t, proxy))
    return made[-1]
