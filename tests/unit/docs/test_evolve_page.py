"""What docs/evolve.md shows is what the command prints."""

from collections.abc import Callable
from pathlib import Path

from tests.support.pages.console import replayed
from tests.support.paths import ROOT
from tests.support.soak import limit

PAGE = ROOT / "docs" / "evolve.md"


@limit(120)
def test_every_command_prints_what_is_shown(tmp_path: Path, generated: Callable[[Path, str, str], None]) -> None:
    (tmp_path / "work").mkdir()
    shown = replayed(PAGE.read_text(encoding="utf-8"), tmp_path / "work")
    generated(PAGE, shown, "make rules, or pytest tests/unit/docs --update")
    assert "counterexample: " in shown
