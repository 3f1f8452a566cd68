"""The lab of OVN nodes does what tests lean on: links that carry packets, machines that move, nothing left behind."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.support.lab.lab_nodes import OUTSIDE, spec
from tests.testbed.endpoint import Endpoint
from tests.testbed.ovnlab import OvnLab
from tests.testbed.ovs import NodeSpec
from tests.testbed.process import BedError, wait_until

LabFactory = Callable[[Sequence[NodeSpec], Sequence[str]], OvnLab]


class Switch:
    """A switch over two zones, written by hand: the bed is tested here, no plan."""

    def __init__(self, lab: OvnLab) -> None:
        self.lab = lab
        config = ("other_config:requested-tnl-key=16711683", "other_config:interconn-ts=sw")
        for node in lab.nodes.values():
            node.zone.nbctl("ls-add", "sw", "--", "set", "logical_switch", "sw", *config)

    def put(self, number: int, home: str) -> None:
        """Say in every zone that port `p<number>` is on this node."""
        port = f"p{number}"
        for node in self.lab.alive:
            kind = "" if node.name == home else "remote"
            options = (f"requested-tnl-key={10 + number}", f"requested-chassis={self.lab.specs[home].chassis}")
            add = ("--may-exist", "lsp-add", "sw", port, "--", "lsp-set-type", port, kind)
            place = ("--", "lsp-set-addresses", port, f"{mac(number)} 10.0.0.{number} fd10::{number}")
            node.zone.nbctl(*add, *place, "--", "lsp-set-options", port, *options)

    def pod(self, number: int, home: str) -> Endpoint:
        self.put(number, home)
        addresses = (f"10.0.0.{number}/24", f"fd10::{number}/64")
        pod = self.lab.pod(f"pod{number}", home, f"p{number}", mac(number), addresses)
        self.lab[home].wait_up(f"p{number}")
        self.lab.wait()
        return pod


def mac(number: int) -> str:
    return f"0a:58:0a:00:00:0{number}"


@pytest.fixture
def lab(ovn_lab: LabFactory) -> OvnLab:
    return ovn_lab([spec(1), spec(2)], OUTSIDE)


@pytest.mark.parametrize("version", [4, 6])
def test_pods_of_two_nodes_talk_through_a_tunnel(lab: OvnLab, version: int) -> None:
    switch = Switch(lab)
    first, second = switch.pod(1, "n1"), switch.pod(2, "n2")
    for kind in ("tcp", "udp"):
        second.serve(kind, 8000)
    with lab.capture("udp port 6081") as seen:
        first.ping(second.ip(version))
        for kind, size in (("tcp", 1_000_000), ("udp", 1000)):
            answer = first.ask(kind, second.ip(version), 8000, size)
            assert (answer.name, answer.peer) == ("pod2", first.ip(version))
        tunnel = r"172\.18\.0\.2\.\d+ > 172\.18\.0\.3\.6081: Geneve.* vni 0xff0003,"
        assert seen.wait(rf"{tunnel}.*{first.ip(version)} > {second.ip(version)}: ICMP6?,? echo request")


def test_host_and_node_reach_each_other(lab: OvnLab) -> None:
    lab.external.ping("172.18.0.2")
    lab.external.ping("fc00::3")
    lab.external.serve("tcp", 80)
    with pytest.raises(BedError, match=r"^python\S* failed \(1\): ConnectionRefusedError: "):
        lab.external.ask("tcp", "127.0.0.1", 81)
    assert lab.external.ask("tcp", "127.0.0.1", 80).name == "external"


def test_machine_moves_with_its_connections_and_its_old_node_dies(lab: OvnLab) -> None:
    switch = Switch(lab)
    moving, peer = switch.pod(1, "n1"), switch.pod(2, "n2")
    moving.serve("tcp", 8000)
    stream = peer.stream(moving.ip(4), 8000)
    stream.wait_more()
    known = moving.neighbour(peer.ip(4))
    assert known == mac(2)
    lab.move(moving, "n2")
    lab.kill("n1")
    switch.put(1, "n2")
    lab.wait()
    stream.wait_more()
    assert moving.neighbour(peer.ip(4)) == known
    assert [node.name for node in lab.alive] == ["n2"]


def test_killed_node_does_not_answer(lab: OvnLab) -> None:
    pids = lab["n1"].pids()
    assert set(pids) == {"nb", "sb", "northd", "ovsdb-server", "ovs-vswitchd", "ovn-controller", "relay"}
    lab.external.ping("172.18.0.2")
    lab.kill("n1")
    wait_until(lambda: not lab.external.reaches("172.18.0.2", 1), "silence", 60)
    assert lab.external.reaches("172.18.0.3", 30)


def test_interface_that_is_not_there_is_named(lab: OvnLab) -> None:
    with pytest.raises(BedError, match=r"^node n1 has no interface patch-x-to-br-int: not in the database$"):
        lab["n1"].share_uplink({"x": ("169.254.0.11",)})


_STARTS_A_LAB = """
import sys, time
from pathlib import Path
from tests.support.lab.lab_nodes import OUTSIDE, spec
from tests.testbed.ovnlab import OvnLab
with OvnLab([spec(1)], OUTSIDE, Path(sys.argv[1])) as lab:
    spaces = [lab["n1"].namespace, lab.external.namespace, lab.underlay]
    lab.external.serve("tcp", 80)
    print(*lab["n1"].pids().values(), *(space.pid for space in spaces), flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_ended_run_takes_its_programs_along(lab: OvnLab, tmp_path: Path, how: signal.Signals) -> None:
    argv = [sys.executable, "-c", _STARTS_A_LAB, str(tmp_path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]) as run:
        assert run.stdout is not None
        pids = run.stdout.readline().split()
        lived = [Path(f"/proc/{pid}").exists() for pid in pids]
        run.send_signal(how)
    assert lived == [True] * 10
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), "the programs' end", 60)
    # files in memory are all that is left
    for folder in Path("/dev/shm").glob(f"ovng-{run.pid}-*"):
        shutil.rmtree(folder)
    lab.external.ping("172.18.0.2")


def test_lab_leaves_nothing(lab: OvnLab, ovn_lab: LabFactory, tmp_path: Path) -> None:
    links = set(Path("/sys/class/net").iterdir())
    with OvnLab([spec(3)], OUTSIDE, tmp_path / "more") as other:
        pids = [*other["n3"].pids().values(), other["n3"].namespace.pid, other.external.namespace.pid]
        home = other["n3"].namespace.home
        assert all(Path(f"/proc/{pid}").exists() for pid in pids)
        assert set(Path("/sys/class/net").iterdir()) == links
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert not home.exists()
