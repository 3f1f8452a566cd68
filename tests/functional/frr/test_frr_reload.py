"""frr.conf in a running FRR: loaded without disturbing other sessions, read back, and repaired after every accident."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_interface
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.frr.frr_file import MARK, FrrFile
from ovnguard.reconciler.apply.frr.frr_reload import LoadDifferences
from ovnguard.reconciler.apply.frr.vtysh import Vtysh
from ovnguard.reconciler.apply.store_errors import (
    FrrRefusedError,
    StoreError,
    StoreUnavailableError,
    StoreUnusableError,
)
from ovnguard.validators.network.model import ManagedBGP
from tests.support.frr_nodes import bare_nodes, confs, counters, file_of, vtysh_of, write
from tests.support.plan_samples import default_network, nodes
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.process import wait_until

LabFactory = Callable[[Sequence[FrrNode]], FrrLab]
PEER2, PEER3, PEER4 = "172.18.0.3", "172.18.0.4", "172.18.0.5"


def established(node: FrrNode, *peers: str) -> Callable[[], bool]:
    return lambda: {peer for peer, state in node.peers().items() if state == "Established"} == set(peers)


def test_an_empty_frr_gets_everything_and_a_second_pass_changes_nothing(frr_lab: LabFactory) -> None:
    members = nodes(3)
    lab, texts = frr_lab(bare_nodes(members)), confs(default_network(), members)
    for name, node in lab.nodes.items():
        assert file_of(node).write(texts[name])
        assert not file_of(node).write(texts[name])
    lab.wait_established()
    wait_until(lambda: len(lab["node1"].bgp_routes()) == 2, "routes of node1", 60)


def test_a_node_comes_and_goes_without_a_reset_of_other_sessions(frr_lab: LabFactory) -> None:
    four, three = nodes(4), nodes(3)
    lab, with_three, with_four = (
        frr_lab(bare_nodes(four)),
        confs(default_network(), three),
        confs(default_network(), four),
    )
    first = [lab[each.name] for each in three]
    for node in first:
        file_of(node).write(with_three[node.name])
    wait_until(established(lab["node1"], PEER2, PEER3), "three nodes", 60)
    write(lab, with_four)
    wait_until(established(lab["node1"], PEER2, PEER3, PEER4), "the fourth node", 60)
    wait_until(lambda: len(lab["node1"].bgp_routes()) == 3, "routes of four nodes", 60)
    for node in first:
        file_of(node).write(with_three[node.name])
    wait_until(established(lab["node1"], PEER2, PEER3), "three nodes again", 60)
    wait_until(lambda: len(lab["node1"].bgp_routes()) == 2, "routes of three nodes", 60)
    assert counters(lab["node1"]) == {PEER2: (1, 0), PEER3: (1, 0)}
    previous = lab["node1"].namespace.home / "etc" / "frr.conf.previous"
    assert previous.read_text(encoding="utf-8") == f"{MARK}{with_four['node1']}"


def test_a_node_with_a_new_address_is_found_again(frr_lab: LabFactory) -> None:
    members = nodes(3)
    lab = frr_lab(bare_nodes(members))
    write(lab, confs(default_network(), members))
    lab.wait_established()
    moved = members[2]._replace(
        internal_ips=(ip_address("172.18.0.9"),),
        primary_addresses=(ip_interface("172.18.0.9/16"),),
    )
    lab["node3"].namespace.ip("address", "del", f"{PEER3}/16", "dev", "eth0")
    lab["node3"].namespace.add_address("eth0", "172.18.0.9/16")
    write(lab, confs(default_network(), [*members[:2], moved]))
    # Its FRR keeps sessions from the lost address until their hold time of 180 s ends.
    lab["node3"].vtysh("clear bgp *")
    wait_until(established(lab["node1"], PEER2, "172.18.0.9"), "the node's new address", 60)
    assert counters(lab["node1"])[PEER2] == (1, 0)


def test_another_as_number_node_by_node(frr_lab: LabFactory) -> None:
    """Sessions between a node with the old number and one with the new one stay down; at the end all are up."""
    members = nodes(3)
    lab = frr_lab(bare_nodes(members))
    old = confs(default_network(), members)
    new = confs(default_network(managed_bgp=ManagedBGP(64600, "full-mesh")), members)
    write(lab, old)
    lab.wait_established()
    file_of(lab["node1"]).write(new["node1"])
    wait_until(established(lab["node2"], PEER3), "old nodes among themselves", 60)
    file_of(lab["node2"]).write(new["node2"])
    wait_until(established(lab["node1"], PEER2), "new nodes among themselves", 90)
    file_of(lab["node3"]).write(new["node3"])
    lab.wait_established()
    assert lab["node3"].json("show bgp summary")["ipv4Unicast"]["as"] == 64600


def test_a_restarted_bgpd_gets_its_configuration_back(frr_lab: LabFactory) -> None:
    members = nodes(3)
    lab, texts = frr_lab(bare_nodes(members)), confs(default_network(), members)
    write(lab, texts)
    lab.wait_established()
    lab["node1"].kill("bgpd")
    with pytest.raises(StoreUnavailableError, match=r"vtysh: show running-config bgpd: .*; does bgpd run\?$"):
        file_of(lab["node1"]).write(texts["node1"])
    lab["node1"].revive("bgpd", "")
    assert file_of(lab["node1"]).write(texts["node1"])
    lab.wait_established()
    wait_until(lambda: len(lab["node1"].bgp_routes()) == 2, "routes of node1", 60)
    wait_until(lambda: len(lab["node2"].bgp_routes()) == 2, "routes of node2", 60)
    assert counters(lab["node2"])[PEER3] == (1, 0)


def test_what_is_changed_by_hand_is_repaired(frr_lab: LabFactory) -> None:
    members = nodes(2)
    lab, texts = frr_lab(bare_nodes(members)), confs(default_network(), members)
    write(lab, texts)
    lab.wait_established()
    lab["node1"].vtysh(
        "configure terminal", "router bgp 64512", "no neighbor 172.18.0.3", "neighbor 9.9.9.9 remote-as 1"
    )
    assert file_of(lab["node1"]).write(texts["node1"])
    assert set(lab["node1"].peers()) == {PEER2}
    assert not file_of(lab["node1"]).write(texts["node1"])


def test_wrong_syntax_never_reaches_frr(frr_lab: LabFactory) -> None:
    members = nodes(2)
    lab, texts = frr_lab(bare_nodes(members)), confs(default_network(), members)
    write(lab, texts)
    lab.wait_established()
    with pytest.raises(FrrRefusedError, match=r"vtysh -C ended with 2: line \d+: % Unknown command"):
        file_of(lab["node1"]).write(f"{texts['node1']}router bgp 64512\n neighbour 1.2.3.4 password secret\n")
    assert (lab["node1"].namespace.home / "etc" / "frr.conf").read_text(encoding="utf-8") == f"{MARK}{texts['node1']}"
    assert not file_of(lab["node1"]).write(texts["node1"])
    assert counters(lab["node1"]) == {PEER2: (1, 0)}


def test_what_frr_refuses_on_loading_is_named_and_the_rest_runs(frr_lab: LabFactory) -> None:
    members = nodes(2)
    lab, texts = frr_lab(bare_nodes(members)), confs(default_network(), members)
    write(lab, texts)
    lab.wait_established()
    extra = "router bgp 64512\n neighbor 172.18.0.3 peer-group NONE\n neighbor 172.18.0.3 description more\n"
    with pytest.raises(FrrRefusedError, match=r"lacks router bgp 64512, neighbor 172\.18\.0\.3 peer-group NONE: .*%"):
        file_of(lab["node1"]).write(f"{texts['node1']}{extra}")
    assert "description more" in vtysh_of(lab["node1"]).running().whole
    assert counters(lab["node1"]) == {PEER2: (1, 0)}
    assert file_of(lab["node1"]).write(texts["node1"])


def test_a_daemon_that_does_not_run_is_no_success(frr_lab: LabFactory) -> None:
    """vtysh accepts commands of bfdd without a bfdd."""
    lab = frr_lab(bare_nodes(nodes(1)))
    with pytest.raises(FrrRefusedError) as raised:
        file_of(lab["node1"]).write("bfd\n profile fast\n  receive-interval 50\n")
    text = "lacks bfd, profile fast; lacks bfd, profile fast, receive-interval 50; is bfdd running?"
    assert str(raised.value).endswith(f": after the reload, the running configuration {text}")


def test_without_frr(frr_lab: LabFactory) -> None:
    lab = frr_lab(bare_nodes(nodes(1)))
    for daemon in tuple(lab["node1"].pids):
        lab["node1"].kill(daemon)
    with pytest.raises(StoreUnavailableError, match=r"show running-config: .*failed to connect to any daemons"):
        file_of(lab["node1"]).write("router bgp 1\n")
    with pytest.raises(StoreUnusableError, match=r"^/none/vtysh: no such program; install /none/vtysh$"):
        file_of(lab["node1"], Vtysh("/none/vtysh")).write("router bgp 2\n")


def test_a_vtysh_that_may_not_talk_to_frr(frr_lab: LabFactory, tmp_path: Path) -> None:
    lab = frr_lab(bare_nodes(nodes(1)))
    (tmp_path / "vtysh.conf").write_text("service integrated-vtysh-config\n", encoding="utf-8")
    mute = replace(vtysh_of(lab["node1"]), config_dir=tmp_path)
    with pytest.raises(StoreError) as raised:
        file_of(lab["node1"], mute).write("router bgp 1\n")
    reason = 'it printed nothing and exited with 0: has vtysh.conf the line "username root nopassword"?'
    assert str(raised.value) == f"{mute.program}: show running-config: {reason}"


def test_a_vtysh_that_hangs_is_ended(frr_lab: LabFactory) -> None:
    members = nodes(1)
    lab = frr_lab(bare_nodes(members))
    os.kill(lab["node1"].pids["bgpd"], signal.SIGSTOP)
    try:
        start = time.monotonic()
        with pytest.raises(StoreUnavailableError, match=r"vtysh did not end within 0.5 s$"):
            file_of(lab["node1"], vtysh_of(lab["node1"], seconds=0.5)).write("router bgp 1\n")
        assert time.monotonic() - start < 20
    finally:
        os.kill(lab["node1"].pids["bgpd"], signal.SIGCONT)
    assert file_of(lab["node1"]).write("router bgp 1\n")


@dataclass(frozen=True, slots=True)
class Killed(Vtysh):
    """A vtysh that loads half of the commands; then the reconciler ends."""

    def load(self, commands: str) -> str:
        lines = commands.splitlines(keepends=True)
        Vtysh.load(self, "".join(lines[: len(lines) // 2]))
        raise SystemExit


def test_a_reload_that_was_killed_half_way_is_completed(frr_lab: LabFactory) -> None:
    members = nodes(2)
    lab, texts = frr_lab(bare_nodes(members)), confs(default_network(), members)
    whole = vtysh_of(lab["node1"])
    killed = Killed(whole.program, whole.pathspace, whole.config_dir, whole.shell)
    file_of(lab["node2"]).write(texts["node2"])
    with pytest.raises(SystemExit):
        file_of(lab["node1"], killed).write(texts["node1"])
    assert "route-map 172.18.0.3-out permit 1" in whole.running().whole
    assert "router bgp" not in whole.running().whole
    assert file_of(lab["node1"]).write(texts["node1"])
    lab.wait_established()


def test_a_full_disk_leaves_the_old_file(frr_lab: LabFactory) -> None:
    members = nodes(2)
    lab, texts = frr_lab(bare_nodes(members)), confs(default_network(), members)
    node = lab["node1"]
    (node.namespace.home / "etc").mkdir()
    node.namespace.run("mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", node.namespace.home / "etc")
    inside = Path(f"/proc/{node.namespace.pid}/root{node.namespace.home}/etc/frr.conf")
    vtysh = vtysh_of(node)

    def file() -> FrrFile:
        return FrrFile(inside, LoadDifferences(vtysh), lambda _: None)

    file().write(texts["node1"])
    with pytest.raises(StoreError, match=r"frr\.conf.*: No space left on device$"):
        file().write(texts["node1"] + "! filler\n" * 10_000)
    assert inside.read_text(encoding="utf-8") == f"{MARK}{texts['node1']}"
    assert sorted(each.name for each in inside.parent.iterdir()) == [".frr.conf.ovnguard", "frr.conf"]
    assert not file().write(texts["node1"])
