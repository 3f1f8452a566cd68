"""docs/suites.md: the suite of a policy on it passes, and its commands print what is shown."""

from collections.abc import Callable
from pathlib import Path

from tests.support.pages.console import replayed
from tests.support.paths import ROOT
from tests.support.soak import limit

PAGE = ROOT / "docs" / "suites.md"
# A slow machine shows progress on standard error.
KUBECTL = """\
kubectl() { shift; "$OVNGUARD_PYTHON" -P -c 'from ovnguard.validators.cli.main import main; main()' "$@" 2>/dev/null; }
"""


@limit(120)
def test_commands_print_what_is_shown(tmp_path: Path, generated: Callable[[Path, str, str], None]) -> None:
    (tmp_path / "work").mkdir()
    shown = replayed(PAGE.read_text(encoding="utf-8"), tmp_path / "work", KUBECTL)
    generated(PAGE, shown, "make rules, or pytest tests/unit/docs --update")
    assert "4 cases: 4 passed, 0 failed, 0 errored" in shown
