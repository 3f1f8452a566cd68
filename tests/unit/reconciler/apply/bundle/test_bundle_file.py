"""The file of a bundle: whole, or not there."""

import io
import tarfile

import pytest

from ovnguard.reconciler.apply.bundle.bundle_file import bundle_file
from ovnguard.reconciler.apply.store_errors import StoreError, StoreUnusableError
from tests.support.bundled_cluster import contents


def test_a_file_is_there_at_the_end_and_only_its_owner_reads_it(tmp_path):
    target = tmp_path / "b.tar.gz"
    with bundle_file(str(target), 1_700_000_000.5) as bundle:
        bundle.add("a/b.json", {"a": 1})
        bundle.copy("c", io.BytesIO(b"12345"), 3)
        assert not target.exists()
    with tarfile.open(target) as tar:
        assert [(each.name, each.mtime, each.size) for each in tar] == [
            ("a/b.json", 1_700_000_000, 7),
            ("c", 1_700_000_000, 3),
        ]
    assert contents(target.read_bytes()) == {"a/b.json": b'{"a":1}', "c": b"123"}
    assert target.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [target]


def test_standard_output_is_the_file_alone(monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written))
    with bundle_file("-", 0) as bundle:
        bundle.add("a", {})
    assert contents(written.getvalue()) == {"a": b"{}"}


def test_a_fault_leaves_the_earlier_file(tmp_path):
    target = tmp_path / "b.tar.gz"
    target.write_bytes(b"earlier")
    with pytest.raises(ZeroDivisionError), bundle_file(str(target), 0) as bundle:
        bundle.add("a", {"a": 1 // 0})
    assert target.read_bytes() == b"earlier"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_is_not_there_is_one_error(tmp_path):
    with (
        pytest.raises(StoreError, match=r"/no/b\.tar\.gz: No such file or directory$"),
        bundle_file(str(tmp_path / "no" / "b.tar.gz"), 0),
    ):
        raise AssertionError("not reached")


def test_a_folder_in_the_place_of_the_file_is_one_error(tmp_path):
    (tmp_path / "b").mkdir()
    with pytest.raises(StoreUnusableError), bundle_file(str(tmp_path / "b"), 0):
        pass
    assert list(tmp_path.iterdir()) == [tmp_path / "b"]
