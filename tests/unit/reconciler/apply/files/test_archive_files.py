"""Archives and folders: the files in them, and one error for what is hostile or damaged."""

import gzip
import io
import os
import tarfile
from contextlib import suppress
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.reconciler.apply.files import archive_files
from ovnguard.reconciler.apply.files.archive_files import files_in, files_in_tar
from ovnguard.reconciler.apply.store_errors import StoreCorruptError, StoreError, StoreUnusableError


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, target, size
    return info


def archive(*members: tuple[tarfile.TarInfo, bytes], mode: Literal["w", "w:gz", "w:bz2", "w:xz"] = "w:gz") -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode=mode) as tar:
        for info, content in members:
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return written.getvalue()


def found(data: bytes) -> dict[str, bytes]:
    return {file.name: file.stream.read(1 << 20) for file in files_in_tar(io.BytesIO(data), "a.tar.gz")}


@pytest.mark.parametrize("mode", ["w:gz", "w"])
def test_the_files_of_an_archive(mode):
    data = archive((member("./must-gather/version"), b"4.20"), (member("x/y.yaml"), b"kind: Node"), mode=mode)
    assert found(data) == {"must-gather/version": b"4.20", "x/y.yaml": b"kind: Node"}


def test_files_that_are_not_read_are_passed_over():
    data = archive(*[(member(f"{number}"), os.urandom(5000)) for number in range(40)])
    assert [file.name for file in files_in_tar(io.BytesIO(data), "a")] == [str(number) for number in range(40)]


def test_the_files_of_a_folder_without_links(tmp_path):
    (tmp_path / "b" / "c").mkdir(parents=True)
    (tmp_path / "b" / "c" / "nodes.yaml").write_bytes(b"1")
    (tmp_path / "a.yaml").write_bytes(b"2")
    (tmp_path / "linked").symlink_to(tmp_path / "b", target_is_directory=True)
    (tmp_path / "link.yaml").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe.yaml")
    assert {file.name: file.stream.read(9) for file in files_in(tmp_path)} == {"a.yaml": b"2", "b/c/nodes.yaml": b"1"}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_left_out(kind):
    data = archive((member("n_nbdb", kind, "/etc/passwd"), b""), (member("x"), b"1"))
    assert found(data) == {"x": b"1"}


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/x"])
def test_a_name_that_leads_out_of_the_archive_is_an_error(name):
    with pytest.raises(StoreCorruptError) as error:
        found(archive((member(name), b"1")))
    assert str(error.value) == f"a.tar.gz: the file name {name!r} leads out of the archive"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty file"),
        (b"hello", "truncated header"),
        (b"x" * 4096, "invalid header"),
        (gzip.compress(b"", mtime=0), "empty file"),
        (archive((member("x"), os.urandom(9000)))[:6000], "Compressed file ended before the end-of-stream marker was"),
        (archive((member("x"), os.urandom(9000)), mode="w")[:6000], "unexpected end of data"),
    ],
)
def test_a_damaged_archive_is_one_error(data, reason):
    with pytest.raises(StoreCorruptError) as error:
        found(data)
    assert str(error.value).startswith(f"a.tar.gz: is no tar archive, or is damaged: {reason}")


def test_a_name_of_a_gigabyte_is_not_read():
    """A kilobyte of zeros claims to be the name of the next file."""
    header = member("././@LongLink", tarfile.GNUTYPE_LONGNAME, size=1 << 30).tobuf(tarfile.GNU_FORMAT)
    with pytest.raises(StoreCorruptError) as error:
        found(gzip.compress(header + bytes(1024)))
    assert str(error.value) == "a.tar.gz: a name or an attribute has more than 64 MiB"


def test_more_bytes_or_files_than_any_cluster_has_are_an_error(monkeypatch):
    data = archive(*[(member(str(number)), bytes(3000)) for number in range(9)])
    monkeypatch.setattr(archive_files, "MAX_FILES", 8)
    with pytest.raises(StoreCorruptError, match=r"^a.tar.gz: more than 8 files$"):
        found(data)
    monkeypatch.setattr(archive_files, "MAX_BYTES", 1 << 14)
    with pytest.raises(StoreCorruptError, match=r"^a.tar.gz: more than 0 GiB$"):
        found(data)


def test_a_bomb_is_an_error_before_it_has_grown():
    """Half a megabyte of zeros: a file of 500 MB that nobody needs."""
    header = member("big", size=500 << 20).tobuf()
    data = gzip.compress(header) + gzip.compress(bytes(1 << 20)) * 500
    with pytest.raises(StoreCorruptError) as error:
        found(data)
    assert str(error.value) == "a.tar.gz: is more than 400 times as large as the compressed file"


def test_what_cannot_be_opened_is_an_error(tmp_path):
    with pytest.raises(StoreUnusableError) as error:
        list(files_in(tmp_path / "absent.tar.gz"))
    assert str(error.value) == f"{tmp_path / 'absent.tar.gz'}: No such file or directory"


_WHOLE = archive((member("a"), b"1" * 3000), (member("b", tarfile.SYMTYPE, "a"), b""), (member("c"), os.urandom(700)))


@given(st.integers(0, len(_WHOLE)), st.integers(0, len(_WHOLE)), st.binary(max_size=40))
def test_hostile_bytes_are_read_or_one_error(start, end, noise):
    with suppress(StoreError):
        found(_WHOLE[:start] + noise + _WHOLE[end:])


def test_a_path_may_be_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.tar").write_bytes(archive((member("x"), b"1"), mode="w"))
    assert [file.name for file in files_in(Path("x.tar"))] == ["x"]
