"""What `verify` probes arrives in every planned topology, and what it says when it does not."""

import contextlib
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.apply.ovn.ovn_trace import run_probe
from ovnguard.reconciler.plan.probes.probe_packets import probes_of
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.reconciler.plan.rows.settings import Settings
from tests.support.plan_samples import SERVICES, nodes, pod, sharing
from tests.support.plan_scenarios import (
    DEFAULT_PODS,
    LAYER2_OLD_PODS,
    LAYER2_PODS,
    LAYER3_BOTH,
    LAYER3_LEAVING,
    LAYER3_PODS,
    SCENARIOS,
    SECONDARY3,
    Scenario,
)
from tests.testbed.ovn import OvnZone
from tests.testbed.parts import Parts

EXAMPLES = Path(__file__).resolve().parents[2] / "deploy/examples"
PROGRAM = Path(sys.executable).parent / "ovnguard-reconciler"
LOCAL3 = sharing(nodes(3, v6=True, mode="local"), LAYER3_BOTH)
SIDE_POD = pod(SECONDARY3, "here", "node1", "10.20.2.11", "fd20:0:0:2::11")
WITH_PODS = {
    "layer2-egress": replace(SCENARIOS["layer2-egress"], pods=LAYER2_PODS),
    "layer2-egress-upgrading": replace(SCENARIOS["layer2-egress-upgrading"], pods=LAYER2_OLD_PODS),
    "layer3-egress": replace(SCENARIOS["layer3-egress"], pods=LAYER3_PODS),
    "layer3-egress-local": Scenario((LAYER3_BOTH,), LOCAL3, replace(SERVICES, egress=(LAYER3_LEAVING,)), LAYER3_PODS),
    "layer3-routed": replace(SCENARIOS["layer3-routed-snat-shared"], pods=LAYER3_PODS),
    "layer3-secondary": replace(SCENARIOS["layer3-secondary"], settings=Settings(), pods=(SIDE_POD,)),
    "default-egress": replace(SCENARIOS["default-egress"], pods=DEFAULT_PODS),
}
WITHOUT_PROBES = {"layer3-secondary", "localnet", "localnet-pods", "layer2-ipv6-secondary"}


def bring(zone: OvnZone, scenario: Scenario) -> None:
    """The zone of node1 at the plan, and the chassis of all nodes."""
    (planned,) = (each for each in scenario.plan().zones if each.node == "node1")
    with contextlib.closing(NorthboundStore(zone.nb)) as store:
        store.apply(diff(store.read(), planned.rows))
    zone.wait_sb()


def chassis(zone: OvnZone, *remotes: str, local: str) -> None:
    for number, name in enumerate((local, *remotes), 2):
        zone.sbctl("chassis-add", name, "geneve", f"172.18.0.{number}")
        zone.sbctl("set", "chassis", name, f"other_config:is-remote={str(name != local).lower()}")


@pytest.mark.parametrize("pods", [False, True], ids=["as planned", "with pods"])
def test_every_probe_of_every_topology_arrives(ovn_zone: Callable[[str], OvnZone], parts: Parts, pods: bool) -> None:
    zone, trace = ovn_zone("node1"), str(parts.ovn.tool("ovn-trace"))
    chassis(zone, "chassis-2", "chassis-3", local="chassis-1")
    failed, silent = [], set()
    for name, scenario in (WITH_PODS if pods else SCENARIOS).items():
        bring(zone, scenario)
        (planned,) = (each for each in scenario.plan().zones if each.node == "node1")
        findings = [run_probe(probe, trace, zone.sb) for probe in probes_of(planned.rows, ())]
        failed += [f"{name}: {finding}" for finding in findings if not finding.reached]
        if not findings:
            silent.add(name)
    assert failed == []
    assert silent == (set() if pods else WITHOUT_PROBES)


@pytest.fixture
def examples(tmp_path: Path) -> str:
    """The example nodes, with shares of the Layer3 network recorded."""
    for number, file in enumerate(sorted((EXAMPLES / "nodes").glob("*.yaml")), 2):
        text = file.read_text()
        share = f'"cluster_udn_green":["10.40.{number}.0/24"]'
        (tmp_path / file.name).write_text(text.replace('.0/23"]}', f'.0/23"],{share}}}'))
    return f"-f {EXAMPLES / 'valid'} --nodes {tmp_path}"


def call(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(PROGRAM), *shlex.split(command)], capture_output=True, text=True, check=False)


def test_verify_of_layer2_layer3_and_default_network_together(
    ovn_zone: Callable[[str], OvnZone], parts: Parts, examples: str
) -> None:
    zone = ovn_zone("worker-a")
    trace = parts.ovn.tool("ovn-trace")
    assert call(f"apply {examples} --nb-db worker-a={zone.nb}").returncode == 0
    own, *others = (f"8f3c0d6e-1b7a-4c52-9e4d-00000000000{number}" for number in (2, 3, 4))
    chassis(zone, *others, local=own)
    zone.wait_sb()
    verify = f"verify {examples} --node worker-a --nb-db {zone.nb} --sb-db {zone.sb} --ovn-trace {trace}"
    done = call(verify)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "rows: as planned"
    named = [line for line in lines if line.startswith("network ")]
    assert sorted(named) == ["network cluster_udn_blue:", "network cluster_udn_green:", "network default:"]
    green = "cluster_udn_green"
    assert (
        f"  ok   k8s-{green}_worker-a to pods of node worker-b, 10.40.3.2: {green}_worker-a -> "
        f"{green}_ovn_cluster_router -> {green}_transit_switch -> {green}_tstor-worker-b"
    ) in lines
    assert any(line.startswith("  ok   k8s-worker-a to outside 192.0.2.1: worker-a -> ovn_cluster") for line in lines)

    zone.nbctl("lr-route-del", f"{green}_ovn_cluster_router", "10.40.3.0/24")
    done = call(f"{verify} --network {green}")
    assert done.returncode == 1
    assert "  FAIL k8s-cluster_udn_green_worker-a to pods of node worker-b, 10.40.3.2: " in done.stdout
    assert "to gateway 10.40.2.1: cluster_udn_green_worker-a -> " in done.stdout
