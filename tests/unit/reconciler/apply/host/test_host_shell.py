"""Programs of the node that are missing, fail, or print something else: one clear text each, and the rest is done."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from stat import S_IRWXU

import pytest

from ovnguard.reconciler.apply.host.host import Host, read_table, replace_table
from ovnguard.reconciler.apply.host.host_commands import run_commands
from ovnguard.reconciler.apply.host.host_flows import read_flows
from ovnguard.reconciler.apply.host.host_routes import kernel_routes
from ovnguard.reconciler.apply.host.host_shell import Shell
from ovnguard.reconciler.apply.store_errors import StoreError, StoreUnavailableError, StoreUnusableError
from ovnguard.reconciler.plan.host.command_lines import commands_of
from ovnguard.reconciler.plan.host.host_diff import host_diff
from ovnguard.reconciler.plan.host.host_plan import HostPlan
from ovnguard.reconciler.plan.host.ip_json import Owned
from ovnguard.reconciler.plan.host.items import Flow, Item, Link, Port, Rule, Sysctl

NO_PORTS = 'echo \'{"headings": ["name", "mac", "mtu_request", "external_ids"], "data": []}\''


@pytest.fixture
def shell(tmp_path: Path) -> "Fakes":
    return Fakes(tmp_path)


class Fakes:
    """Shells whose programs are scripts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, programs: Mapping[str, str], prefix: tuple[str, ...] = ()) -> Shell:
        paths = []
        for name, text in programs.items():
            path = self._folder / name
            path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            path.chmod(S_IRWXU)
            paths.append((name, str(path)))
        return Shell(prefix, tuple(paths))


@pytest.mark.parametrize(
    ("name", "package"),
    [("ip", "iproute2"), ("nft", "nftables"), ("ovs-vsctl", "Open vSwitch"), ("other", "other")],
)
@pytest.mark.parametrize("prefix", [(), ("sh", "-c", 'exec "$0" "$@"')], ids=["alone", "entered"])
def test_a_program_that_is_missing(prefix: tuple[str, ...], name: str, package: str) -> None:
    with pytest.raises(StoreUnusableError) as caught:
        Shell(prefix, ((name, f"/nowhere/{name}"),)).run([name, "x"])
    assert str(caught.value) == f"{name}: no such program; install {package}"


def test_a_program_that_may_not_be_run(tmp_path: Path) -> None:
    (tmp_path / "nft").write_text("", encoding="utf-8")
    with pytest.raises(StoreUnusableError, match=r"^nft: Permission denied$"):
        Shell((), (("nft", str(tmp_path / "nft")),)).run(["nft"])


@pytest.mark.timing
def test_a_program_that_does_not_end(shell: Fakes) -> None:
    with pytest.raises(StoreUnavailableError, match=r"^ip did not end within 0.05 s$"):
        replace(shell({"ip": "exec sleep 5"}), seconds=0.05).run(["ip"])


@pytest.mark.timing
def test_a_program_is_killed_with_what_it_started(shell: Fakes) -> None:
    """A grandchild would keep the pipes open, and the caller waiting."""
    start = time.monotonic()
    with pytest.raises(StoreUnavailableError, match=r"^ip did not end within 0.2 s$"):
        replace(shell({"ip": "sleep 60 & wait"}), seconds=0.2).run(["ip"])
    assert time.monotonic() - start < 30


def test_a_program_that_prints_without_end(shell: Fakes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ovnguard.reconciler.apply.host.host_shell.MAX_OUTPUT", 3)
    with pytest.raises(StoreError, match=r"^ip printed more than 0 MiB$"):
        shell({"ip": "echo long"}).run(["ip"])


SAID = {
    "error": ("echo 'bad thing' >&2; exit 1", "ip -j link: bad thing"),
    "two lines": ("printf 'a\\n\\n b\\n' >&2; exit 1", "ip -j link: a; b"),
    "nothing": ("exit 3", "ip -j link: exit status 3"),
    "no JSON": ("echo hello", "ip printed invalid JSON: 'hello\\n'"),
}


@pytest.mark.parametrize(("script", "text"), SAID.values(), ids=SAID.keys())
def test_what_a_failing_program_says(shell: Fakes, script: str, text: str) -> None:
    with pytest.raises(StoreError) as caught:
        shell({"ip": script}).ask("ip", "-j", "link")
    assert str(caught.value) == text


def test_nothing_printed_is_nothing(shell: Fakes) -> None:
    assert shell({"ip": "true"}).ask("ip", "-j", "rule") is None


def test_no_table_is_an_empty_one(shell: Fakes) -> None:
    assert read_table(shell({"nft": "echo 'Error: No such file or directory' >&2; exit 1"})) == ((), ())


TABLES = {
    "refused": ("echo 'Operation not permitted' >&2; exit 1", "nft list table inet ovnguard: Operation not permitted"),
    "other": ("echo '{}'", "nft list table inet ovnguard: not a list of nftables objects"),
    "list": ("echo '[]'", "nft list table inet ovnguard: 'list' object has no attribute 'get'"),
}


@pytest.mark.parametrize(("script", "text"), TABLES.values(), ids=TABLES.keys())
def test_a_table_that_cannot_be_read(shell: Fakes, script: str, text: str) -> None:
    with pytest.raises(StoreError) as caught:
        read_table(shell({"nft": script}))
    assert str(caught.value) == text


def test_a_ruleset_that_is_refused(shell: Fakes) -> None:
    with pytest.raises(StoreError, match=r"^nft refuses the ruleset: no chain$"):
        replace_table(shell({"nft": "cat > /dev/null; echo 'no chain' >&2; exit 1"}), (), ())


def failures(shell: Shell, *items: Item) -> list[str]:
    return list(run_commands(shell, commands_of(host_diff(HostPlan("n"), HostPlan("n", items)))).values())


def test_a_line_of_a_batch_that_fails_is_the_operation_s(shell: Fakes) -> None:
    script = "cat > /dev/null; printf 'RTNETLINK answers: File exists\\nCommand failed -:2\\n' >&2; exit 1"
    assert failures(shell({"ip": script}), Rule(1, 4, 7), Rule(2, 4, 7), Rule(3, 4, 7)) == [
        "ip -4 rule add priority 2 lookup 7 protocol 118: RTNETLINK answers: File exists"
    ]


def test_a_batch_that_fails_as_a_whole_is_every_operation_s(shell: Fakes) -> None:
    texts = failures(shell({"ip": "echo 'no right' >&2; exit 2"}), Rule(1, 4, 7), Rule(2, 4, 7))
    assert texts == ["ip -4: no right", "ip -4: no right"]


def test_a_missing_program_keeps_the_others_from_nothing(shell: Fakes, tmp_path: Path) -> None:
    done = tmp_path / "done"
    fake = shell({"ip": f"cat >> {done}"})
    missing = Shell((), (*fake.programs, ("ovs-vsctl", "/nowhere/ovs-vsctl")))
    assert failures(missing, Port("p", "i", "m", 1), Link("p"), Rule(1, 6, 7)) == [
        "ovs-vsctl: no such program; install Open vSwitch"
    ]
    assert done.read_text(encoding="utf-8") == (
        "link set dev p nomaster up\nrule add priority 1 lookup 7 protocol 118\n"
    )


def test_the_switch_does_all_or_nothing(shell: Fakes) -> None:
    texts = failures(
        shell({"ovs-vsctl": "echo 'no bridge' >&2; exit 1"}), Port("p", "i", "m", 1), Port("q", "i", "m", 1)
    )
    assert texts == ["ovs-vsctl: no bridge", "ovs-vsctl: no bridge"]


def test_a_parameter_that_is_refused_is_named_alone(shell: Fakes) -> None:
    script = 'for word in "$@"; do case "$word" in b=*) echo "no b" >&2; exit 1;; esac; done'
    assert failures(shell({"sysctl": script}), Sysctl("a", "1"), Sysctl("b", "2"), Sysctl("c", "3")) == [
        "sysctl -w b=2: no b"
    ]


SWITCH = """case "$*" in
*list-ifaces*) printf 'eth0\\nbr-ex\\npatch-a\\nnew\\n';;
*"list Interface"*) echo '{"data": [["eth0", "", 1], ["br-ex", "internal", 65534], ["patch-a", "patch", 2], \
["new", "patch", ["set", []]], ["pod", "", 5]]}';;
*list-br*) printf 'br-ex\\nbr-int\\n';;
esac"""


def test_flows_are_written_by_numbers_and_those_whose_port_is_not_there_are_named(shell: Fakes, tmp_path: Path) -> None:
    written = tmp_path / "written"
    fake = shell({"ovs-vsctl": SWITCH, "ovs-ofctl": f'echo "$@" > {written}; cat >> {written}'})
    flows = [Flow("br-ex", 0, 10, f"in_port={{{port}}}", "output:{uplink}") for port in ("patch-a", "new", "gone")]
    assert failures(fake, *flows) == ["bridge br-ex has no port gone yet", "bridge br-ex has no port new yet"]
    assert written.read_text(encoding="utf-8") == (
        "-O OpenFlow15 --bundle add-flows br-ex -\n"
        "add cookie=0x6f766e67,table=0,priority=10,in_port=2,actions=output:1\n"
    )


def test_flows_of_a_port_that_is_gone_are_removed_by_its_number(shell: Fakes, tmp_path: Path) -> None:
    written = tmp_path / "written"
    dump = 'case "$*" in *dump-flows*) echo " cookie=0x6f766e67, priority=9,in_port=7 actions=output:1";; *)'
    fake = shell({"ovs-vsctl": SWITCH, "ovs-ofctl": f"{dump} cat > {written};; esac"})
    observed = HostPlan("n", read_flows(fake, "n", Owned({}, {}, ())))
    assert list(run_commands(fake, commands_of(host_diff(observed, HostPlan("n")))).values()) == []
    assert written.read_text(encoding="utf-8") == "delete_strict cookie=0x6f766e67/-1,table=0,priority=9,in_port=7\n"


def test_flows_are_read_of_every_bridge_but_ovns_own(shell: Fakes) -> None:
    dump = 'case "$*" in *br-int*) exit 1;; esac; echo " cookie=0x6f766e67, priority=9,in_port=2 actions=output:1"'
    fake = shell({"ovs-vsctl": SWITCH, "ovs-ofctl": dump})
    assert read_flows(fake, "n", Owned({}, {}, ())) == (Flow("br-ex", 0, 9, "in_port={patch-a}", "output:{uplink}"),)


BRIDGES = {
    "two uplinks": (
        SWITCH.replace('"internal"', '""'),
        "bridge br-ex has 2 ports that could be its uplink; exactly one is needed",
    ),
    "no table": ("echo '[]'", "ovs-vsctl list Interface: cannot be read: not a table of ovs-vsctl"),
    "no bridge": (
        "echo 'no bridge named br-ex' >&2; exit 1",
        "ovs-vsctl --timeout=30 list-ifaces br-ex: no bridge named br-ex",
    ),
}


@pytest.mark.parametrize(("script", "text"), BRIDGES.values(), ids=BRIDGES.keys())
def test_a_bridge_that_flows_cannot_be_written_to(shell: Fakes, script: str, text: str) -> None:
    assert failures(shell({"ovs-vsctl": script}), Flow("br-ex", 0, 9, "", "drop")) == [text]


def test_flows_that_the_switch_refuses(shell: Fakes) -> None:
    fake = shell({"ovs-vsctl": SWITCH, "ovs-ofctl": "cat > /dev/null; echo 'bad match' >&2; exit 1"})
    assert failures(fake, Flow("br-ex", 0, 9, "", "drop")) == ["ovs-ofctl: bad match"]


SHAPES = {
    "ip": ({"ip": 'echo \'[{"ifname": "x", "addr_info": [{}]}]\''}, "ip address: cannot be read: 'local'"),
    "ovs-vsctl": ({"ovs-vsctl": "echo '{}'"}, "ovs-vsctl: cannot be read: not a table of ovs-vsctl"),
}


@pytest.mark.parametrize(("programs", "text"), SHAPES.values(), ids=SHAPES.keys())
def test_words_that_no_program_says(shell: Fakes, programs: dict[str, str], text: str) -> None:
    with pytest.raises(StoreError) as caught:
        Host("n", shell({"ovs-vsctl": NO_PORTS, **programs})).observe()
    assert str(caught.value) == text


def test_too_many_routes_are_not_imported(shell: Fakes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ovnguard.reconciler.apply.host.host_routes.MAX_ROUTES", 1)
    script = 'case "$*" in *route*) echo \'[{"dst": "1.0.0.0/8"}, {"dst": "2.0.0.0/8"}]\';; *) echo "[{}]";; esac'
    with pytest.raises(StoreError, match="2 routes; more than 1 are not imported"):
        kernel_routes(Host("n", shell({"ip": script})))


def test_abilities_are_found_out_once(shell: Fakes, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    host = Host("n", shell({"unshare": f'echo "$@" >> {calls}; exit 2'}))
    assert (host.abilities().vrf, host.abilities().vrf) == (False, False)
    assert calls.read_text(encoding="utf-8") == "--net ip link add dev probe type vrf table 1\n"


def test_without_unshare_nobody_knows() -> None:
    assert Host("n", Shell((), (("unshare", "/nowhere/unshare"),))).abilities().vrf
