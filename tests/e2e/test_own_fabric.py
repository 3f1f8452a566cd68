"""The overlay `own` on a real API server: `cluster` publishes a managed fabric, and real FRR on each node follows.

The programs run with the options and rights of the overlay, except for what a node of its own would have: its database,
its FRR in a namespace, and no state of the node (`--host`).
"""

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.deployed.deployed import DEPLOY, arguments
from tests.support.deployed.fabric_api import ADVERTISEMENTS, FRR, LEASE, MERGE, NODES, WAIT, Fabric, empty, served
from tests.support.deployed.running import ACCOUNTS, as_deployed
from tests.support.frr_nodes import counters
from tests.testbed.apiserver import ApiServer
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.ovn import OvnZone
from tests.testbed.parts import Parts
from tests.testbed.process import Child, wait_until

BIN = Path(sys.executable).parent
NAMES = ("worker-a", "worker-b")
LEARNT = {"worker-a": {"10.128.2.0/23": "172.18.0.3"}, "worker-b": {"10.128.0.0/23": "172.18.0.2"}}
REPORTS = "/api/v1/namespaces/ovnguard-system/configmaps"
TABLES = ("Logical_Switch", "Logical_Router", "Logical_Switch_Port", "Logical_Router_Port", "NAT", "ACL", "Port_Group")
MakeLab = Callable[[Sequence[FrrNode]], FrrLab]


@pytest.fixture(scope="module")
def api(apiserver: ApiServer) -> Iterator[ApiServer]:
    with served(apiserver):
        yield apiserver


def example(name: str) -> dict[str, Any]:
    """A Node of the examples, with the addresses that a kubelet would report."""
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "examples" / "nodes" / f"{name}.yaml").read_text())
    return found


def vtysh(node: FrrNode, folder: Path) -> Path:
    """A program that is the vtysh of a node."""
    words = node.namespace.inside([node.program("vtysh")])
    script = folder / f"vtysh-{node.name}"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, words))} "$@"\n')
    script.chmod(0o755)
    return script


def lab_node(obj: dict[str, Any]) -> FrrNode:
    """A machine with the addresses of a Node and its pod subnet, whose FRR is not configured."""
    notes = obj["metadata"]["annotations"]
    (address,) = json.loads(notes["k8s.ovn.org/node-primary-ifaddr"]).values()
    (share,) = json.loads(notes["k8s.ovn.org/node-subnets"])["default"]
    return FrrNode(obj["metadata"]["name"], [address], "", [share.replace(".0/", ".1/")])


def running(parts: Parts, node: FrrNode, zone: OvnZone, kubeconfig: Path, folder: Path) -> Child:
    """`run` as the overlay calls it, for one node."""
    program, *options = arguments(parts, "DaemonSet")
    own = {"--node": node.name, "--nb-db": zone.nb, "--frr-conf": str(folder / f"{node.name}.conf")}
    own["--metrics-bind-address"] = "127.0.0.1:0"
    argv: list[str | Path] = [BIN / program]
    for option in options:
        key, _, _ = option.partition("=")
        if key != "--host":
            argv.append(f"{key}={own[key]}" if key in own else option)
    argv += ["--kubeconfig", kubeconfig, "--resync", "1"]
    argv += ["--vtysh", vtysh(node, folder), "--vtysh-config-dir", node.namespace.home]
    return Child(f"run of {node.name}", argv, folder / f"{node.name}.log")


class OnNodes:
    """The leader and one process per node, with the objects, machines and databases that they work on."""

    def __init__(
        self, api: ApiServer, parts: Parts, folder: Path, make_lab: MakeLab, make_zone: Callable[[str], OvnZone]
    ) -> None:
        empty(api)
        self.fabric, self.parts, self.folder = Fabric(api, folder), parts, folder
        (folder / "nodes").mkdir()
        self.kubeconfig = as_deployed(api, folder / "nodes", "ovnguard-reconciler", *ACCOUNTS[:1])
        self.fabric.add_default_network()
        for name in NAMES:
            self.add(name)
        self.lab = make_lab([lab_node(example(name)) for name in NAMES])
        self.zones = {name: make_zone(name) for name in NAMES}
        self.children: list[Child] = []

    def add(self, name: str) -> None:
        """A Node of the examples."""
        obj = example(name)
        self.fabric.create(NODES, obj)
        status = {"status": obj["status"]}
        assert self.fabric.api.request("PATCH", f"{NODES}/{name}/status", status, MERGE)[0] == 200

    def start(self) -> None:
        """Start all processes."""
        self.fabric.start()
        self.children += [
            running(self.parts, self.lab[name], self.zones[name], self.kubeconfig, self.folder) for name in NAMES
        ]

    def stop(self) -> None:
        """Stop all processes."""
        for child in self.children:
            child.stop()
        self.children.clear()
        self.fabric.stop()

    def until(self, done: Callable[[], bool], what: str) -> None:
        """Wait for a state while all processes run."""
        wait_until(done, what, WAIT, [self.fabric.processes[-1], *self.children])

    def learnt(self) -> bool:
        """Whether each node has the pod subnet of the other."""
        return all(self.lab[name].bgp_routes() == routes for name, routes in LEARNT.items())

    def published(self) -> dict[str, str]:
        """The versions of all objects that make routes."""
        objects = {**self.fabric.items(FRR), **self.fabric.items(ADVERTISEMENTS)}
        return {name: obj["metadata"]["resourceVersion"] for name, obj in objects.items()}

    def reported(self) -> dict[str, str]:
        """When each zone was last reported."""
        found = {}
        for name in NAMES:
            status, obj = self.fabric.api.request("GET", f"{REPORTS}/ovnguard-zone-{name}")
            found[name] = json.loads(obj["data"]["report.json"])["time"] if status == 200 else ""
        return found

    def led_since(self) -> str:
        """When the leader became the leader."""
        status, lease = self.fabric.api.request("GET", LEASE)
        assert status == 200, lease
        return str(lease["spec"]["acquireTime"])

    def rows(self) -> dict[str, str]:
        """The rows of each zone with their UUIDs."""
        return {
            name: "".join(
                sorted("".join(zone.nbctl("--format=csv", "list", table) for table in TABLES).splitlines(True))
            )
            for name, zone in self.zones.items()
        }


@pytest.fixture
def on_nodes(
    api: ApiServer, parts: Parts, tmp_path: Path, frr_lab: MakeLab, ovn_zone: Callable[[str], OvnZone]
) -> Iterator[OnNodes]:
    made = OnNodes(api, parts, tmp_path, frr_lab, ovn_zone)
    yield made
    made.stop()
    empty(api)


def test_a_managed_fabric_works_on_nodes(on_nodes: OnNodes) -> None:
    program, mode, *options = arguments(on_nodes.parts, "Deployment")
    assert (program, mode) == ("ovnguard-reconciler", "cluster")
    # the options that `start` gives are those of the overlay
    assert set(options) <= {"--mode=own", "--log-format=json", "--metrics-bind-address=[$(METRICS_HOST)]:19446"}
    on_nodes.start()
    names = {"ovnk-managed-bgp", *(f"ovnk-managed-bgp-default/ovnk-managed-bgp/{name}" for name in NAMES)}
    on_nodes.until(lambda: set(on_nodes.fabric.items(FRR)) == names, "the FRRConfigurations")
    on_nodes.until(on_nodes.learnt, "the routes")
    for name in NAMES:
        assert "router bgp 64600" in (on_nodes.folder / f"{name}.conf").read_text()


def test_processes_that_are_replaced_disturb_no_session_row_or_route(on_nodes: OnNodes) -> None:
    """An upgrade of ovnguard: its processes end and others begin, on what the former ones left."""
    on_nodes.start()
    on_nodes.until(on_nodes.learnt, "the routes")
    on_nodes.until(lambda: all(on_nodes.reported().values()), "the reports")
    lab = on_nodes.lab
    monitors = [
        Child(
            f"routes of {name}",
            lab[name].namespace.inside(["ip", "monitor", "route"]),
            on_nodes.folder / f"{name}.routes",
        )
        for name in NAMES
    ]
    confs = {name: on_nodes.folder / f"{name}.conf" for name in NAMES}

    def state() -> object:
        """What must not change: sessions, files, objects and rows."""
        files = [(file.read_text(), file.stat().st_mtime_ns) for file in confs.values()]
        return [counters(lab[name]) for name in NAMES], files, on_nodes.published(), on_nodes.rows()

    before, reported, led = state(), on_nodes.reported(), on_nodes.led_since()
    on_nodes.stop()
    assert on_nodes.learnt()
    on_nodes.start()
    on_nodes.until(
        lambda: not set(on_nodes.reported().values()) & set(reported.values()), "reports of the new processes"
    )
    on_nodes.until(lambda: on_nodes.led_since() != led, "the new leader")
    assert state() == before
    # the new processes work: one more node
    sessions = [counters(lab[name]) for name in NAMES]
    on_nodes.add("worker-c")
    on_nodes.until(lambda: all(lab[name].peers().get("172.18.0.4") for name in NAMES), "the sessions of another node")
    for name, earlier in zip(NAMES, sessions, strict=True):
        assert {peer: each for peer, each in counters(lab[name]).items() if peer in earlier} == earlier
    generated = "ovnk-managed-bgp-default/ovnk-managed-bgp/worker-c"
    on_nodes.until(lambda: generated in on_nodes.fabric.items(FRR), "what the leader generates for it")
    assert on_nodes.learnt()
    for child in monitors:
        child.check()
        child.stop()
        assert "proto bgp" not in child.log.read_text()
