import pytest

from ovnguard.validators.base import atomic_file


def names(folder):
    return sorted(file.name for file in folder.iterdir())


@pytest.mark.parametrize("durable", [False, True])
def test_replaces_content_and_mode(tmp_path, durable):
    path = tmp_path / "x"
    path.write_text("old")
    atomic_file.replace(path, b"new", 0o640, durable=durable)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o640)
    assert names(tmp_path) == ["x"]


def test_only_the_owner_reads_it_unless_a_mode_is_given(tmp_path):
    atomic_file.replace(tmp_path / "x", b"")
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o600


def test_path_that_cannot_be_replaced_leaves_nothing_behind(tmp_path):
    (tmp_path / "x" / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        atomic_file.replace(tmp_path / "x", b"new")
    assert names(tmp_path) == ["x"]


def test_file_that_cannot_be_written_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        atomic_file.replace(tmp_path / "x", b"new", durable=True)
    assert names(tmp_path) == []


def test_temporary_file_is_known_by_its_name(tmp_path):
    made = atomic_file.write_temporary(tmp_path / "x", b"1")
    assert atomic_file.is_temporary(made)
    assert not atomic_file.is_temporary(tmp_path / "x")
    assert made.parent == tmp_path
