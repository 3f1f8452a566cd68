"""`kubectl wait --for=condition=ZonesReady` on a real API server, with a leader and three zones of real OVN."""

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.deployed import running
from tests.support.deployed.deployed import OURS
from tests.support.deployed.running import ACCOUNTS, CUDNS, NODES, PROGRAM, Zone, as_deployed, condition, cudn
from tests.support.present import present
from tests.testbed.ovn import OvnZone
from tests.testbed.process import Child, wait_until

pytestmark = pytest.mark.timing
api, zone = running.api, running.zone
ZONES = ("worker-a", "worker-b", "worker-c")
_READY = '{.status.conditions[?(@.type=="ZonesReady")]'
SEEN = f'{{.metadata.name}}={_READY}.status}} {_READY}.message}}{{"\\n"}}'
GOAL = 5.0
"""Seconds from the last row to the condition."""
WAIT = 180.0
"""Seconds in which a busy machine starts three zones and a leader."""


def layer3(name: str, cidr: str) -> dict[str, Any]:
    found = cudn(name, cidr)
    subnets = [{"cidr": cidr, "hostSubnet": 24}]
    found["spec"]["network"] = {"topology": "Layer3", "layer3": {"role": "Primary", "subnets": subnets}}
    return found


def localnet(name: str) -> dict[str, Any]:
    found = cudn(name, "")
    spec = {"role": "Secondary", "physicalNetworkName": "physnet", "ipam": {"mode": "Disabled"}}
    found["spec"]["network"] = {"topology": "Localnet", "localnet": spec}
    return found


class Three:
    """Three zones and their leader, and what conditions anybody saw."""

    def __init__(self, zone: Zone, zones: dict[str, OvnZone], kubectl: str) -> None:
        self.zone, self.zones, self._kubectl = zone, zones, [kubectl, "--kubeconfig", str(zone.api.kubeconfig)]
        self.children: list[Child] = []

    def start(self, node: str, *options: str) -> Child:
        where = ["--kubeconfig", str(self.zone.api.kubeconfig), "--nb-db", self.zones[node].nb, "--report", OURS]
        argv: list[str | Path] = [PROGRAM, "run", "--mode", "own", "--node", node, *where, *options]
        child = Child(node, argv, self.zone.folder / f"{node}.log")
        self.children.append(child)
        return child

    def wait(self, name: str, seconds: float = WAIT) -> str:
        """What `kubectl wait` says."""
        text = f"wait --for=condition=ZonesReady clusteruserdefinednetwork/{name} --timeout={seconds:g}s"
        done = subprocess.run(
            [*self._kubectl, *text.split()], capture_output=True, text=True, timeout=seconds + 30, check=False
        )
        return done.stdout + done.stderr

    def watch(self, log: Path) -> Child:
        """A watch that notes every state of every condition."""
        argv = [*self._kubectl, "get", "clusteruserdefinednetworks", "-w", "-o", f"jsonpath={SEEN}"]
        child = Child("watch", argv, log)
        self.children.append(child)
        return child

    def has(self, name: str) -> bool:
        """Whether every zone has the switch of a network."""
        lists = [each.nbctl("--columns=external_ids", "list", "Logical_Switch") for each in self.zones.values()]
        return all(f"cluster_udn_{name}" in each for each in lists)

    def shown(self, name: str) -> tuple[str, str, str, int]:
        found = present(condition(self.zone.get(name), "ZonesReady"))
        return found["status"], found["reason"], found["message"], found["observedGeneration"]


@pytest.fixture
def three(zone: Zone, ovn_zone: Callable[[str], OvnZone], parts: Any) -> Iterator[Three]:
    (zone.folder / "leader").mkdir()
    kubeconfig = as_deployed(zone.api, zone.folder / "leader", "ovnguard-reconciler-cluster", *ACCOUNTS[1:])
    zones = {ZONES[0]: zone.ovn, **{name: ovn_zone(name) for name in ZONES[1:]}}
    made = Three(zone, zones, str(parts.kube_apiserver.tool("kubectl")))
    argv: list[str | Path] = [PROGRAM, "cluster", "--mode", "own", "--kubeconfig", kubeconfig, "--log-format", "json"]
    zone.process = Child("leader", argv, zone.folder / "run.log")
    yield made
    for child in made.children:
        child.stop()


def test_every_topology_is_ready_in_time_and_without_a_warning(
    three: Three, record_property: Callable[[str, Any], None]
) -> None:
    for node in ZONES:
        three.start(node)
    three.zone.create(cudn("first", "10.30.0.0/16"))
    assert three.wait("first") == "clusteruserdefinednetwork.k8s.ovn.org/first condition met\n"
    log = three.zone.folder / "watch.log"
    watch = three.watch(log)
    wait_until(lambda: "first=True" in log.read_text(), "the watch", WAIT, [watch])

    new = [layer3(f"wide{number}", f"10.{40 + number}.0.0/16") for number in range(6)]
    new += [cudn("blue", "10.50.0.0/16"), localnet("wire")]
    late = {}
    for network in new:
        name = network["metadata"]["name"]
        three.zone.create(network)
        wait_until(lambda name=name: three.has(name), f"rows of {name}", WAIT, three.children)
        began = time.monotonic()
        wait_until(lambda name=name: f"{name}=True" in log.read_text(), f"{name} is ready", WAIT, three.children)
        late[name] = round(time.monotonic() - began, 1)
        assert three.wait(name).endswith("condition met\n"), name
        assert three.shown(name) == ("True", "Ready", "3 of 3 zones are ready.", 1)
    assert max(late.values()) < GOAL, (late, log.read_text())
    record_property("shown", f"from the last row to ZonesReady: {sorted(late.values())} s")
    assert [
        each for network in new for each in three.zone.events(network["metadata"]["name"]) if is_warning(each)
    ] == []


def is_warning(event: dict[str, Any]) -> bool:
    return event["type"] == "Warning"


def test_a_zone_that_is_missing_is_counted_and_a_new_generation_is_waited_for(three: Three) -> None:
    three.start(ZONES[0])
    last = three.start(ZONES[1])
    three.zone.delete(ZONES[2], NODES)
    three.zone.create(cudn("blue", "10.50.0.0/16"))
    assert three.wait("blue").endswith("condition met\n")
    assert three.shown("blue") == ("True", "Ready", "2 of 2 zones are ready.", 1)

    last.stop()
    change = {"spec": {"namespaceSelector": {"matchLabels": {"t": "other"}}}}
    status, answer = three.zone.api.request("PATCH", f"{CUDNS}/blue", change, running.MERGE)
    assert status == 200, answer
    three.zone.until(lambda: three.shown("blue")[0] == "False", "a condition")
    text = "1 of 2 zones are ready; on 1 node: the zone has not reported the network yet, e.g. worker-b"
    assert three.shown("blue") == ("False", "NotReported", text, 2)
    three.zone.until(lambda: any(map(is_warning, three.zone.events("blue"))), "the Warning")
    three.start(ZONES[1])
    assert three.wait("blue").endswith("condition met\n")
    assert three.shown("blue") == ("True", "Ready", "2 of 2 zones are ready.", 2)


def test_a_node_without_the_cni_plugin_keeps_networks_unready_and_says_whom_it_needs(three: Three) -> None:
    folder = three.zone.folder / "net.d"
    folder.mkdir()
    (folder / "99-loopback.conf").write_text('{"type": "loopback"}')
    three.start(ZONES[0], "--cni-conf-dir", str(folder))
    for node in ZONES[1:]:
        three.start(node)
    three.zone.create(cudn("unplugged", "10.30.0.0/16"))
    wait_until(lambda: three.has("unplugged"), "rows", WAIT, three.children)
    text = f"the node is waiting for a configuration of the CNI plugin ovn-k8s-cni-overlay in {folder}"

    def said() -> str:
        found = condition(three.zone.get("unplugged"), "ZonesReady") or {}
        return str(found.get("message", "")) if found.get("status") == "False" else ""

    wait_until(lambda: f"{text}, which ovnkube-node writes" in said(), "the reason", WAIT, three.children)
    assert "worker-a" in said()
    (folder / "10-ovn-kubernetes.conf").write_text('{"name": "ovn-kubernetes", "type": "ovn-k8s-cni-overlay"}')
    assert three.wait("unplugged") == "clusteruserdefinednetwork.k8s.ovn.org/unplugged condition met\n"
