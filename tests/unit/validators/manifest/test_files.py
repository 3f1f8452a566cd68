"""Files of several names are read once."""

from pathlib import Path

import pytest

from ovnguard.validators.manifest.files import STDIN, once


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.yaml").touch()
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "link.yaml").symlink_to("real/a.yaml")
    return tmp_path


@pytest.mark.parametrize(
    "other",
    ["./real/a.yaml", "real/../real/a.yaml", "folder/a.yaml", "link.yaml", "folder/../link.yaml", "{}/real/a.yaml"],
)
def test_a_file_counts_under_its_first_name(folder: Path, other: str) -> None:
    assert once(["real/a.yaml", other.format(folder)]) == ["real/a.yaml"]
    assert once([other.format(folder), "real/a.yaml"]) == [other.format(folder)]


def test_files_of_one_name_in_several_folders_are_several(folder: Path) -> None:
    (folder / "a.yaml").touch()
    names = ["a.yaml", "real/a.yaml", "/a.yaml", STDIN, "gone/a.yaml", f"real/{'n' * 300}"]
    assert once([*names, STDIN, "./a.yaml", str(folder / "gone" / "a.yaml")]) == names
