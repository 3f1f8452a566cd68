"""The pure pieces of the beds: FRR's group file and complaints, children, waiting, certificates."""

import ssl
from pathlib import Path

import pytest

from tests.testbed import frr_daemons, netns, parts, pki
from tests.testbed.process import BedError, CallError, Child, call, scratch, unique, wait_until


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("root:x:0:\n", "root:x:0:\nfrrvty:x:990:root\n"),
        ("root:x:0:\nother:x:990:\n", "root:x:0:\nother:x:990:\nfrrvty:x:989:root\n"),
        ("frrvty:x:101:frr\nroot:x:0:\n", "frrvty:x:101:frr,root\nroot:x:0:\n"),
        ("frrvty:x:101:root\n", "frrvty:x:101:root\n"),
        ("+:::\nfrrvty\n", "+:::\nfrrvty\nfrrvty:x:990:root\n"),
        ("", "frrvty:x:990:root\n"),
    ],
)
def test_group_file(text: str, result: str) -> None:
    assert frr_daemons.group_file(text) == result


def test_error_lines_are_complaints_once_each() -> None:
    output = """\
[1|zebra] sending configuration
[2|bgpd] sending configuration
line 2: % Unknown command[28]:  bla
line 2: % Unknown command[28]:  bla
[1|zebra] Configuration file[/x/frr.conf] processing failure: 2
% Specify remote-as or peer-group commands first
Waiting for children to finish applying config...
"""
    assert frr_daemons.error_lines(output) == [
        "line 2: % Unknown command[28]: bla",
        "% Specify remote-as or peer-group commands first",
    ]


def test_missing_part_is_a_lookup_error(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match=r"^frr: not installed; run make testbed$"):
        frr_daemons.check("", parts.find(tmp_path).frr)


@pytest.mark.timing
def test_child_is_stopped_and_its_output_kept(tmp_path: Path) -> None:
    with Child("sleeper", ["sh", "-c", "echo awake; exec sleep 60"], tmp_path / "log") as child:
        wait_until(lambda: "awake" in child.tail(), "output", 60, [child])
        assert Path(f"/proc/{child.pid}").exists()
    assert child.process.returncode == -15
    assert child.tail() == "awake"


@pytest.mark.timing
def test_dead_child_ends_the_wait(tmp_path: Path) -> None:
    with (
        Child("broken", ["sh", "-c", "echo no licence; exit 3"], tmp_path / "log") as child,
        pytest.raises(BedError, match=r"^broken ended with status 3:\nno licence$"),
    ):
        wait_until(lambda: False, "nothing", 5, [child])


def test_a_timeout_names_the_condition() -> None:
    with pytest.raises(BedError, match=r"^the moon: not within 0 s$"):
        wait_until(lambda: False, "the moon", 0.05)


@pytest.mark.timing
def test_call() -> None:
    assert call(["sh", "-c", "echo yes"]) == "yes\n"
    with pytest.raises(CallError, match=r"^sh failed \(4\): no$") as caught:
        call(["sh", "-c", "echo said; echo no >&2; exit 4"])
    assert caught.value.output == "said\nno\n"
    with pytest.raises(BedError, match=r"^sleep took longer than 0 s$"):
        call(["sleep", "5"], 0.05)


def test_scratch_is_short_and_goes() -> None:
    with scratch("a-label-that-is-much-longer-than-needed") as folder:
        (folder / "file").write_text("")
        assert len(str(folder)) < 60
    assert not folder.exists()


def test_names_are_unique() -> None:
    assert len({unique("n1") for _ in range(20)}) > 1


def test_certificates_of_a_test_authority(tmp_path: Path) -> None:
    authority = pki.Authority(tmp_path)
    serving, client = authority.server("apiserver"), authority.client("admin", "system:masters")
    context = ssl.create_default_context(cafile=str(authority.ca_file))
    for pair in (serving, client):
        context.load_cert_chain(pair.cert, pair.key)
        assert pair.key.stat().st_mode & 0o077 == 0
    assert serving.key.read_text().startswith("-----BEGIN EC PRIVATE KEY-----")


LOCKED = "% Can't enter config; running datastore locked by another session"


@pytest.mark.parametrize(
    ("answers", "outcome", "loads"),
    [
        ([[LOCKED], [LOCKED], []], [], 3),
        ([[LOCKED], ["line 1: % Unknown command[4]: bla"]], ["line 1: % Unknown command[4]: bla"], 2),
        ([["line 1: % Unknown command[4]: bla"]], ["line 1: % Unknown command[4]: bla"], 1),
        ([[]], [], 1),
    ],
)
def test_locked_datastore_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: list[list[str]], outcome: list[str], loads: int
) -> None:
    node, left = frr_daemons.FrrDaemons("n1"), list(answers)
    monkeypatch.setattr(node, "_ns", netns.Namespace("n1", tmp_path))
    monkeypatch.setattr(node, "_vtysh", lambda *args: list(args))
    monkeypatch.setattr(frr_daemons, "_vtysh_file", lambda _argv: left.pop(0))
    assert node.load("router bgp 64512\n") == outcome
    assert len(answers) - len(left) == loads


def test_a_datastore_that_stays_locked_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = frr_daemons.FrrDaemons("n1")
    monkeypatch.setattr(node, "_ns", netns.Namespace("n1", tmp_path))
    monkeypatch.setattr(node, "_vtysh", lambda *args: list(args))
    monkeypatch.setattr(frr_daemons, "_vtysh_file", lambda _argv: [LOCKED])
    monkeypatch.setattr(frr_daemons, "LOCK_SECONDS", 0.1)
    assert node.load("") == [LOCKED]
