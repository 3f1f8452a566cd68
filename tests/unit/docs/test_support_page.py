"""docs/support.md: its archive is made from our manifests, and its commands print what is shown."""

import tarfile
from collections.abc import Callable
from pathlib import Path

from tests.support.example_archive import PATH, contents
from tests.support.gathered_archive import packed
from tests.support.pages.console import replayed
from tests.support.paths import ROOT
from tests.support.soak import limit

PAGE = ROOT / "docs" / "support.md"


def test_the_archive_is_that_of_our_manifests(request) -> None:
    if request.config.getoption("--update"):
        PATH.write_bytes(packed(contents()))
    with tarfile.open(PATH) as archive:
        files = {member.name: archive.extractfile(member) for member in archive}
        found = {name: stream.read() for name, stream in files.items() if stream is not None}
    assert found == contents(), "run pytest tests/unit/docs --update"
    assert PATH.stat().st_size < 50_000


@limit(120)
def test_every_command_prints_what_is_shown(tmp_path: Path, generated: Callable[[Path, str, str], None]) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / PATH.name).write_bytes(PATH.read_bytes())
    shown = replayed(PAGE.read_text(encoding="utf-8"), work)
    generated(PAGE, shown, "make rules, or pytest tests/unit/docs --update")
    assert shown.count("\n$ ") == 2
