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

from tests.support.deployed.deployed import DEPLOY, Kubectl
from tests.support.deployed.fabric_api import FRR, MERGE, NODES, WAIT, Fabric, empty, served
from tests.support.deployed.running import ACCOUNTS, as_deployed
from tests.testbed.apiserver import ApiServer
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.ovn import OvnZone
from tests.testbed.parts import Parts
from tests.testbed.process import Child, wait_until

BIN = Path(sys.executable).parent
NAMES = ("worker-a", "worker-b")


@pytest.fixture(scope="module")
def api(apiserver: ApiServer) -> Iterator[ApiServer]:
    with served(apiserver):
        yield apiserver


def example(name: str) -> dict[str, Any]:
    """A Node of the examples, with the addresses that a kubelet would report."""
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "examples" / "nodes" / f"{name}.yaml").read_text())
    return found


def arguments(parts: Parts, kind: str) -> list[str]:
    """What the overlay's workload of this kind calls."""
    documents = Kubectl(parts).kustomize(DEPLOY / "overlays" / "own")
    named = (each for each in documents if each["kind"] == kind and "reconciler" in each["metadata"]["name"])
    (container,) = next(named)["spec"]["template"]["spec"]["containers"]
    return [*container["command"], *container["args"]]


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
    argv: list[str | Path] = [BIN / program]
    for option in options:
        key, _, _ = option.partition("=")
        if key != "--host":
            argv.append(f"{key}={own[key]}" if key in own else option)
    argv += ["--kubeconfig", kubeconfig, "--resync", "1"]
    argv += ["--vtysh", vtysh(node, folder), "--vtysh-config-dir", node.namespace.home]
    return Child(f"run of {node.name}", argv, folder / f"{node.name}.log")


def test_a_managed_fabric_works_on_nodes(
    api: ApiServer,
    parts: Parts,
    tmp_path: Path,
    frr_lab: Callable[[Sequence[FrrNode]], FrrLab],
    ovn_zone: Callable[[str], OvnZone],
) -> None:
    empty(api)
    fabric = Fabric(api, tmp_path)
    (tmp_path / "nodes").mkdir()
    kubeconfig = as_deployed(api, tmp_path / "nodes", "ovnguard-reconciler", *ACCOUNTS[:1])
    fabric.add_default_network()
    objects = [example(name) for name in NAMES]
    for obj in objects:
        fabric.create(NODES, obj)
        path = f"{NODES}/{obj['metadata']['name']}/status"
        assert api.request("PATCH", path, {"status": obj["status"]}, MERGE)[0] == 200
    lab = frr_lab([lab_node(obj) for obj in objects])
    program, mode, *options = arguments(parts, "Deployment")
    assert (program, mode) == ("ovnguard-reconciler", "cluster")
    # the options that `start` gives are those of the overlay
    assert set(options) <= {"--mode=own", "--log-format=json"}
    fabric.start()
    children = [running(parts, lab[name], ovn_zone(name), kubeconfig, tmp_path) for name in NAMES]
    try:
        names = {"ovnk-managed-bgp", *(f"ovnk-managed-bgp-default/ovnk-managed-bgp/{name}" for name in NAMES)}
        fabric.until(lambda: set(fabric.items(FRR)) == names, "the FRRConfigurations")
        learnt = {"worker-a": {"10.128.2.0/23": "172.18.0.3"}, "worker-b": {"10.128.0.0/23": "172.18.0.2"}}
        for name, routes in learnt.items():
            wait_until(
                lambda name=name, routes=routes: lab[name].bgp_routes() == routes,
                f"the routes of {name}",
                WAIT,
                [*fabric.processes, *children],
            )
        for name in NAMES:
            assert "router bgp 64600" in (tmp_path / f"{name}.conf").read_text()
    finally:
        for child in children:
            child.stop()
        fabric.stop()
        empty(api)
