"""Files that change as a whole, and only when their text does."""

import os

import pytest

from ovnguard.reconciler.apply.store_errors import StoreUnusableError
from ovnguard.reconciler.dns.apply.node_files import MAX_OCTETS, read_text, remove, write_text


def test_file_is_written_once_in_a_new_folder(tmp_path):
    path = tmp_path / "etc" / "coredns" / "Corefile"
    assert read_text(path) == ""
    assert write_text(path, "one\n")
    before = path.stat().st_ino
    assert not write_text(path, "one\n")
    assert path.stat().st_ino == before
    assert write_text(path, "two\n")
    assert (read_text(path), path.stat().st_mode & 0o777) == ("two\n", 0o644)


def test_leftovers_of_a_killed_writer_are_removed(tmp_path):
    (tmp_path / ".ovnguard-Corefile-abc").write_text("half")
    (tmp_path / ".ovnguard-other-abc").write_text("of another file")
    write_text(tmp_path / "Corefile", "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".ovnguard-other-abc", "Corefile"]


def test_only_regular_files_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "."):
        with pytest.raises(StoreUnusableError, match=r": is not a regular file$"):
            write_text(tmp_path / name, "text")


def test_long_file_is_not_read(tmp_path):
    path = tmp_path / "Corefile"
    path.write_bytes(b"a" * (MAX_OCTETS + 1))
    with pytest.raises(StoreUnusableError, match=f"^{path}: is longer than {MAX_OCTETS} octets$"):
        read_text(path)


def test_octets_that_are_no_text_are_replaced(tmp_path):
    path = tmp_path / "Corefile"
    path.write_bytes(b"\xff")
    assert write_text(path, "text")
    assert path.read_bytes() == b"text"


def test_removal_of_a_file_or_of_none(tmp_path):
    path = tmp_path / "pod.yaml"
    path.write_text("")
    assert remove(path)
    assert not remove(path)
    with pytest.raises(StoreUnusableError):
        remove(tmp_path)
