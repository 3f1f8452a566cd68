"""`verify --frr` on nodes with real FRR: what is missing has a name and a cause, and at the end nothing is."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ovnguard.reconciler.plan.bgp.config_delta import delta
from tests.support.frr_nodes import file_of, vtysh_of
from tests.support.paths import ROOT
from tests.support.reconciler_cli import Outcome, run
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.process import wait_until

LabFactory = Callable[[Sequence[FrrNode]], FrrLab]
EXAMPLES = ROOT / "deploy/examples"
INPUTS = ("-f", EXAMPLES / "valid/default-network.yaml", "--nodes", EXAMPLES / "nodes")
# Address and pod subnet of the nodes in the manifests.
WORKERS = {
    "worker-a": ("172.18.0.2/16", "10.128.0.1/23"),
    "worker-b": ("172.18.0.3/16", "10.128.2.1/23"),
    "worker-c": ("172.18.0.4/16", "10.128.4.1/23"),
}
GOLDEN = sorted(path.name for path in (ROOT / "tests/golden/frr").glob("*.conf"))
# Parts of them that need bfdd, which the test bed has not, or VRF devices, which the kernel may lack.
NOT_HERE = ("bfd, profile ", "advertise-all-vni", "vni ", "advertise-svi-ip")


def planned() -> dict[str, str]:
    return {name: zone["frr"] for name, zone in json.loads(run("plan", *INPUTS, "-o", "json").out)["nodes"].items()}


def workers() -> list[FrrNode]:
    return [FrrNode(name, [address], "", [pods]) for name, (address, pods) in WORKERS.items()]


def verify(node: FrrNode, *args: str) -> Outcome:
    program = Path(sys.executable).with_name("ovnguard-reconciler")
    frr = ("--frr", "--vtysh", node.program("vtysh"), "--vtysh-config-dir", node.namespace.home)
    argv = node.namespace.inside([program, "verify", *INPUTS, "--node", node.name, *frr, *args])
    done = subprocess.run([str(word) for word in argv], capture_output=True, text=True, timeout=120, check=False)
    return Outcome(done.returncode, done.stdout, done.stderr)


def test_what_is_missing_is_named_and_then_nothing_is(frr_lab: LabFactory) -> None:
    lab, texts = frr_lab(workers()), planned()
    node = lab["worker-a"]
    nothing = verify(node)
    assert nothing.code == 1
    first = nothing.out.splitlines()[0]
    assert first.startswith("frr worker-a: running configuration lacks log stdout informational; lacks ")
    assert first.endswith(" more, 0 of 2 sessions established, 0 of 2 routes")
    assert "  session with 172.18.0.3 is missing: bgpd has no such neighbour\n" in nothing.out
    for name in ("worker-a", "worker-b"):
        file_of(lab[name]).write(texts[name])
    wait_until(lambda: len(node.bgp_routes()) == 1, "the route of worker-b", 60)
    partial = verify(node)
    assert partial.code == 1
    first, session, network, route = partial.out.splitlines()
    assert first == "frr worker-a: configuration as planned, 1 of 2 sessions established, 1 of 2 routes"
    assert session.startswith("  session with 172.18.0.4 is ")
    assert network == "network default:"
    assert route.startswith("  10.128.4.0/23 of node worker-c: session with 172.18.0.4 is ")
    file_of(lab["worker-c"]).write(texts["worker-c"])
    wait_until(lambda: len(node.bgp_routes()) == 2, "the route of worker-c", 60)
    whole = "frr worker-a: configuration as planned, 2 of 2 sessions established, 2 of 2 routes\n"
    done = verify(node)
    assert (done.code, done.out) == (0, whole)


def test_each_broken_link_has_its_own_cause(frr_lab: LabFactory) -> None:
    lab, texts = frr_lab(workers()), planned()
    node, other = lab["worker-a"], lab["worker-b"]
    for name, each in lab.nodes.items():
        file_of(each).write(texts[name])
    wait_until(lambda: len(node.bgp_routes()) == 2, "routes", 60)

    def cause() -> str:
        (route,) = json.loads(verify(node, "-o", "json").out)["frr"]["routes"]["missing"]
        assert (route["network"], route["prefix"], route["node"]) == ("default", "10.128.2.0/23", "worker-b")
        return route["cause"]

    family = ("configure terminal", "router bgp 64600", "address-family ipv4 unicast")
    other.vtysh(*family, "no network 10.128.2.0/23")
    wait_until(lambda: len(node.bgp_routes()) == 1, "the withdrawal", 60)
    assert cause() == "172.18.0.3 does not advertise it"
    other.vtysh(*family, "network 10.128.2.0/23")
    wait_until(lambda: len(node.bgp_routes()) == 2, "the route again", 60)
    # zebra takes its routes with it, unless it is killed.
    os.kill(node.pids["zebra"], signal.SIGTERM)
    wait_until(lambda: node.bgp_routes() == {}, "zebra's end", 60)
    found = json.loads(verify(node, "-o", "json").out)["frr"]["routes"]["missing"]
    assert {each["cause"] for each in found} == {"bgpd has it, but the kernel does not: zebra does not run"}


def test_without_bgpd_nothing_is_known(frr_lab: LabFactory) -> None:
    lab = frr_lab(workers()[:1])
    node = lab["worker-a"]
    node.kill("bgpd")
    done = verify(node)
    error = f"{node.program('vtysh')}: show running-config bgpd: no configuration in its output; does bgpd run?"
    assert (done.code, done.out, done.err.splitlines()[0]) == (3, "", f"error: frr worker-a: {error}")
    value = json.loads(verify(node, "-o", "json").out)
    assert value["frr"] == {"error": error}


def test_a_bgpd_that_hangs_does_not_hang_verify(frr_lab: LabFactory) -> None:
    lab = frr_lab(workers()[:1])
    node = lab["worker-a"]
    os.kill(node.pids["bgpd"], signal.SIGSTOP)
    try:
        done = verify(node)
    finally:
        os.kill(node.pids["bgpd"], signal.SIGCONT)
    text = f"error: frr worker-a: {node.program('vtysh')} did not end within 10 s"
    assert (done.code, done.out, done.err.splitlines()[0]) == (3, "", text)


@pytest.mark.parametrize("name", GOLDEN)
def test_what_frr_runs_equals_the_file(name: str, frr_lab: LabFactory) -> None:
    """Every golden frr.conf, loaded line by line and read back, has no difference."""
    text = (ROOT / "tests/golden/frr" / name).read_text(encoding="utf-8").replace("<hidden>", "secret")
    node = frr_lab([FrrNode("n1", ["172.18.0.2/16"], "")])["n1"]
    vtysh = vtysh_of(node)
    vtysh.load(delta(text, vtysh.running()).commands())
    left = delta(text, vtysh.running())
    assert [str(each) for each in left.removed] == []
    assert [str(each) for each in left.added if not any(word in str(each) for word in NOT_HERE)] == []
    vtysh.load(delta("", vtysh.running()).commands())
    assert "router bgp" not in vtysh.running().whole
