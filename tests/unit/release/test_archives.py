"""Archives of the same files have the same bytes, and sums are those of sha256sum."""

import io
import tarfile
from pathlib import Path

from tests.support.release.archives import packed, read_folder, sums


def test_order_and_clock_change_nothing() -> None:
    one, two = packed({"a": b"1", "b": b"2"}, 5, ["b"]), packed({"b": b"2", "a": b"1"}, 5, ["b"])
    assert one == two
    with tarfile.open(fileobj=io.BytesIO(one)) as archive:
        members = [(each.name, each.mode, each.mtime, each.uid, each.uname) for each in archive]
    assert members == [("a", 0o644, 5, 0, ""), ("b", 0o755, 5, 0, "")]


def test_files_of_a_folder_and_their_sums(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "b").write_bytes(b"b\n")
    (tmp_path / "a").write_bytes(b"a\n")
    assert read_folder(tmp_path, "x/") == {"x/a": b"a\n", "x/inner/b": b"b\n"}
    assert sums(tmp_path) == (
        "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7  a\n"
        "0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f  inner/b\n"
    )
