"""CONTRIBUTING.md: what its table names is there."""

import re
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROWS = PAGE.partition("| to change |")[2].partition("\n\n")[0].splitlines()[2:]
_FILE = re.compile(r"[\w./-]+/|[\w./-]*\w\.(?:py|md|yaml|toml)|Makefile")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_files_of_a_row_exist(row: str) -> None:
    """A name without a folder is next to a file of the row, or in a folder of it."""
    names = [name for name in re.findall(r"`([^`]+)`", row) if _FILE.fullmatch(name)]
    named = [ROOT / name for name in names if "/" in name]
    folders = {ROOT, *(path if path.is_dir() else path.parent for path in named)}
    assert [name for name in names if not _is_in(name, folders)] == []


def _is_in(name: str, folders: set[Path]) -> bool:
    return any((folder / name).exists() for folder in ({ROOT} if "/" in name else folders))
