"""What docs/preflight.md shows is what the command prints."""

from pathlib import Path

import pytest

from tests.support.pages.console import replayed
from tests.support.paths import ROOT
from tests.support.soak import limit

PAGE = ROOT / "docs" / "preflight.md"


@limit(120)
def test_every_command_prints_what_is_shown(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    (tmp_path / "work").mkdir()
    page = PAGE.read_text(encoding="utf-8")
    shown = replayed(page, tmp_path / "work")
    if request.config.getoption("--update"):
        PAGE.write_text(shown, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == shown
    assert shown.count("\n$ ") > 15
