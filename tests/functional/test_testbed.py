"""The OVN and FRR beds do what tests lean on: real northd, real bgpd, and nothing left behind."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.testbed import frr_daemons, version
from tests.testbed.fixtures import need
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.ovn import OvnZone
from tests.testbed.parts import Parts
from tests.testbed.process import BedError, wait_until

pytestmark = pytest.mark.timing

ZoneFactory = Callable[[str], OvnZone]
LabFactory = Callable[[Sequence[FrrNode]], FrrLab]


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_zone_is_a_new_enough_ovn(ovn_zone: ZoneFactory, parts: Parts) -> None:
    zone = ovn_zone("n1")
    assert version.within(zone.nbctl("--version"), "25.03", None)
    assert version.find(zone.nbctl("--version")) == parts.ovn.version
    assert zone.appctl("northd", "status").strip() == "Status: active"


def test_northd_turns_a_switch_into_flows_that_trace(ovn_zone: ZoneFactory) -> None:
    zone = ovn_zone("n1")
    zone.nbctl("ls-add", "sw")
    for port, host in (("p1", 1), ("p2", 2)):
        zone.nbctl("lsp-add", "sw", port, "--", "lsp-set-addresses", port, f"0a:00:00:00:00:0{host} 10.0.0.{host}")
    zone.wait_sb()
    assert 'output("p2")' not in zone.trace("--minimal", "sw", 'inport=="p1" && eth.dst==0a:00:00:00:00:09')
    packet = 'inport=="p1" && eth.src==0a:00:00:00:00:01 && eth.dst==0a:00:00:00:00:02'
    assert 'output("p2")' in zone.trace("--minimal", "sw", packet)
    assert 'outport = "p2"' in zone.sbctl("lflow-list", "sw")


def test_zones_have_databases_of_their_own(ovn_zone: ZoneFactory) -> None:
    first, second = ovn_zone("n1"), ovn_zone("n2")
    first.nbctl("ls-add", "only-here")
    assert "only-here" in first.nbctl("ls-list")
    assert second.nbctl("ls-list") == ""


def test_refused_command_says_why(ovn_zone: ZoneFactory) -> None:
    with pytest.raises(BedError, match=r"^ovn-nbctl failed \(1\): ovn-nbctl: sw: switch name not found$"):
        ovn_zone("n1").nbctl("ls-del", "sw")


def test_zone_leaves_nothing(parts: Parts, tmp_path: Path) -> None:
    need(parts, "ovn")
    with OvnZone("n1", tmp_path, parts.ovn) as zone:
        pids, socket = zone.pids(), Path(zone.nb.removeprefix("unix:"))
        assert set(pids) == {"nb", "sb", "northd"}
        assert all(alive(pid) for pid in pids.values())
    assert not any(alive(pid) for pid in pids.values())
    assert not socket.parent.exists()
    assert "ovn-northd lock acquired" in zone.log("northd")


def test_zone_whose_start_fails_leaves_nothing(parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need(parts, "ovn")
    zone = OvnZone("n1", tmp_path, parts.ovn)

    def refuse(_seconds: float) -> None:
        raise BedError("northd is asleep")

    monkeypatch.setattr(zone, "wait_sb", refuse)
    with pytest.raises(BedError, match="northd is asleep"):
        zone.start()
    assert len(zone.pids()) == 3
    assert not any(alive(pid) for pid in zone.pids().values())


_STARTS_A_ZONE = """
import sys, time
from pathlib import Path
from tests.testbed.ovn import OvnZone
zone = OvnZone("n1", Path(sys.argv[1])).start()
print(*zone.pids().values(), zone.nb.removeprefix("unix:"), flush=True)
time.sleep(60)
"""


def test_killed_run_takes_its_programs_along(parts: Parts, tmp_path: Path) -> None:
    need(parts, "ovn")
    argv = [sys.executable, "-c", _STARTS_A_ZONE, str(tmp_path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as run:
        assert run.stdout is not None
        *pids, socket = run.stdout.readline().split()
        assert len(pids) == 3
        assert all(alive(int(pid)) for pid in pids)
        run.kill()
    wait_until(lambda: not any(alive(int(pid)) for pid in pids), "the programs' end", 60)
    shutil.rmtree(Path(socket).parent)


def mesh(own: int, others: Sequence[int]) -> str:
    """The frr.conf of node `own`: iBGP to every other node, its pod subnet announced; fast timers."""
    neighbors = "".join(f" neighbor 10.200.0.{other} peer-group MESH\n" for other in others)
    return f"""frr defaults traditional
router bgp 64512
 bgp router-id 10.200.0.{own}
 no bgp default ipv4-unicast
 neighbor MESH peer-group
 neighbor MESH remote-as 64512
 neighbor MESH timers connect 1
 neighbor MESH advertisement-interval 0
{neighbors} address-family ipv4 unicast
  network 10.128.{own}.0/24
  neighbor MESH activate
 exit-address-family
exit
"""


def node(own: int, others: Sequence[int]) -> FrrNode:
    return FrrNode(f"n{own}", [f"10.200.0.{own}/24"], mesh(own, others), [f"10.128.{own}.1/24"])


def test_two_nodes_exchange_their_pod_subnets(frr_lab: LabFactory, parts: Parts) -> None:
    lab = frr_lab([node(1, [2]), node(2, [1])])
    lab.wait_established()
    assert lab["n1"].peers() == {"10.200.0.2": "Established"}
    assert lab["n2"].peers() == {"10.200.0.1": "Established"}
    wait_until(lambda: all(member.bgp_routes() for member in lab.nodes.values()), "routes", 60)
    assert lab["n1"].bgp_routes() == {"10.128.2.0/24": "10.200.0.2"}
    assert lab["n2"].bgp_routes() == {"10.128.1.0/24": "10.200.0.1"}
    paths = lab["n1"].json("show bgp ipv4 unicast 10.128.2.0/24")["paths"]
    assert [path["peer"]["peerId"] for path in paths] == ["10.200.0.2"]
    if parts.tools.reason is None:
        ping = parts.tools.tool("ping")
        assert "1 received" in lab["n1"].namespace.run(ping, "-c1", "-W5", "-I", "10.128.1.1", "10.128.2.1")


def test_refused_configuration_stops_the_lab(frr_lab: LabFactory) -> None:
    with pytest.raises(BedError, match=r"node n1 refuses its frr\.conf: line 1: % Unknown command.*: routing bgp"):
        frr_lab([FrrNode("n1", ["10.200.0.1/24"], "routing bgp 64512\n")])


def test_session_that_cannot_come_up_is_named(frr_lab: LabFactory) -> None:
    lab = frr_lab([node(1, [9])])
    with pytest.raises(
        BedError, match=r"BGP sessions: not within 1 s: \{'n1': \{'10\.200\.0\.9': '(Active|Connect|Idle)'"
    ):
        lab.wait_established(1)


def test_lab_leaves_nothing_and_does_not_touch_the_host(frr_lab: LabFactory, parts: Parts, tmp_path: Path) -> None:
    group = Path("/etc/group").read_bytes()
    with FrrLab([node(1, [2])], tmp_path, parts.frr) as lab:
        pid, home = lab["n1"].namespace.pid, lab["n1"].namespace.home
        assert "frrvty" in lab["n1"].namespace.run("cat", "/etc/group")
        assert Path("/etc/group").read_bytes() == group
        with pytest.raises(BedError, match=r"^vtysh failed \(1\): % Unknown command: show nothing$"):
            lab["n1"].vtysh("show nothing")
    assert not alive(pid)
    assert not home.exists()
    assert not {"segment", "port1", "pods0"} & {link.name for link in Path("/sys/class/net").iterdir()}


@pytest.mark.parametrize(
    ("conf", "complaints"),
    [
        ("router bgp 64512\n neighbor 10.0.0.1 remote-as 64512\nexit\n", []),
        ("router bgp 64512\n neighbour 10.0.0.1\nexit\n", ["line 2: % Unknown command[28]: neighbour 10.0.0.1"]),
        ("router bgp 0x1\n", ["line 1: % Unknown command[4]: router bgp 0x1"]),
    ],
)
def test_dry_run(parts: Parts, conf: str, complaints: list[str]) -> None:
    need(parts, "frr")
    assert frr_daemons.check(conf, parts.frr) == complaints
