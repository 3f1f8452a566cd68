"""The command: what it prints, when it works, when it waits, and its exit codes."""

import json
import platform
import time
from pathlib import Path

import pytest

from tests.testbed import __main__ as command
from tests.testbed import pins, recipes, store
from tests.testbed.command import CommandError
from tests.testbed.recipes import Got, Kitchen

KNOWN = pins.load().parts
CALLS: list[str] = []


def recipe(_kitchen: Kitchen, pin: pins.Pin, work: Path) -> Got:
    CALLS.append(pin.name)
    if pin.name == "frr":
        raise CommandError("no mirror")
    (work / "tool").write_text("")
    return Got("1.2", "a test", dict.fromkeys(pin.tools[:1], "tool"), {}, {})


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, with recipes that bring every part but frr."""
    CALLS.clear()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(recipes, "RECIPES", dict.fromkeys(KNOWN, (recipe,)))
    return tmp_path / "ovnguard" / "testbed"


def test_table(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([]) == 0
    out, err = capsys.readouterr()
    assert out == (
        f"test bed in {base}\n"
        "part                     version  where from\n"
        "ovn                      1.2      a test\n"
        "frr                      -        missing: no mirror\n"
        "tools                    1.2      a test\n"
        "etcd                     1.2      a test\n"
        "kube-apiserver           1.2      a test\n"
        "kube-controller-manager  1.2      a test\n"
        "coredns                  1.2      a test\n"
        "policy-verdict           1.2      a test\n"
        "crd-verdict              1.2      a test\n"
        "gotemplate               1.2      a test\n"
        "helm                     1.2      a test\n"
        "kwok                     1.2      a test\n"
        "promtool                 1.2      a test\n"
        "chromium                 1.2      a test\n"
        "report-schemas           1.2      a test\n"
        "site-scripts             1.2      a test\n"
    )
    assert "testbed: frr: not got: no mirror\n" in err
    assert "testbed: kwok: part 12 of 16; left after it: promtool, chromium, report-schemas, site-scripts\n" in err
    assert "testbed: site-scripts: part 16 of 16; left after it: nothing\n" in err


@pytest.mark.parametrize(("machine", "code"), [("x86_64", 1), ("riscv64", 0)])
def test_all_parts_are_demanded_where_they_can_be_had(
    base: Path, monkeypatch: pytest.MonkeyPatch, machine: str, code: int
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert command.main(["--all"]) == code
    assert command.main(["--all", "--only", "etcd"]) == 0


def test_warm_run_does_nothing(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.main([])
    first = capsys.readouterr().out
    CALLS.clear()
    assert command.main([]) == 0
    assert capsys.readouterr() == (first, "")
    assert CALLS == []


@pytest.mark.parametrize("argv", [["--retry"], ["--only", "frr"]])
def test_what_was_missing_is_tried_again_when_asked(base: Path, argv: list[str]) -> None:
    command.main([])
    CALLS.clear()
    command.main(argv)
    assert CALLS == ["frr"]


def test_what_was_missing_is_tried_again_later(
    base: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command.main([])
    CALLS.clear()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 300)
    command.main([])
    assert CALLS == []
    assert "missing: no mirror (tried 5 min ago; again with --retry)\n" in capsys.readouterr().out
    monkeypatch.setattr(time, "time", lambda: now + 601)
    command.main([])
    assert CALLS == ["frr"]


def test_list_gets_nothing(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--list", "--only", "etcd"]) == 0
    assert capsys.readouterr().out == (f"test bed in {base}\npart  version  where from\netcd  -        not installed\n")
    assert CALLS == []
    assert not base.exists()


def test_json(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--json", "--only", "frr", "--only", "etcd"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["folder"] == str(base)
    assert result["parts"]["frr"]["reason"] == "no mirror"
    assert result["parts"]["etcd"]["version"] == "1.2"
    assert result["parts"]["etcd"]["tools"] == {"etcd": "tool"}


def test_broken_call(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(["--only", "ovs"])
    assert caught.value.code == 2
    assert "argument --only: invalid choice: 'ovs'" in capsys.readouterr().err


def test_cache_that_cannot_be_written(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base.parent.parent.mkdir(exist_ok=True)
    base.parent.write_text("a file where a folder should be")
    assert command.main([]) == 1
    assert capsys.readouterr().err == f"testbed: cannot write {base}: Not a directory\n"


def test_damaged_part_is_got_again(base: Path) -> None:
    command.main(["--only", "etcd"])
    (store.folder(base, KNOWN["etcd"]) / "tool").unlink()
    CALLS.clear()
    command.main(["--only", "etcd"])
    assert CALLS == ["etcd"]
