from collections.abc import Callable
from pathlib import Path

from tests.support.pages.rules_page import render
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "rules.md"


def test_the_page_is_up_to_date(generated: Callable[[Path, str, str], None]) -> None:
    generated(PAGE, render(), "make rules")
