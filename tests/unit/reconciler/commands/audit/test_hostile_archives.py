"""`audit` of archives that somebody made to do harm: one clear error, and no file outside of the work folder."""

import gzip
import io
import os
import tarfile
from collections.abc import Mapping

import pytest

from tests.support.gathered_archive import packed
from tests.support.reconciler_cli import Outcome, run
from tests.unit.reconciler.commands.audit.test_archive import OBJECTS, STORE, zone

NODES = "cluster-scoped-resources/core/nodes/worker-a.yaml"
DATABASE = "ovnkube-node-a_nbdb"
ZEROS = gzip.compress(bytes(1 << 20))
# Nine levels of nine aliases: 400 million values.
LEVELS = "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
ALIASES = f"apiVersion: v1\nkind: Node\nmetadata: {{name: n}}\na: &a [x, x]\n{LEVELS}".encode()


def linked(kind: bytes) -> bytes:
    """A store in which the database is a link or a device."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as tar:
        info = tarfile.TarInfo(DATABASE)
        info.type, info.linkname = kind, "/etc/passwd"
        tar.addfile(info)
    return written.getvalue()


def bomb() -> bytes:
    """A store in which half a megabyte of zeros becomes a database of 500 MB."""
    info = tarfile.TarInfo("x")
    info.size = 500 << 20
    return gzip.compress(info.tobuf()) + ZEROS * 500


@pytest.fixture
def audited(tmp_path, monkeypatch):
    """Audits an archive, and checks that nothing is left: no copy, and no file next to the archive."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(work))
    monkeypatch.chdir(tmp_path)

    def audit(content: bytes) -> Outcome:
        (tmp_path / "a.tar.gz").write_bytes(content)
        done = run("audit", "a.tar.gz")
        assert sorted(each.name for each in tmp_path.iterdir()) == ["a.tar.gz", "work"]
        assert not list(work.iterdir())
        return done

    return audit


def store(**databases: bytes) -> Mapping[str, bytes]:
    return {**OBJECTS, STORE: packed(databases)}


WHOLE = packed(store(**{DATABASE: zone("worker-a")}))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (WHOLE[: len(WHOLE) // 2], "a.tar.gz: is no tar archive, or is damaged: "),
        (packed({**OBJECTS, STORE: WHOLE[:200]}), f"error: {STORE}: is no tar archive, or is damaged: "),
        (packed({**OBJECTS, NODES: zone("worker-a")}), f"{NODES}:2:8: malformed YAML: "),
        (packed(store(**{DATABASE: OBJECTS[NODES]})), f"error: {DATABASE}: no schema: "),
        (packed({**OBJECTS, "../../etc/x": b"1"}), "a.tar.gz: the file name '../../etc/x' leads out of the archive"),
        (packed(store(**{"../x_nbdb": b"1"})), "the file name '../x_nbdb' leads out of the archive"),
        (packed({**OBJECTS, STORE: bomb()}), "is more than 400 times as large as the compressed file"),
        (bomb(), "a.tar.gz: is more than 400 times as large as the compressed file"),
        (packed({**OBJECTS, NODES: ALIASES}), f"{NODES}:"),
    ],
    ids=["cut", "cut store", "swapped", "swapped back", "path", "path in store", "bomb in store", "bomb", "aliases"],
)
def test_a_hostile_archive_is_one_error(audited, content, message):
    done = audited(content)
    assert message in done.err
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_a_link_or_a_device_is_no_database(audited, kind):
    done = audited(packed({**OBJECTS, STORE: linked(kind)}))
    assert (done.code, "note: no Northbound database of node worker-a\n" in done.err) == (0, True)


def test_a_huge_file_of_objects_is_one_error(audited, monkeypatch):
    monkeypatch.setattr("ovnguard.reconciler.apply.files.must_gather.MAX_FILE_BYTES", 1 << 20)
    done = audited(packed({**OBJECTS, NODES: os.urandom(3 << 20)}))
    assert (done.code, done.err) == (2, f"{NODES}:1:1: larger than 1 MiB")


def test_a_huge_record_is_one_error(audited):
    done = audited(packed(store(**{DATABASE: b"OVSDB JSON 99999999999 " + b"0" * 40 + b"\n"})))
    message = f"error: {DATABASE}: record 1 has 99999999999 bytes; at most 1073741824 are read\n"
    assert (done.code, done.err) == (2, message)
