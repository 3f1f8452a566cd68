"""`diff --host` and `apply --host` on a real node, and golden rulesets read by the real nft."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.support.lab.host_bed import BRIDGE, HostNode, host_node, segment
from tests.support.manifests.host_manifests import NETWORK, NODE
from tests.testbed.fixtures import need
from tests.testbed.netns import Namespace
from tests.testbed.ovn import OvnZone
from tests.testbed.parts import Parts
from tests.testbed.process import scratch

__all__ = ["host_node", "segment"]

ROOT = Path(__file__).resolve().parents[2]
RULESETS = sorted((ROOT / "tests" / "golden" / "host").glob("*.nft"))


def test_golden_rulesets_are_read_by_nft(parts: Parts, netns_allowed: None) -> None:
    need(parts, "tools")
    with scratch("nft") as home, Namespace("nft", home) as namespace:
        written = [path for path in RULESETS if path.read_text(encoding="utf-8")]
        assert len(written) >= 10
        for path in written:
            namespace.run(parts.tools.tool("nft"), "-c", "-f", path)


def _runner(host_node: HostNode, folder: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Commands of the reconciler about worker-a, on the machine that it is."""
    (folder / "node.yaml").write_text(NODE, encoding="utf-8")
    (folder / "network.yaml").write_text(NETWORK, encoding="utf-8")
    tools = (host_node.parts.ovn.tool("ovs-vsctl"), host_node.parts.tools.tool("nft"))
    path = os.pathsep.join([*(str(tool.parent) for tool in tools), os.environ["PATH"]])

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        inputs = ["-f", str(folder / "network.yaml"), "--nodes", str(folder / "node.yaml"), "--host", "worker-a"]
        program = [sys.executable, "-c", "from ovnguard.reconciler.cli import main; main()", *command, *inputs]
        argv = [str(word) for word in host_node.namespace.inside(program)]
        env = {**os.environ, "PATH": path}
        return subprocess.run(argv, capture_output=True, text=True, check=False, cwd=ROOT, env=env)

    return run


def test_a_machine_is_compared_brought_to_the_plan_and_as_planned_then(host_node: HostNode, tmp_path: Path) -> None:
    host_node.namespace.add_address(BRIDGE, "172.18.0.2/16")
    host_node.patch(f"patch-{BRIDGE}_worker-a-to-br-int")
    run = _runner(host_node, tmp_path)
    before = run("diff")
    assert before.returncode == 1, before.stderr
    assert "  + port ovn-k8s-mp0 of br-int: iface-id k8s-worker-a mac 0a:58:0a:80:02:02 mtu 1400\n" in before.stdout
    applied = run("apply")
    assert (applied.returncode, applied.stderr.count("error")) == (0, 0), applied.stderr
    assert applied.stdout.splitlines()[1:] == [
        line.replace(" differ", " changed") for line in before.stdout.splitlines()
    ]
    after = run("diff")
    assert (after.returncode, after.stdout) == (0, "host worker-a: as planned\n")


def test_rows_and_machine_are_verified_together(
    host_node: HostNode, ovn_zone: Callable[[str], OvnZone], tmp_path: Path
) -> None:
    zone = ovn_zone("worker-a")
    host_node.namespace.add_address(BRIDGE, "172.18.0.2/16")
    host_node.patch(f"patch-{BRIDGE}_worker-a-to-br-int")
    run = _runner(host_node, tmp_path)
    applied = run("apply", "--nb-db", f"worker-a={zone.nb}")
    assert applied.returncode == 0, applied.stderr
    zone.sbctl("chassis-add", "6f766e67-0000-4000-8000-000000000001", "geneve", "172.18.0.2")
    zone.wait_sb()
    trace = str(host_node.parts.ovn.tool("ovn-trace"))
    verify = ("verify", "--node", "worker-a", "--nb-db", zone.nb, "--sb-db", zone.sb, "--ovn-trace", trace)
    done = run(*verify)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[:2] == ["host worker-a: as planned", "rows: as planned"]
    host_node.nft("flush", "chain", "inet", "ovnguard", "mgmtport-snat")
    done = run(*verify)
    assert done.returncode == 1
    assert done.stdout.splitlines()[:2] == ["host worker-a: 1 items differ", "  ~ nft chain mgmtport-snat"]
    assert "rows: as planned" in done.stdout
    found = json.loads(run(*verify, "-o", "json").stdout)
    assert found["hostDiffers"] == ["~ nft chain mgmtport-snat"]
