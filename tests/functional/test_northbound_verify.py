"""`diff` and `verify` on a real zone: differences in every form, and words for where a packet stops."""

import contextlib
import json
import subprocess
import sys
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.ovn.converge import Converger
from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.apply.ovn.ovn_trace import run_probe
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.probes.probe_packets import probes_of
from ovnguard.reconciler.plan.probes.probe_rows import Endpoint
from ovnguard.reconciler.plan.rows.model import EgressAssignment, EgressHop, EgressPod
from tests.support.plan_samples import SERVICES, nodes, udn
from tests.testbed.ovn import OvnZone

EXAMPLES = Path(__file__).resolve().parents[2] / "deploy/examples"
PROGRAM = Path(sys.executable).parent / "ovnguard-reconciler"
INPUTS = ("-f", EXAMPLES / "valid" / "blue-layer2.yaml", "--nodes", EXAMPLES / "nodes")
SWITCH, ROUTER = "cluster_udn_blue_ovn_layer2_switch", "cluster_udn_blue_transit_router"


@dataclass
class Live:
    zone: OvnZone
    trace: str

    def run(self, command: str, *args: object) -> subprocess.CompletedProcess[str]:
        argv = [PROGRAM, command, *INPUTS, *args]
        return subprocess.run([str(each) for each in argv], capture_output=True, text=True, check=False)

    def diff(self, *args: object) -> subprocess.CompletedProcess[str]:
        return self.run("diff", "--nb-db", f"worker-a={self.zone.nb}", *args)

    def verify(self, *args: object) -> subprocess.CompletedProcess[str]:
        self.zone.wait_sb()
        databases = ("--nb-db", self.zone.nb, "--sb-db", self.zone.sb)
        return self.run("verify", "--node", "worker-a", *databases, "--ovn-trace", self.trace, *args)

    def failures(self) -> list[str]:
        done = self.verify()
        assert done.returncode == 1, done.stderr
        return [line.strip() for line in done.stdout.splitlines() if line.strip().startswith("FAIL")]


@pytest.fixture
def live(ovn_zone, parts):
    """The zone of worker-a, applied, with a chassis of its own and a remote one."""
    zone = ovn_zone("worker-a")
    live = Live(zone, str(parts.ovn.tool("ovn-trace")))
    done = live.run("apply", "--nb-db", f"worker-a={zone.nb}")
    assert done.returncode == 0, done.stderr
    port = zone.nbctl("--bare", "--columns=name", "find", "gateway_chassis").split()[0]
    chassis = port.removeprefix(f"trtos-{SWITCH}-")
    zone.sbctl("chassis-add", chassis, "geneve", "172.18.0.2")
    options = zone.nbctl("--bare", "--columns=options", "list", "logical_router_port").split()
    remotes = sorted({text.partition("=")[2] for text in options if text.startswith("requested-chassis=")})
    for number, remote in enumerate(remotes, 3):
        zone.sbctl("chassis-add", remote, "geneve", f"172.18.0.{number}")
        zone.sbctl("set", "chassis", remote, "other_config:is-remote=true")
    return live


def add_pod(zone: OvnZone, number: int, kind: str = "") -> None:
    store = NorthboundStore(zone.nb)
    with contextlib.closing(store):
        (switch,) = (row for row in store.read() if row.columns.get("name") == SWITCH)
    net = switch.entry("other_config", "subnet").rsplit(".", 1)[0]
    zone.nbctl(
        *("lsp-add", SWITCH, f"pod{number}", "--", "lsp-set-type", f"pod{number}", kind),
        *("--", "lsp-set-addresses", f"pod{number}", f"0a:58:00:00:00:{number:02x} {net}.{number}"),
    )


def test_diff_shows_what_apply_would_do_and_changes_nothing(live):
    done = live.diff()
    assert (done.returncode, done.stdout) == (0, "Plan: no changes\n")
    live.zone.nbctl("set", "logical_router_port", f"trtos-{SWITCH}", "networks=9.9.9.9/24")
    done = live.diff()
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "network cluster_udn_blue: 0 to add, 1 to change, 0 to destroy on 1 node",
        "  worker-a:",
        f"    ~ Logical_Router_Port trtos-{SWITCH}",
        "        networks: [9.9.9.9/24] -> [100.88.0.1/15]",
        "Plan: 0 to add, 1 to change, 0 to destroy on 1 node",
    ]
    assert json.loads(live.diff("-o", "json").stdout)["nodes"]["worker-a"][0]["op"] == "update"
    assert "networks: [9.9.9.9/24] -&gt; [100.88.0.1/15]" in live.diff("-o", "html").stdout
    script = live.diff("-o", "nbctl").stdout
    assert script.splitlines()[:3] == ["# ---- node worker-a", "# network cluster_udn_blue", "ovn-nbctl \\"]
    assert "9.9.9.9" in live.zone.nbctl("list", "logical_router_port", f"trtos-{SWITCH}")


def test_a_database_that_is_not_there(live):
    done = live.run("diff", "--nb-db", "worker-a=unix:/nonexistent.sock")
    assert done.returncode == 3
    assert "error: node worker-a: unix:/nonexistent.sock: No such file or directory" in done.stderr


def test_every_packet_of_a_sound_zone_arrives(live):
    done = live.verify()
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[:2] == ["rows: as planned", "network cluster_udn_blue:"]
    assert "k8s-cluster_udn_blue_worker-a to gateway " in done.stdout
    assert f"{SWITCH} -> {ROUTER} -> GR_cluster_udn_blue_worker-a -> ext_cluster_udn_blue_worker-a" in done.stdout

    for number, kind in ((21, ""), (22, ""), (23, "remote")):
        add_pod(live.zone, number, kind)
    done = live.verify("-o", "json", "--network", "cluster_udn_blue")
    assert done.returncode == 0, done.stdout + done.stderr
    found = {each["probe"]: each for each in json.loads(done.stdout)["probes"]}
    assert any(name.startswith("pod21 to pod pod22 on this node") for name in found)
    assert any(name.startswith("pod21 to pod pod23 on another node") for name in found)
    assert any(name.startswith("pod21 to outside 192.0.2.1") for name in found)
    assert all(each["reached"] for each in found.values())


def test_a_policy_that_drops_is_named(live):
    live.zone.nbctl("lr-policy-add", ROUTER, "500", "ip4.dst == 192.0.2.1", "drop")
    (failure,) = [line for line in live.failures() if "192.0.2.1" in line]
    where = f"stops in {ROUTER}, where table lr_in_policy drops it by the flow of priority 500"
    assert f"{where} for ip4.dst == 192.0.2.1; expected br-ex_cluster_udn_blue_worker-a" in failure


def test_a_missing_route_is_named_and_so_is_the_row(live):
    for prefix in live.zone.nbctl(
        "--bare", "--columns=ip_prefix", "find", "logical_router_static_route", "policy=src-ip"
    ).split():
        live.zone.nbctl("--policy=src-ip", "lr-route-del", ROUTER, prefix)
    done = live.verify()
    assert "rows: " in done.stdout.splitlines()[0]
    assert " + Logical_Router_Static_Route " not in done.stdout.splitlines()[0]
    assert (
        f"{SWITCH} -> {ROUTER}: stops in {ROUTER}, which has no route to the destination; expected br-ex" in done.stdout
    )


def test_packets_that_leave_another_way_are_reported(live):
    live.zone.nbctl("lr-policy-add", ROUTER, "500", "ip4.dst == 192.0.2.1", "reroute", management(live))
    (failure,) = [line for line in live.failures() if "192.0.2.1" in line]
    assert "leaves by k8s-cluster_udn_blue_worker-a and not by br-ex_cluster_udn_blue_worker-a" in failure


def management(live: Live) -> str:
    addresses = live.zone.nbctl("lsp-get-addresses", "k8s-cluster_udn_blue_worker-a").split()
    return next(each for each in addresses if each.count(".") == 3)


def test_a_network_that_is_not_there_is_a_wrong_call(live):
    done = live.verify("--network", "cluster_udn_red")
    assert done.returncode == 2
    assert "--network: the plan of node worker-a has no network cluster_udn_red" in done.stderr


def test_egress_through_other_nodes_is_probed(ovn_zone, parts):
    zone, pod = (
        ovn_zone("node1"),
        Endpoint("a_b_ovn_layer2_switch", "pod1", "0a:58:cb:cb:00:15", (ip_address("203.203.0.21"),)),
    )
    hops = tuple(EgressHop(f"node{number}", ip_address(f"172.18.0.10{number}")) for number in (2, 3))
    served = EgressPod("ns/pod1", "node1", pod.addresses)
    settings = replace(SERVICES, egress=(EgressAssignment("eip", "a_b", 50000, hops, (served,)),))
    network = udn("a_b")._replace(network_id=1, tunnel_keys=(16711684, 16715780))
    (planned,) = make_plan([network], nodes(3), settings, ("node1",)).zones
    with contextlib.closing(NorthboundStore(zone.nb)) as store:
        Converger(store).run(planned.rows)
    for node in nodes(3):
        zone.sbctl("chassis-add", node.chassis_id, "geneve", str(node.internal_ips[0]))
        remote = str(node.name != "node1").lower()
        zone.sbctl("set", "chassis", node.chassis_id, f"other_config:is-remote={remote}")
    zone.nbctl("lsp-add", pod.switch, pod.port, "--", "lsp-set-addresses", pod.port, f"{pod.mac} {pod.addresses[0]}")
    zone.wait_sb()
    (probe,) = [each for each in probes_of(planned.rows, [pod]) if "through egress" in each.title]
    assert probe.exits == ("trtor-GR_a_b_node2", "trtor-GR_a_b_node3")
    finding = run_probe(probe, str(parts.ovn.tool("ovn-trace")), zone.sb)
    assert finding.reached, finding.words
    zone.nbctl("lrp-del", "trtor-GR_a_b_node2", "--", "lrp-del", "trtor-GR_a_b_node3")
    zone.wait_sb()
    finding = run_probe(probe, str(parts.ovn.tool("ovn-trace")), zone.sb)
    assert not finding.reached
    assert "expected trtor-GR_a_b_node2 or trtor-GR_a_b_node3" in finding.words or "and not by" in finding.words


def test_without_ovn_trace(live):
    live.trace = "/nonexistent/ovn-trace"
    done = live.verify()
    assert done.returncode == 3
    assert done.stderr.strip() == (
        "error: /nonexistent/ovn-trace: no such program; set the path of ovn-trace with --ovn-trace"
    )
