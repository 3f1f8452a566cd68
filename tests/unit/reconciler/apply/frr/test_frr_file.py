"""frr.conf is checked, replaced whole and loaded, only when it differs, and never forgotten."""

import os
import stat
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.frr.frr_file import MARK, FrrFile
from ovnguard.reconciler.apply.frr.frr_reload import RunCommand
from ovnguard.reconciler.apply.frr.vtysh import Vtysh
from ovnguard.reconciler.apply.store_errors import FrrForeignError, FrrRefusedError, StoreError


def script(path: Path, body: str) -> str:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.fixture
def bench(tmp_path: Path):
    """A folder with a vtysh that likes all but 'bad', a reload that counts, and a file to make it fail."""

    class Bench:
        conf = tmp_path / "frr.conf"
        calls = tmp_path / "calls"
        broken = tmp_path / "broken"
        vtysh = script(
            tmp_path / "vtysh", 'if grep -q bad "$3"; then echo "line 1: % Unknown command: bad"; exit 2; fi'
        )
        reload = script(tmp_path / "reload", f'echo "$1" >> {calls}; test ! -e {broken} || {{ echo no >&2; exit 5; }}')

        def file(self) -> FrrFile:
            return FrrFile(self.conf, RunCommand((self.reload, "now"), None), Vtysh(self.vtysh).check)

        def reloads(self) -> list[str]:
            return self.calls.read_text().split() if self.calls.exists() else []

    return Bench()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_without_reload_it_is_a_file(tmp_path):
    file = FrrFile(tmp_path / "new" / "frr.conf")
    assert file.write("a\n")
    assert not file.write("a\n")
    assert (tmp_path / "new" / "frr.conf").read_text() == f"{MARK}a\n"
    assert names(tmp_path / "new") == [".frr.conf.ovnguard", "frr.conf"]


def test_nothing_to_say_and_no_file_is_nothing_to_do(bench):
    assert not bench.file().write("")
    assert not bench.conf.exists()


def test_an_empty_configuration_replaces_ours_and_keeps_a_foreign_one(bench):
    bench.conf.write_text("router bgp 1\n")
    assert not bench.file().write("")
    assert bench.conf.read_text() == "router bgp 1\n"
    bench.conf.unlink()
    assert bench.file().write("ours\n")
    assert bench.file().write("")
    assert bench.conf.read_text() == ""
    assert not bench.file().write("")
    assert bench.reloads() == ["now", "now"]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: Path(path).symlink_to("/dev/null")])
def test_what_is_not_a_regular_file_is_never_replaced(bench, make):
    make(bench.conf)
    before = bench.conf.lstat()
    with pytest.raises(FrrForeignError) as raised:
        bench.file().write("ours\n")
    assert str(raised.value) == f"{bench.conf}: is not a regular file"
    assert os.path.samestat(bench.conf.lstat(), before)
    assert bench.reloads() == []


@pytest.mark.parametrize("text", ["router bgp 1\n", f"\n{MARK}", "!\n"])
def test_a_configuration_of_somebody_else_is_never_replaced(bench, text):
    bench.conf.write_text(text)
    with pytest.raises(FrrForeignError) as raised:
        bench.file().write("ours\n")
    reason = "is a configuration of somebody else (its first line is not ovnguard's mark); move it away"
    assert str(raised.value) == f"{bench.conf}: {reason}"
    assert (bench.conf.read_text(), bench.reloads()) == (text, [])
    assert names(bench.conf.parent) == ["frr.conf", "reload", "vtysh"]
    bench.conf.unlink()
    assert bench.file().write("ours\n")


@pytest.mark.parametrize("text", ["", " \n\n"])
def test_an_empty_file_is_not_foreign(bench, text):
    bench.conf.write_text(text)
    assert bench.file().write("ours\n")
    assert bench.conf.read_text() == f"{MARK}ours\n"


def test_what_frr_itself_wrote_in_place_of_ours_stays(bench):
    """`write memory` drops comments, so the mark goes with what somebody changed in FRR."""
    bench.file().write("ours\n")
    bench.conf.write_text("ours\nand theirs\n")
    with pytest.raises(FrrForeignError):
        bench.file().write("new\n")
    assert not bench.file().write("")
    assert bench.conf.read_text() == "ours\nand theirs\n"


def test_a_change_is_loaded_once(bench):
    assert bench.file().write("one\n")
    assert not bench.file().write("one\n")
    assert bench.file().write("two\n")
    assert bench.reloads() == ["now", "now"]
    assert bench.conf.read_text() == f"{MARK}two\n"


def test_what_the_check_refuses_is_not_installed(bench):
    bench.file().write("one\n")
    with pytest.raises(FrrRefusedError) as raised:
        bench.file().write("bad\n")
    assert str(raised.value) == f"{bench.conf}: {bench.vtysh} -C ended with 2: line 1: % Unknown command: bad"
    assert bench.conf.read_text() == f"{MARK}one\n"
    assert bench.reloads() == ["now"]
    assert [name for name in names(bench.conf.parent) if name.startswith(".")] == [".frr.conf.ovnguard"]


def test_a_reload_that_failed_is_due_even_after_a_restart(bench):
    bench.broken.touch()
    for _ in range(2):
        with pytest.raises(FrrRefusedError, match=r"frr\.conf: .*/reload now ended with 5: no$"):
            bench.file().write("one\n")
    assert bench.conf.read_text() == f"{MARK}one\n"
    bench.broken.unlink()
    assert bench.file().write("one\n")
    assert not bench.file().write("one\n")
    assert bench.reloads() == ["now"] * 3


def test_a_reload_command_that_is_not_there(tmp_path):
    file = FrrFile(tmp_path / "frr.conf", RunCommand((str(tmp_path / "nothing"),), None))
    with pytest.raises(FrrRefusedError, match=r"frr\.conf: .*/nothing: no such program; install .*/nothing$"):
        file.write("one\n")


def test_leftovers_of_a_killed_writer_are_swept(tmp_path):
    (tmp_path / ".ovnguard-frr.conf-abc").write_text("half")
    FrrFile(tmp_path / "frr.conf").write("a\n")
    assert names(tmp_path) == [".frr.conf.ovnguard", "frr.conf"]


def test_a_path_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"Not a directory|File exists"):
        FrrFile(tmp_path / "file" / "frr.conf").write("a\n")


def test_the_last_file_that_frr_loaded_is_kept(bench):
    previous = bench.conf.with_name("frr.conf.previous")
    bench.file().write("one\n")
    assert not previous.exists()
    bench.file().write("two\n")
    assert previous.read_text() == f"{MARK}one\n"
    bench.broken.touch()
    for text in ("three\n", "four\n"):
        with pytest.raises(FrrRefusedError):
            bench.file().write(text)
    assert previous.read_text() == f"{MARK}two\n"


def test_a_hidden_password_is_never_written(bench):
    with pytest.raises(FrrRefusedError) as raised:
        bench.file().write("router bgp 1\n neighbor 10.0.0.3 password <hidden>\n")
    assert str(raised.value) == f"{bench.conf}: a password of the configuration is hidden or unknown"
    assert not bench.conf.exists()


def test_only_a_text_of_ours_is_read(tmp_path):
    file, path = FrrFile(tmp_path / "frr.conf"), tmp_path / "frr.conf"
    assert file.read() == ""
    file.write("router bgp 1\n")
    assert file.read() == "router bgp 1\n"
    path.write_text("hostname mine\n")
    assert file.read() == ""
    path.unlink()
    path.mkdir()
    assert file.read() == ""
